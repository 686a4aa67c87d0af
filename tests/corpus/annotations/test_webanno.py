"""WebAnno TSV as INCEpTION writes it: several layers, numbered and stacked annotations, escapes, and offsets in UTF-16."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tagpool import Corpus, InputError, read_corpus, write_corpus
from tagpool.corpus.annotations.webanno_writing import escape_text, escape_value

ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
HEADER = f"""#FORMAT=WebAnno TSV 3.3
#T_SP={POS}|coarseValue|PosValue
#T_SP={ENTITY}|identifier|value
#T_SP=webanno.custom.Term|note
#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceRelation|referenceType
#T_RL=webanno.custom.Relation|label|BT_{ENTITY}


"""
ROWS = """#Text=\U0001f600 Ann Lee [sic\\\\] left.
#Sentence.id=s1
1-1\t0-2\t\U0001f600\t_\tSYM\t_\t_\t_\t_\t_\t_\t_\t
1-2\t3-6\tAnn\t_\tNNP\t*[1]\tPER[1]|first\\_name[2]\t_\t*->1-1\tcoref\t_\t_\t
1-3\t7-10\tLee\t_\tNNP\t*[1]\tPER[1]\tx\\|y\t_\t_\tknows\t1-2[1_0]\t
1-4\t11-16\t[sic\\\\\t_\tX\t_\t_\t_\t_\t_\t_\t_\t
1-5\t16-17\t]\t_\tX\t_\t_\t_\t_\t_\t_\t_\t
1-6\t18-22\tleft\t_\tVBD\t_\t_\t_\t_\t_\t_\t_\t
1-7\t22-23\t.\t_\t.\t_\t_\t_\t_\t_\t_\t_\t

