"""Lexicons, clusters and ambiguity classes: every format they are read from, and every way a file can be wrong."""

from __future__ import annotations

import gzip

import pytest

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, ResourceError, TemplateError
from tagpool.features.embeddings import Embeddings
from tagpool.features.encoder import Encoder
from tagpool.features.parser import parse
from tagpool.features.presets import load_templates
from tagpool.features.resource_files import shipped_resource
from tagpool.features.resources import AmbiguityClasses, Clusters, Gazetteer
from tagpool.features.template_resources import load_resources

READERS = {
    "gazetteer": Gazetteer.read,
    "cluster": Clusters.read,
    "ambiguity": AmbiguityClasses.read,
    "embedding": Embeddings.read,
}
GOOD = {"gazetteer": "New York\nOslo\n", "cluster": "01\ta\n", "ambiguity": "a\tNN VB\n", "embedding": "a 1 2\n"}
kinds = pytest.mark.parametrize("kind", list(READERS))


def matches(gazetteer: Gazetteer, *words: str) -> list[list[str]]:
    """Return the matches of a gazetteer in a sentence."""
    corpus = Corpus.from_lists(word=[list(words)])
    described = Encoder("gazetteer(g)[0]", resources={"g": gazetteer}).fit(corpus).describe(corpus, 0)
    return [[name.removeprefix("gazetteer(g)[0]=") for name, _ in row] for row in described]


# Any file -----------------------------------------------------------------------------------------------------------------


@kinds
def test_plain_compressed_and_with_a_mark(kind, tmp_path):
    plain, packed, marked = tmp_path / "x.txt", tmp_path / "x.txt.gz", tmp_path / "marked.txt"
    plain.write_text(GOOD[kind])
    packed.write_bytes(gzip.compress(GOOD[kind].encode()))
    marked.write_bytes(b"\xef\xbb\xbf" + GOOD[kind].replace("\n", "\r\n").encode())
    result = [READERS[kind](path) for path in (plain, str(plain), packed, marked)]
    assert len({len(item) for item in result}) == 1
    if kind in ("cluster", "ambiguity"):
        assert {item.get("a") for item in result} == {"01" if kind == "cluster" else "NN_VB"}
    if kind == "embedding":
        assert all(item.rows.row("a") == 0 and item.vectors.tolist() == [[1, 2]] for item in result)


@kinds
def test_missing_empty_and_broken_files(kind, tmp_path):
    read = READERS[kind]
    with pytest.raises(ResourceError, match=r"missing.txt: there is no such file"):
        read(tmp_path / "missing.txt")
    empty = tmp_path / "empty.txt"
    for text in ("", "\n", "  \n\n"):
        empty.write_text(text)
        with pytest.raises(ResourceError, match=r"empty.txt: (the gazetteer has no phrases|expected .*, got none)"):
            read(empty)
    bad = tmp_path / "bad.txt"
    bad.write_bytes(GOOD[kind].encode() + b"caf\xe9\n")
    with pytest.raises(ResourceError, match=rf"bad.txt:{GOOD[kind].count(chr(10)) + 1}: expected UTF-8"):
        read(bad)
    bad.write_bytes(b"a\0b\n")
    with pytest.raises(ResourceError, match=r"bad.txt:1: expected text, got a NUL byte"):
        read(bad)
    bad.write_bytes(gzip.compress(GOOD[kind].encode() * 50)[:-9])
    with pytest.raises(ResourceError, match=r"bad.txt: the gzip data is damaged"):
        read(bad)
    if kind != "gazetteer":
        with pytest.raises(ResourceError, match=r"expected a file, got a folder"):
            read(tmp_path)


# Gazetteers ---------------------------------------------------------------------------------------------------------------


