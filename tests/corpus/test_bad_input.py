"""Bad files and places: always an error of ours that says where, never anything half-written."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import json
import os
import resource
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tagpool.corpus.conll import format_conll
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines, write_bytes, write_text
from tagpool.corpus.formats import Format, read_corpus, write_corpus
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError, OutputError, TagpoolError

FORMATS = [kind.value for kind in Format]
TINY = Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]])


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"a O\nb\n", ":2: expected 2 columns, got 1"),
        (b"a O\nb O O\n", ":2: expected 2 columns, got 3"),
        (b"a\tO\n\nb O\n", ":3: expected 2 columns, got 1.*tab-separated"),
        (b"a\tO\nb\t\n", ":2: column 2 is empty"),
        (b"a O\n\n\ncaf\xe9 O\n", ":4: expected UTF-8, got an invalid byte at position 4.*encoding"),
        (b"a O\nb\xed\xa0\x80 O\n", ":2: expected UTF-8"),
        (b"a O\nb\0 O\n", ":2: expected text, got a NUL byte"),
        ("a O\n".encode("utf-16"), ":1: expected"),
        ("a O\n".encode("utf-16-le"), ":1: expected text, got a NUL byte"),
        (b"a O\n" + b"x" * 1_000_000, ":2: .* got a line of 1000000 bytes"),
        (b"a O\na" + "é".encode() * 50 + b" b c\n", ':2: expected 2 columns, got 3: "aé{39}\\.\\.\\."'),
        (b"a O\n" + "中".encode() * 50 + b" b c\n", ':2: expected 2 columns, got 3: "中{40}\\.\\.\\."'),
        (b"", ": expected sentences, got none"),
        (b"\n\r\n \t\n", ": expected sentences, got none"),
        (b"\xef\xbb\xbf", ": expected sentences, got none"),
        (b"# only\n# comments = 1\n", ": expected sentences, got none"),
        (b"-DOCSTART- O\n", ": expected sentences, got none"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_bad_columns(read, data, where, packed):
    with pytest.raises(InputError, match=rf"^[^:]*/bad\.conll{where}"):
        read(gzip.compress(data) if packed else data, "bad.conll")


@pytest.mark.parametrize("kind", ["text", "jsonl"])
@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"\n\ncaf\xe9\n", ":3: expected UTF-8"),
        (b"\n\0\n", ":2: expected text, got a NUL byte"),
        ("{}\n".encode("utf-16-be"), ":1: expected"),
        (b"", ": expected sentences, got none"),
        (b"\n \n\t\r\n", ": expected sentences, got none"),
    ],
)
def test_bad_lines(read, kind, data, where):
    with pytest.raises(InputError, match=rf"^[^:]*/bad{where}"):
        read(data, "bad", format=kind)


def test_a_megabyte_of_json_is_read(read):
    words = ["word"] * 100_000
    assert read('{"tokens": [' + ", ".join(f'"{word}"' for word in words) + "]}", "a.jsonl").words == [words]


@pytest.mark.parametrize("kind", FORMATS)
def test_places_that_cannot_be_read(tmp_path, kind):
    for path, message in [
        (tmp_path, "expected a file, got a folder"),
        (tmp_path / "none", "there is no such file"),
        (tmp_path / "none/none", "there is no such file"),
        ("a\0b", "reading failed"),
        ("x" * 5_000, "reading failed: File name too long"),
    ]:
        with pytest.raises(InputError, match=message) as caught:
            read_corpus(path, format=kind)
        assert caught.value.source == str(path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="reading failed: Not a directory"):
        read_corpus(tmp_path / "file/x", format=kind)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux")
def test_a_file_that_refuses_to_be_read():
    with pytest.raises(InputError, match="/proc/self/mem: reading failed: "):
        read_corpus("/proc/self/mem")


def test_unreadable_file(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("a O\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("the superuser may read everything")
    with pytest.raises(InputError, match=r"a\.conll: reading failed: Permission denied"):
        read_corpus(path)


PACKED = gzip.compress(b"a O\n" * 500)


@pytest.mark.parametrize(
    "data",
    [
        PACKED[:-1],
        PACKED[:-8],
        PACKED[: len(PACKED) // 2],
        PACKED[:5],
        b"\x1f\x8b",
        PACKED[:20] + b"\xff\xff" + PACKED[22:],
        PACKED[:-8] + b"12345678",
    ],
    ids=["no last byte", "no checksum", "half", "part of the header", "magic only", "changed", "wrong checksum"],
)
@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_gzip(read, data, kind):
    with pytest.raises(InputError, match=r"a\.gz: the gzip data is damaged or cut off"):
        read(data, "a.gz", format=kind)


@settings(deadline=None)
@given(st.integers(0, len(PACKED)), st.integers(0, len(PACKED) - 1), st.integers(0, 255))
def test_any_damage_to_gzip_is_an_error_or_harmless(read, end, at, byte):
    data = bytearray(PACKED[:end])
    if at < end:
        data[at] = byte
    with contextlib.suppress(InputError):
        assert read(bytes(data), "a.gz").token_count > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xml"}, "unknown format 'xml'; expected one of conll, conllu, jsonl, spans, text"),
        ({"format": 3}, "unknown format 3"),
        ({"encoding": "klingon"}, "unknown encoding 'klingon'"),
        ({"encoding": "base64"}, "unknown encoding 'base64'"),
        ({"encoding": "utf\0"}, "decoding as"),
        ({"encoding": "undefined"}, "decoding as"),
        ({"encoding": "ascii"}, r"a:2: expected ascii, got an invalid byte"),
        ({"encoding": "utf-16"}, r"a:3: expected utf-16"),
        ({"columns": "word,word"}, "a column name occurs twice in word,word"),
        ({"columns": "word,2nd"}, "column name '2nd'"),
        ({"columns": "word,,label"}, "column name ''"),
        ({"columns": ""}, "column name ''"),
        ({"columns": []}, "expected at least one column name"),
        ({"columns": ["word", 5]}, "column name 5"),
        ({"columns": "word,pos,label"}, "a:1: expected 3 columns, got 2"),
        ({"columns": "word"}, "a:1: expected 1 column, got 2"),
        (
            {"columns": "word,label", "format": "jsonl"},
            "a: columns can be named for CoNLL and Parquet files only, and this is read as jsonl",
        ),
        ({"columns": "word,label", "format": "conllu"}, "a: columns can be named for CoNLL and Parquet files only"),
        ({"label": "pos"}, "a: no column 'pos' to take labels from; the columns are word, label"),
    ],
)
def test_bad_arguments(read, options, message):
    with pytest.raises(InputError, match=message):
        read("a O\nãã O\nb O\n".encode(), "a", **options)


@pytest.mark.parametrize(("encoding", "data"), [("utf-7", b"+2AA-"), ("unicode_escape", rb"\ud800 a")])
def test_encodings_that_make_surrogates(read, encoding, data):
    with pytest.raises(InputError, match="lone surrogate"):
        read(data, encoding=encoding)


# Whatever comes in -------------------------------------------------------------------------------------------------------


def ours(attempt: Callable[[], Corpus], name: str) -> bool:
    """Whether a corpus with sentences came out, or an error of ours that names the file; any other error goes on."""
    try:
        return len(attempt()) > 0
    except TagpoolError as error:
        return name in str(error)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["start", "label", "end", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
json_records = st.dictionaries(
    st.sampled_from(["tokens", "text", "labels", "label", "entities", "document", "pos", "word"]), json_values
)
JSON_PIECES = ["{", "}", "[", "]", ",", ":", '"', "\\u", "tokens", "0", "1", '"a"', '["a"]', '"tokens":', '"text":', '"labels":']
JSON_PIECES += ["\\ud800", "\n", "null", "-"]
fragments = st.lists(st.sampled_from(JSON_PIECES), max_size=12).map("".join)
contents = st.one_of(st.binary(), st.text().map(lambda text: text.encode("utf-8", "surrogatepass")), fragments.map(str.encode))


@settings(deadline=None, max_examples=300)
@given(
    contents,
    st.sampled_from(FORMATS),
    st.sampled_from(["utf-8", "latin-1", "utf-16", "utf-7", "cp1252", "shift_jis", "unicode_escape"]),
)
@example(b"a" + "é".encode() * 40 + b"\n1 2\n", "conll", "utf-8")
@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:invalid octal escape sequence:DeprecationWarning")
def test_readers_raise_only_our_errors(read, data, kind, encoding):
    assert ours(lambda: read(data, "any", format=kind, encoding=encoding), "any")


@settings(deadline=None, max_examples=300)
@given(st.lists(json_records, min_size=1, max_size=3), st.sampled_from(["error", "expand", "drop"]), st.booleans())
def test_jsonl_of_any_shape_raises_only_our_errors(read, records, misaligned, ascii_only):
    text = "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in records)
    assert ours(lambda: read(text.encode("utf-8", "surrogatepass"), "any.jsonl", misaligned=misaligned), "any.jsonl:")


@settings(deadline=None)
@given(contents)
def test_lines_raise_only_our_errors(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "lines"
    path.write_bytes(data)
    try:
        lines = read_lines(path)
    except TagpoolError:
        return
    assert "\n".join(lines) == data.decode().removeprefix("\ufeff").removesuffix("\n").replace("\r\n", "\n").removesuffix("\r")


# Writing -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS)
def test_places_that_cannot_be_written(tmp_path, kind):
    for path in (tmp_path / "none/a", tmp_path, tmp_path / ("x" * 300), tmp_path / "a\0b", tmp_path / "a\ud800"):
        with pytest.raises(OutputError, match="writing failed"):
            write_corpus(TINY, path, format=kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs Linux")
def test_a_folder_that_takes_no_files():
    with pytest.raises(OutputError, match=r"/proc/a\.conll: writing failed"):
        write_corpus(TINY, "/proc/a.conll")


def test_read_only_folder(tmp_path):
    tmp_path.chmod(0o500)
    try:
        if os.access(tmp_path, os.W_OK):
            pytest.skip("the superuser may write everywhere")
        with pytest.raises(OutputError, match="writing failed: Permission denied"):
            write_corpus(TINY, tmp_path / "a.conll")
    finally:
        tmp_path.chmod(0o700)
    assert not list(tmp_path.iterdir())


def full_device(folder: Path) -> Path:
    """A device that is always full; never /dev/full itself for the superuser, who could replace it if the writer were wrong."""
    if not Path("/dev/full").is_char_device():
        pytest.skip("there is no /dev/full")
    if os.geteuid() != 0:
        return Path("/dev/full")
    path = folder / "full"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        path.open("rb").close()
    except OSError:
        pytest.skip("creating devices is not allowed here")
    return path


@pytest.mark.parametrize("kind", FORMATS)
def test_full_device(tmp_path, kind):
    path = full_device(tmp_path)
    with pytest.raises(OutputError, match="full: writing failed: No space left on device"):
        write_corpus(TINY, path, format=kind)
    assert path.is_char_device()
    assert set(tmp_path.iterdir()) <= {path}


def test_pipes_are_written_to_and_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
    reader.start()
    write_corpus(TINY, path, format="conll")
    reader.join(10)
    assert path.is_fifo()
    assert got == [format_conll(TINY).encode()]
    assert list(tmp_path.iterdir()) == [path]


def test_links_are_followed(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there/a.conll", tmp_path / "link"
    target.write_text("old")
    link.symlink_to("there/a.conll")
    write_corpus(TINY, link)
    assert link.is_symlink()
    assert target.read_text() == format_conll(TINY)
    assert list((tmp_path / "there").iterdir()) == [target]


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs a limit on file sizes")
def test_a_disk_that_fills_up_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("old\n")
    program = f"""
        import resource, signal
        from tagpool.corpus.files import write_text
        from tagpool.errors import OutputError
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_text({str(path)!r}, "x" * 100_000)
        except OutputError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert "a.conll: writing failed: File too large" in done.stdout
    assert path.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failing_rename_leaves_no_temporary_file(tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OutputError, match="writing failed: Input/output error"):
        write_bytes(tmp_path / "a", b"x")
    assert not list(tmp_path.iterdir())


