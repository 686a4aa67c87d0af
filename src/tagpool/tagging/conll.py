"""Tagging of CoNLL and CoNLL-U: the label is appended to each line, or replaces a column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any, NamedTuple

from tagpool import _native
from tagpool.corpus.blocks import Block, Blocks
from tagpool.corpus.conll import CONLLU_COLUMNS, DEFAULT_COLUMNS, DOCUMENT_START, column_names
from tagpool.corpus.corpus import LABEL
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.files import BYTE_ORDER_MARK
from tagpool.corpus.schemes import is_plain
from tagpool.errors import InputError
from tagpool.tagging.labeller import LONGEST_SENTENCE, Labeller, Reading, StreamTagger
from tagpool.wording import counted

_MISSING = "add the missing columns, or train a model that reads words only (such as --features ner)"
_DOCUMENT = DOCUMENT_START.encode()
_DOCUMENT_MARK = re.compile(re.escape(_DOCUMENT))
_BLANKS = b" \t"
_SENTENCE = re.compile(rb"(?s:.+?)(?:\n[ \t\r]*\n|\Z)")  # with the blank line after it
_BLANK_BEGINS = re.compile(rb"\n[ \t]")


def guess_columns(count: int, needed: Sequence[str], summary: dict[str, Any], source: str) -> tuple[str, ...]:
    """Return the column names of a file: those of the training file, with or without its labels, else the default ones.

    >>> trained = {"columns": ["word", "pos", "label"], "label": "label"}
    >>> [guess_columns(count, ["word"], trained, "a") for count in (1, 2, 3)]
    [('word',), ('word', 'pos'), ('word', 'pos', 'label')]
    """
    trained = tuple(summary.get("columns", ()))
    unlabelled = tuple(name for name in trained if name != summary.get("label"))
    for names in (trained, unlabelled, DEFAULT_COLUMNS.get(count, ())):
        if len(names) == count and set(needed) <= set(names):
            return names
    training = f" and was trained with {', '.join(trained)}" if trained else ""
    model = f"the model reads {', '.join(needed)}{training}"
    examples = [*needed, *(name for name in trained if name not in needed), *(f"column{i}" for i in range(1, count + 1))]
    advice = f"name them, such as --columns {','.join(examples[:count])}" if count >= len(needed) else _MISSING
    if count > max(len(trained), len(needed)):
        advice = f"for running text use --format text, else {advice}"
    raise InputError(f"the file has {counted(count, 'column')}; {model}; {advice}", source=source)


class _Parsed(NamedTuple):
    """Sentences of a block, its lines without their ends, the carriage return of each line, and True for lines of tokens."""

    columns: _native.Columns
    lines: list[bytes]
    ends: list[bytes]
    tokens: list[bool]


class ConllTagger(StreamTagger):
    """Tags CoNLL columns: appends the separator and the label to the line of every token, and changes nothing else.

    The probability of the label, if wanted, is a column before it.
    """

    conllu = False

    def __init__(self, labeller: Labeller, blocks: Blocks, columns: str | None) -> None:
        super().__init__(labeller, blocks)
        self.names = None if columns is None else column_names(columns.split(","), blocks.source)
        self.tabs: bool | None = None
        self.simple = not self.conllu  # so far, all lines are tokens or blank

    def _tag(self, block: Block) -> bytes:
        if self.names is None:
            count = _native.count_columns(block.text, self.conllu)
            if count:
                self.names = guess_columns(count, self.labeller.columns, self.labeller.summary, self.blocks.source)
        if (labelled := self._label_lines(block)) is not None:
            return labelled
        try:
            parsed = self._parse(block)
        except InputError as error:
            if error.line is None:
                raise
            block = self._without_bad_sentences(block)
            parsed = self._parse(block)
        if parsed is None:
            return block.text
        columns, lines, ends, tokens = parsed
        self.sentences += columns.sentence_count
        if self.labeller.nbest:
            return b"\n".join(self._repeat(lines, ends, tokens, self.labeller.readings(columns)))
        if self.labeller.plain:
            lines = self._with_labels(lines, tokens, self.labeller.labels(columns))
        else:
            lines = self._with_readings(lines, tokens, self.labeller.readings(columns))
        return b"\n".join(map(bytes.__add__, lines, ends) if any(ends) else lines)

    def _label_lines(self, block: Block) -> bytes | None:
        """Return a block with labels; None if it has errors, comments or carriage returns, which take longer."""
        if not self.simple:
            return None
        try:
            columns = self._read(block)
        except InputError:
            return None
        if not columns.sentence_count or columns.token_count > LONGEST_SENTENCE:
            return None
        labelled = self.labeller.lines(columns, block.text, self.tabs)
        self.simple = labelled is not None  # else later blocks would be tagged twice, too
        if labelled is None or (self.tabs and not labelled[1]):
            return None
        self.tabs = labelled[1] if self.tabs is None else self.tabs
        self.sentences += columns.sentence_count
        return labelled[0]

    # Reading ------------------------------------------------------------------------------------------------------------

    def _parse(self, block: Block) -> _Parsed | None:
        """Return the sentences and lines of a block; None if it has no sentences."""
        columns = self._read(block)
        if columns.sentence_count == 0:
            return None
        lines, ends = _split(block.text)
        tokens = _token_marks(block.text, lines, columns, self.conllu)
        self._settle_separator(block, lines, tokens)
        if columns.token_count > LONGEST_SENTENCE:
            longest = max(map(columns.length, range(columns.sentence_count)))
            self._check_length(longest, partial(InputError, source=self.blocks.source, line=block.lines_before + 1))
        return _Parsed(columns, lines, ends, tokens)

    def _without_bad_sentences(self, block: Block) -> Block:
        """Return the block with comments in place of bad sentences; without ``keep_going``, the text before the first."""
        pieces: list[bytes] = []
        lines_before = block.lines_before
        for sentence in _SENTENCE.findall(block.text):
            try:
                self._parse(Block(sentence, lines_before))
            except InputError as error:
                comment = self._comment(error)
                if self._stops:
                    break
                pieces.append(comment)
            else:
                pieces.append(sentence)
            lines_before += sentence.count(b"\n")
        return Block(b"".join(pieces), block.lines_before)

    def _read(self, block: Block) -> _native.Columns:
        text = block.text
        if self.tabs is False:
            # The first token of the file decides the separator, not the first one of the block.
            text = text.replace(b"\t", b" ")
        names = list(self.names or ("word",))
        needed = list(self.labeller.columns)
        with NameFaults(self.blocks.source, block.lines_before):
            columns = _native.read_conll(text, names, self.conllu, needed if set(needed) <= set(names) else [])
        if self.names is not None:
            self.labeller.require(self.names, partial(InputError, source=self.blocks.source))
        return columns

    def _settle_separator(self, block: Block, lines: list[bytes], tokens: list[bool]) -> None:
        first = tokens.index(True)
        tabs = b"\t" in lines[first]
        if self.tabs is None:
            self.tabs = tabs
        elif self.tabs and not tabs and self.names is not None and len(self.names) > 1:
            message = f"expected {counted(len(self.names), 'column')}, got 1 (the file is read as tab-separated)"
            raise InputError(message, source=self.blocks.source, line=block.lines_before + first + 1)

    # Writing ------------------------------------------------------------------------------------------------------------

    def _with_labels(self, lines: list[bytes], tokens: list[bool], labels: list[list[str]]) -> list[bytes]:
        separator = "\t" if self.tabs else " "
        endings = {label: (separator + label).encode() for label in self.labeller.names}
        following = map(endings.__getitem__, chain.from_iterable(labels)).__next__
        return [line + following() if token else line for line, token in zip(lines, tokens, strict=True)]

    def _with_readings(self, lines: list[bytes], tokens: list[bool], readings: list[list[Reading]]) -> list[bytes]:
        labels = ((reading, place) for (reading,) in readings for place in range(len(reading.labels)))
        return [self._label(line, *next(labels)) if token else line for line, token in zip(lines, tokens, strict=True)]

    def _repeat(
        self, lines: list[bytes], ends: list[bytes], tokens: list[bool], readings: list[list[Reading]]
    ) -> Iterator[bytes]:
        """Yield the lines of every sentence once for each of its readings, after a comment with rank, score and probability."""
        at = 0
        for ranked in readings:
            while not tokens[at]:
                yield lines[at] + ends[at]
                at += 1
            first, count = at, 0
            while count < len(ranked[0].labels):
                count += tokens[at]
                at += 1
            for rank, reading in enumerate(ranked, 1):
                if rank > 1:
                    yield ends[first]
                yield f"# nbest = {rank} {reading.comment}".encode() + ends[first]
                labelled = self._with_readings(lines[first:at], tokens[first:at], [[reading]])
                yield from map(bytes.__add__, labelled, ends[first:at])
        yield from map(bytes.__add__, lines[at:], ends[at:])

    def _label(self, line: bytes, reading: Reading, place: int) -> bytes:
        """Return the line of a token with its label, and the probability before it if wanted."""
        separator = "\t" if self.tabs else " "
        probability = "" if reading.probabilities is None else f"{separator}{reading.probabilities[place]:.6f}"
        return line + f"{probability}{separator}{reading.labels[place]}".encode()


class ConlluTagger(ConllTagger):
    """Tags CoNLL-U, which always has ten columns.

    The label replaces the column of training (UPOS, XPOS, ...). Plain labels of other files go to UPOS, other labels to MISC as
    ``Label=B-PER``. Probabilities go to MISC as ``Probability=0.98``.
    """

    conllu = True

    def __init__(self, labeller: Labeller, blocks: Blocks, target: str | None) -> None:
        super().__init__(labeller, blocks, ",".join(CONLLU_COLUMNS))
        self.place = None if target is None else CONLLU_COLUMNS.index(target) + 1

    def _with_labels(self, lines: list[bytes], tokens: list[bool], labels: list[list[str]]) -> list[bytes]:
        return self._with_readings(lines, tokens, [[Reading(sentence)] for sentence in labels])

    def _label(self, line: bytes, reading: Reading, place: int) -> bytes:
        fields = line.split(b"\t")
        notes = [] if fields[-1] == b"_" else [fields[-1]]
        label = reading.labels[place].encode()
        if self.place is None:
            notes.append(b"Label=" + label)
        if reading.probabilities is not None:
            notes.append(f"Probability={reading.probabilities[place]:.6f}".encode())
        fields[-1] = b"|".join(notes) or b"_"
        if self.place is not None:
            fields[self.place] = label
        return b"\t".join(fields)


def _token_marks(text: bytes, lines: list[bytes], columns: _native.Columns, conllu: bool) -> list[bool]:
    """Return True for lines that are tokens: no blank lines, comments, -DOCSTART-, and in CoNLL-U no ranges and empty nodes.

    The reader counts the tokens before each comment. After that number of tokens, the next line is the comment.
    """
    blanks = text[:1] in (b" ", b"\t") or _BLANK_BEGINS.search(text)  # rare; such a line may be blank
    marks = list(map(bool, [line.strip(_BLANKS) for line in lines] if blanks else lines))
    marks[0] = bool(lines[0].removeprefix(BYTE_ORDER_MARK).strip(_BLANKS))
    if not conllu:
        number = at = 0
        for match in _DOCUMENT_MARK.finditer(text):
            number += text.count(b"\n", at, at := match.start())
            marks[number] &= not _is_document(lines[number])
    if sum(marks) == columns.token_count:
        return marks  # no comments
    starts = [0, *accumulate(map(columns.length, range(columns.sentence_count)))]
    asides = [starts[sentence] + position for sentence, position, _ in columns.asides]
    tokens = passed = 0
    for number, mark in enumerate(marks):
        if not mark:
            continue
        if passed < len(asides) and asides[passed] == tokens:
            passed += 1
            marks[number] = False
        else:  # comments after the last token belong to no sentence
            marks[number] = tokens < starts[-1]
            tokens += marks[number]
    return marks


def _is_document(line: bytes) -> bool:
    rest = line.removeprefix(BYTE_ORDER_MARK).lstrip(_BLANKS)
    return rest.startswith(_DOCUMENT) and rest[len(_DOCUMENT) : len(_DOCUMENT) + 1] in (b"", b" ", b"\t")


def _split(text: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the lines without their ends, and the carriage returns of each line, if any."""
    lines = text.split(b"\n")
    if b"\r" not in text:
        return lines, [b""] * len(lines)
    stripped = [line.rstrip(b"\r") for line in lines]
    return stripped, [line[len(rest) :] for line, rest in zip(lines, stripped, strict=True)]


def conllu_column(labeller: Labeller) -> str | None:
    """Return the CoNLL-U column of the labels: the one of training, or UPOS for plain labels of other files; else None."""
    learned_from = labeller.summary.get("label")
    if learned_from in CONLLU_COLUMNS:
        return str(learned_from)
    return "upos" if learned_from == LABEL and is_plain(dict.fromkeys(labeller.names, 1)) else None