def test_a_folder_of_lists(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "cities.txt").write_text("New York\n  Rio   de Janeiro \n")
    (tmp_path / "names.lst.gz").write_bytes(gzip.compress("Ann\nÉmile\n".encode()))
    (tmp_path / "more" / "known.big.lst").write_text("Ann\n")
    (tmp_path / "table.tsv").write_text("Ann\tgirls\nNew York\tcities\n")
    (tmp_path / ".DS_Store").write_bytes(b"\0\1\2")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("nothing")
    result = Gazetteer.read(tmp_path)
    assert sorted(result.lists) == ["cities", "girls", "known.big", "names"]
    assert len(result) == 6
    assert [sorted(row) for row in matches(result, "Ann", "in", "Rio", "de", "Janeiro", "Émile")] == [
        ["girls/U", "known.big/U", "names/U"],
        [],
        ["cities/B"],
        ["cities/I"],
        ["cities/L"],
        ["names/U"],
    ]
    assert [Gazetteer.read(tmp_path / name).lists for name in ("cities.txt", "names.lst.gz")] == [("cities",), ("names",)]


def test_tables(tmp_path):
    table = tmp_path / "x.tsv"
    table.write_text("New York\t11\nAnn Lee\t 14 \nA\tB\t14\n")
    result = Gazetteer.read(table)
    assert result.lists == ("11", "14")
    assert matches(result, "A", "B", "New", "York") == [["14/B"], ["14/L"], ["11/B"], ["11/L"]]
    (tmp_path / "x.tsv.gz").write_bytes(gzip.compress(table.read_bytes()))
    assert Gazetteer.read(tmp_path / "x.tsv.gz").lists == ("11", "14")
    for line in ("New York", "New York\t", "New York\t  "):
        table.write_text(f"A\tb\n{line}\n")
        with pytest.raises(ResourceError, match=r"x.tsv:2: expected a phrase, a tab and the name of its list"):
            Gazetteer.read(table)


@pytest.mark.parametrize(
    ("name", "text"), [("x.txt", "Oslo\n{}\nLima\n"), ("x.tsv", "Oslo\t1\n{}\nLima\t2\n"), ("x.lst", "Oslo\n{}\n")]
)
@pytest.mark.parametrize("empty", ["", "  ", "\t"])
def test_an_empty_line_is_no_phrase(name, text, empty, tmp_path):
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / name).write_text(text.format(empty))
    for path in (tmp_path / "names", tmp_path / "names" / name):
        with pytest.raises(ResourceError, match=rf"{name}:2: expected a phrase, got an empty line; remove it"):
            Gazetteer.read(path)


def test_an_empty_folder(tmp_path):
    with pytest.raises(ResourceError, match=r"the gazetteer has no phrases"):
        Gazetteer.read(tmp_path)


def test_the_longest_phrase_from_the_left():
    gazetteer = Gazetteer({"x": ["a", "a b", "b c d", "a b c e"], "y": ["b", "b c"]})
    assert matches(gazetteer, "a", "b", "c", "d") == [["x/B"], ["x/L", "y/B"], ["y/L"], []]
    assert matches(gazetteer, "a", "b", "c", "e") == [["x/B"], ["x/I", "y/B"], ["x/I", "y/L"], ["x/L"]]
    assert matches(gazetteer, "b", "c", "d") == [["x/B", "y/B"], ["x/I", "y/L"], ["x/L"]]
    assert len(gazetteer) == 6


def test_one_gazetteer_with_other_clusters():
    """The phrases go through the clusters of the encoder at hand, not through those of an earlier one."""
    gazetteer = Gazetteer({"x": ["a"]})
    corpus = Corpus.from_lists(word=[["a", "b"]])
    for clusters, expected in (({"a": "0", "b": "0"}, [1, 1]), ({"a": "0", "b": "1"}, [1, 0])):
        encoder = Encoder("gazetteer(g, cluster(c))[0]", resources={"g": gazetteer, "c": Clusters(clusters)}).fit(corpus)
        assert [len(row) for row in encoder.describe(corpus, 0)] == expected


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({}, "no phrases"),
        ({"x": []}, "no phrases"),
        ({"x": ["", " "]}, "no phrases"),
        ({"x": "Oslo"}, "'x': expected a list of phrases, got one string"),
        ({"x": [1]}, r"expected text \(str\), got int"),
        ({1: ["a"]}, r"expected text \(str\), got int"),
        ({"x": ["\ud800"]}, "lone surrogate"),
    ],
)
def test_bad_lists(lists, message):
    with pytest.raises(ResourceError, match=message):
        Gazetteer(lists)