def test_written_files_are_ordinary(tmp_path):
    mask = os.umask(0o027)
    try:
        write_text(tmp_path / "a", "é")
    finally:
        os.umask(mask)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "a").read_bytes() == "é".encode()


def test_saving_does_not_change_the_umask(tmp_path, monkeypatch):
    write_text(tmp_path / "a", "old")
    (tmp_path / "a").chmod(0o604)
    masks = []
    monkeypatch.setattr(os, "umask", masks.append)
    for name in "ab":
        write_text(tmp_path / name, "new")
    assert masks == []
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o604


def test_equal_text_makes_equal_gzip(tmp_path):
    for name in ("a.gz", "b.gz"):
        write_text(tmp_path / name, "some text")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"some text"


def test_a_relative_name_is_written_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_corpus(TINY, "a.conll")
    assert read_corpus("a.conll") == TINY


class Stream(io.RawIOBase):
    """A binary stream that fails as told."""

    def __init__(self, error: OSError) -> None:
        self.error = error

    def writable(self) -> bool:
        return True

    def write(self, _: object) -> int:
        raise self.error


def test_standard_output(monkeypatch, capsysbinary):
    write_corpus(TINY, "-")
    assert capsysbinary.readouterr().out == format_conll(TINY).encode()
    binary = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(binary, encoding="ascii"))  # as with LC_ALL=C
    write_corpus(Corpus.from_lists(word=[["é"]]), "-")
    assert binary.getvalue() == "é\n\n".encode()
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    write_corpus(Corpus.from_lists(word=[["é"]]), "-")
    assert sys.stdout.getvalue() == "é\n\n"


