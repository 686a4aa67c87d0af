"""Case: sentences in lower case, in upper case, or with a capital at the start of every word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tagpool.corpus.corpus import Corpus
from tagpool.perturbations.letters import has_case, is_letter
from tagpool.perturbations.perturbation import Change, NotApplicable, Perturbation, Text


def capitalise(word: str) -> str:
    """Write the first letter of a word as a capital; the others stay, so that abbreviations do.

    >>> capitalise("don't"), capitalise("EU"), capitalise("(the")
    ("Don't", 'EU', '(The')
    """
    for at, character in enumerate(word):
        if is_letter(character):
            return word[:at] + character.title() + word[at + 1 :]
    return word


def _change_case(name: str, convert: Callable[[str], str]) -> Callable[[Corpus], Change]:
    def prepare(corpus: Corpus) -> Change:
        vocabulary = {word for row in corpus.words for word in row}
        if not any(map(has_case, vocabulary)):
            raise NotApplicable("the script has no upper and lower case", source=corpus.source)
        new_words = {word: convert(word) for word in vocabulary}
        if all(new == word for word, new in new_words.items()):
            raise NotApplicable(f"the text is in {name} case", source=corpus.source)

        def change(text: Text) -> Sequence[str]:
            return [new_words[word] for word in text.words] if text.share == 1 or text.happens() else text.words

        return change

    return prepare


CASES = tuple(
    Perturbation(name, summary, _change_case(name, convert), unit="sentence")
    for name, summary, convert in (
        ("lower", "text in lower case", str.lower),
        ("upper", "text in capitals", str.upper),
        ("title", "a capital at the start of every word", capitalise),
    )
)