def test_shipped_lists():
    titles = shipped_resource("titles", "gazetteer")
    assert titles.lists == ("titles",)
    assert shipped_resource("titles", "cluster") is None
    assert shipped_resource("nothing", "gazetteer") is None
    assert load_resources(parse("gazetteer(titles)"), {})["titles"].lists == ("titles",)
    mine = Gazetteer({"mine": ["x"]})
    assert load_resources(parse("gazetteer(titles)"), {"titles": mine})["titles"] is mine


# Clusters and ambiguity classes -------------------------------------------------------------------------------------------


def test_clusters(tmp_path):
    file = tmp_path / "paths"
    file.write_text("0110\tLondon\t12\n0110\tParis\n\n10\t#\t3\n111\tLondon\t1\n")
    clusters = Clusters.read(file)
    assert [clusters.get(word) for word in ("London", "Paris", "#", "Rome")] == ["0110", "0110", "10", None]
    assert len(clusters) == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0120\ta", "expected a bit string such as 0110, got '0120'"),
        ("\ta", "expected a bit string such as 0110, got ''"),
        ("0 1\ta", "expected a bit string"),
        ("0110", r"expected bits TAB word \[TAB count\], got 1 column"),
        ("0110 a", "expected bits TAB word .*got 1 column"),
        ("0110\ta\t1\t2", "expected bits TAB word .*got 4 columns"),
        ("a\t0110", "expected a bit string"),
    ],
)
def test_broken_clusters(line, message, tmp_path):
    file = tmp_path / "paths.txt"
    file.write_text(f"01\tx\n\n{line}\n")
    with pytest.raises(ResourceError, match=rf"paths.txt:3: {message}"):
        Clusters.read(file)


def test_ambiguity_classes(tmp_path):
    file = tmp_path / "classes.tsv"
    file.write_text("run\tVB  NN \nthe\tDT\nrun\tX\n")
    classes = AmbiguityClasses.read(file)
    assert [classes.get(word) for word in ("run", "the", "x")] == ["VB_NN", "DT", None]
    for line in ("run", "run VB", "run\t", "run\t ", "\tVB"):
        file.write_text(f"a\tDT\n{line}\n")
        with pytest.raises(ResourceError, match=r"classes.tsv:2: expected word TAB tags, got "):
            AmbiguityClasses.read(file)


def test_ambiguity_classes_of_a_corpus():
    words = ["run"] * 10 + ["rare"] * 4 + ["tie"] * 6
    labels = ["VB"] * 7 + ["NN"] * 2 + ["X"] + ["A"] * 4 + ["b", "a"] * 3
    corpus = Corpus.from_lists(word=[words], label=[labels])
    classes = AmbiguityClasses.from_corpus(corpus)
    assert [classes.get(word) for word in ("run", "rare", "tie")] == ["VB_NN", None, "a_b"]
    assert AmbiguityClasses.from_corpus(corpus, min_count=4, share=0.1).get("run") == "VB_NN_X"
    with pytest.raises(InputError, match=r"no label column"):
        AmbiguityClasses.from_corpus(Corpus.from_lists(word=[words]))
    with pytest.raises(ResourceError, match=r"empty"):
        AmbiguityClasses.from_corpus(corpus, min_count=100)