def test_full_standard_output():
    if not Path("/dev/full").is_char_device():
        pytest.skip("there is no /dev/full")
    program = "import tagpool; tagpool.write_corpus(tagpool.Corpus.from_lists(word=[['a']]), '-')"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert "OutputError: standard output: writing failed: No space left on device" in done.stderr


@pytest.mark.parametrize("kind", ["conll", "conllu"])
@pytest.mark.parametrize("word", ["", "a\nb"])
def test_bad_words_leave_the_old_file(tmp_path, kind, word):
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(InputError, match="does not fit into one column"):
        write_corpus(Corpus.from_lists(word=[["x", word]]), path, format=kind)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_write_corpus_checks_its_arguments(tmp_path):
    for options, message in [
        ({"format": "x"}, "unknown format"),
        ({"columns": "word,pos"}, "no column 'pos'"),
        ({"columns": ""}, "no column ''"),
    ]:
        with pytest.raises(InputError, match=message):
            write_corpus(TINY, tmp_path / "a", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format_", ["conll", "text"])
def test_a_byte_order_mark_of_the_first_word_is_written_and_read(tmp_path: Path, format_: str) -> None:
    corpus = Corpus.from_lists(word=[["\ufeffAnn", "left"]])
    write_corpus(corpus, tmp_path / "a", format=format_)
    again = read_corpus(tmp_path / "a", format=format_)
    assert [word for words in again.words for word in words] == ["\ufeffAnn", "left"]


@pytest.mark.parametrize("function", ["open", "fdopen"])
def test_an_interruption_while_a_file_is_created_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    original = getattr(os, function)

    def interrupt(*arguments: object, **options: object) -> None:
        created = original(*arguments, **options)
        os.close(created) if isinstance(created, int) else created.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(os, function, interrupt)
    with pytest.raises(KeyboardInterrupt), WholeFile(tmp_path / "a"):
        pass
    assert list(tmp_path.iterdir()) == []
