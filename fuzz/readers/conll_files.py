"""CoNLL and CoNLL-U files: read, write, read again. The first byte selects the format."""

from __future__ import annotations

from harness import choose, file_of, fuzz, instrument, read_again

with instrument():
    from tagpool.corpus.conll import format_conll, format_conllu, read_conll, read_conllu


def check(data: bytes) -> None:
    """Writing and reading a corpus changes nothing."""
    conllu, content = choose(data, 2)
    if conllu:
        text = format_conllu(read_conllu(file_of(content)))
        assert format_conllu(read_again(lambda: read_conllu(file_of(text.encode())))) == text
    else:
        corpus = read_conll(file_of(content))
        text = format_conll(corpus, separator="\t")
        again = read_again(lambda: read_conll(file_of(text.encode()), columns=corpus.columns))
        assert format_conll(again, separator="\t") == text


if __name__ == "__main__":
    fuzz(check)