#Text=In Oslo.
2-1\t24-26\tIn\t_\tIN\t_\t_\t_\t_\t_\t_\t_\t
2-2\t27-31\tOslo\t_\tNNP\thttp://x\tLOC\t_\t_\t_\t_\t_\t
2-2.1\t27-29\tOs\t_\t_\t_\tPART\t_\t_\t_\t_\t_\t
2-3\t31-32\t.\t_\t.\t_\t_\t_\t_\t_\t_\t_\t
"""


def read(folder: Path, text: str):
    path, losses = folder / "a.tsv", Counter[str]()
    path.write_text(text)
    return read_corpus(path, losses=losses), losses


def test_a_file_of_inception(tmp_path):
    corpus, losses = read(tmp_path, HEADER + ROWS)
    assert corpus.words == [["\U0001f600", "Ann", "Lee", "[sic\\", "]", "left", "."], ["In", "Oslo", "."]]
    assert corpus.labels == [["O", "B-PER", "I-PER", "O", "O", "O", "O"], ["O", "B-LOC", "O"]]
    assert corpus.column("space") == [[" ", " ", " ", "", " ", "", "\n"], [" ", "", ""]]
    assert losses == {
        "annotations of other layers": 11,  # parts of speech, and a term
        "relations": 2,
        "attributes": 1,
        "overlapping spans": 2,
    }


def test_the_layer_of_the_project_is_read_without_named_entities(tmp_path):
    text = "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Term|note\n\n\n#Text=a b\n1-1\t0-1\ta\t*\t\n1-2\t2-3\tb\tx[1]|y[2]\t\n"
    corpus, losses = read(tmp_path, text)
    assert (corpus.labels, losses) == ([["B-Term", "B-x"]], {"overlapping spans": 1})


def test_a_span_over_two_sentences_joins_them(tmp_path):
    header = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={ENTITY}|value\n\n\n"
    rows = "#Text=a b\n1-1\t0-1\ta\t_\t\n1-2\t2-3\tb\tX[1]\t\n\n#Text=c\n2-1\t4-5\tc\tX[1]\t\n\n#Text=d\n3-1\t6-7\td\t_\t\n"
    corpus, _ = read(tmp_path, header + rows)
    assert (corpus.words, corpus.labels) == ([["a", "b", "c"], ["d"]], [["O", "B-X", "I-X"], ["O"]])


def test_slots_have_columns_for_roles_and_targets(tmp_path):
    header = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Word|\n"
    slots = "#T_SP=custom.Frame|ROLE_custom.Frame:links_custom.Link|custom.Word|kind\n\n\n"
    rows = "#Text=Ann saw Bob\n1-1\t0-3\tAnn\t*\t_\t_\t_\t\n1-2\t4-7\tsaw\t_\twho;whom\t1-1;1-3\tSEE\t\n"
    rows += "1-3\t8-11\tBob\t*\t_\t_\t_\t\n"
    corpus, losses = read(tmp_path, header + slots + rows)
    assert (corpus.labels, losses) == ([["B-Word", "O", "B-Word"]], {"annotations of other layers": 1})
    corpus, losses = read(
        tmp_path, header.replace("#T_SP=custom.Word|\n", "") + slots + rows.replace("\t*\t", "\t").replace("saw\t_", "saw")
    )
    assert (corpus.labels, losses) == ([["O", "B-SEE", "O"]], {"attributes": 2})


def test_annotations_without_characters_and_lines_inside_a_sentence(tmp_path):
    header = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|\n\n\n"
    rows = (
        "#Text=It\n#Text=rains\\tnow\n1-1\t1-3\tIt\t_\t\n1-1.1\t1-1\t\t*[1]|*[2]\t\n1-2\t4-9\trains\t*\t\n1-3\t10-13\tnow\t_\t\n"
    )
    corpus, losses = read(tmp_path, header + rows)
    assert (corpus.words, corpus.labels) == ([["It", "rains", "now"]], [["O", "B-Span", "O"]])
    assert corpus.column("space") == [["\n", "\t", ""]]
    assert losses == {"spans without a token": 2, "blanks before the first token": 1}
    write_corpus(corpus, tmp_path / "b.tsv", format="webanno")
    assert "#Text=It\n#Text=rains\\tnow\n1-1\t0-2\tIt\t" in (tmp_path / "b.tsv").read_text()
    assert read_corpus(tmp_path / "b.tsv") == corpus


def test_written_rows_have_numbers_for_several_tokens_only(tmp_path):
    corpus, _ = read(tmp_path, HEADER + ROWS)
    write_corpus(corpus, tmp_path / "b.tsv", format="webanno")
    lines = (tmp_path / "b.tsv").read_text().splitlines()
    assert lines[:5] == [
        "#FORMAT=WebAnno TSV 3.3",
        f"#T_SP={ENTITY}|identifier|value",
        "",
        "",
        "#Text=\U0001f600 Ann Lee [sic\\\\] left.",
    ]
    assert "1-3\t7-10\tLee\t*[1]\tPER[1]\t" in lines
    assert "2-2\t27-31\tOslo\t*\tLOC\t" in lines


def test_escapes():
    assert escape_value("a->b_[c]|d;*\\") == "a\\->b\\_\\[c\\]\\|d\\;\\*\\\\"
    assert escape_text("a\tb\nc\\d_\x01") == "a\\tb\\nc\\\\d_\\\x01"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "#FORMAT=WebAnno TSV 3.3\n#T_SP=x|y\n\n#Text=a\n1-1\t0-1\tb\t_\n",
            "a.tsv:5: the first token is not at 0 in the text of its",
        ),
        (
            "#FORMAT=WebAnno TSV 3.3\n#T_SP=x|y\n\n#Text=a b\n1-1\t0-1\ta\t_\n1-2\t1-2\tb\t_\n",
            "a.tsv:6: the text at 1-2 is ' ', not 'b'",
        ),
        ("#FORMAT=WebAnno TSV 3.3\n#T_SP=x|y\n\n#Text=a\n1-1\t0-1\ta\n", "a.tsv:5: expected 1 column of annotations, got 0"),
        ("#FORMAT=WebAnno TSV 3.3\n#T_SP=x|y\n\n#Text=a\n1\t0-1\ta\n", "a.tsv:5: expected a row such as 1-1<tab>0-3<tab>Ann"),
        (
            "#FORMAT=WebAnno TSV 3.3\n#T_XX=x\n",
            "a.tsv:2: expected a layer such as #T_SP=webanno.custom.Term|value, got '#T_XX=x'",
        ),
        ("#FORMAT=WebAnno TSV 3.3\n\n1-1\t0-1\ta\n", "a.tsv:3: the text at 0-1 is '', not 'a'"),
        ("#FORMAT=WebAnno TSV 3.3\n\n", "a.tsv: expected sentences, got none"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


@pytest.mark.parametrize("suffix", [".tsv", ".tsv.gz", ".tsv.zst"])
def test_compressed_files_are_recognised(tmp_path, suffix):
    corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]])
    path = tmp_path / f"a{suffix}"
    write_corpus(corpus, path, format="webanno")
    assert read_corpus(path).labels == corpus.labels
    write_corpus(corpus, path)
    assert read_corpus(path) == corpus