@pytest.mark.parametrize("make", [Clusters, AmbiguityClasses])
def test_bad_classes(make):
    for classes in ({}, {"a": 1}, {1: "a"}, {"a": "\ud800"}, {"\udc00": "a"}):
        with pytest.raises(ResourceError):
            make(classes)


# Resources and templates --------------------------------------------------------------------------------------------------

corpus = Corpus.from_lists(word=[["a", "New", "York"]])
MADE = {
    "gazetteer": Gazetteer({"x": ["a"]}),
    "cluster": Clusters({"a": "01"}),
    "ambiguity": AmbiguityClasses({"a": "NN"}),
    "embedding": Embeddings(["a"], [[1.0]]),
}


@kinds
def test_a_resource_for_the_wrong_function(kind):
    for other, resource in MADE.items():
        encoder = Encoder(f"word[0] & bias\n{kind}(r)[0]", resources={"r": resource})
        if other == kind:
            encoder.fit(corpus)
            continue
        with pytest.raises(TemplateError, match=f"'r': expected a resource for {kind}, got one for {other}") as caught:
            encoder.fit(corpus)
        assert (caught.value.line, caught.value.column) == (2, 0)
    with pytest.raises(TemplateError, match=f"'r': expected a resource for {kind}, got one for dict"):
        Encoder(f"{kind}(r)[0]", resources={"r": {"a": "b"}}).fit(corpus)


def test_an_unused_resource():
    with pytest.raises(ResourceError, match=r"no template uses a resource 'x'; the resources are brown, g"):
        Encoder("cluster(brown)[0]\ngazetteer(g)[0]", resources={"x": MADE["cluster"]}).fit(corpus)
    with pytest.raises(ResourceError, match=r"the templates use no resources"):
        Encoder("word[0]", resources={"x": MADE["cluster"]}).fit(corpus)


@kinds
def test_paths_as_resources(kind, tmp_path):
    path = tmp_path / "r.txt"
    path.write_text(GOOD[kind])
    for supplied in (path, str(path)):
        encoder = Encoder(f"{kind}(r)[0]", resources={"r": supplied})
        encoded = encoder.fit_transform(corpus)
        assert encoded.occurrence_count + len(encoded.dense) > 0
    path.unlink()
    with pytest.raises(ResourceError, match=r"r.txt: there is no such file"):
        Encoder(f"{kind}(r)[0]", resources={"r": path}).fit(corpus)


def test_use_lines_are_relative_to_the_template_file(tmp_path, monkeypatch):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "my lists").mkdir()
    (tmp_path / "templates" / "my lists" / "cities.txt").write_text("New York\n")
    file = tmp_path / "templates" / "t.txt"
    file.write_text('use g from "my lists"\nuse c from ../clusters.txt\ngazetteer(g)[0]\ndisjunction(cluster(c), -1..1)[0]\n')
    (tmp_path / "clusters.txt").write_text("01\ta\n")
    monkeypatch.chdir(tmp_path / "templates" / "my lists")
    for what in (file, str(file)):
        names = Encoder(what).fit(corpus).feature_names
        assert sorted(names) == ["disjunction(cluster(c), -1..1)[0]=01", "gazetteer(g)[0]=cities/B", "gazetteer(g)[0]=cities/L"]
    supplied = Encoder(file, resources={"g": Gazetteer({"mine": ["a"]})}).fit(corpus)
    assert "gazetteer(g)[0]=mine/U" in supplied.feature_names
    (tmp_path / "clusters.txt").unlink()
    with pytest.raises(ResourceError, match=r"templates/\.\./clusters.txt: there is no such file"):
        Encoder(file).fit(corpus)
    with pytest.raises(TemplateError, match=r"nowhere.txt: there is no such file"):
        load_templates(tmp_path / "nowhere.txt")
    (tmp_path / "clusters.txt").write_text("0x1\ta\n")
    with pytest.raises(ResourceError, match=r"clusters.txt:1: expected a bit string"):
        Encoder(file).fit(corpus)
