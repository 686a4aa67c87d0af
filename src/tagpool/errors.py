"""Errors of the package. All derive from :class:`TagpoolError`; the command line prints their message.

A message has the form ``where: what is wrong; what to do``.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing takes longer than everything that tagging imports
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])


class TagpoolError(Exception):
    """Base of all errors that the package raises."""


class InputError(TagpoolError, ValueError):
    """Bad input: an invalid file, argument or value.

    ``source`` is the name of a file or of other input, ``line`` the 1-based line in it. The text has one line, also if a name
    has line ends.

    >>> print(InputError("expected 4 columns, got 3", source="train.conll", line=412))
    train.conll:412: expected 4 columns, got 3
    """

    def __init__(self, message: str, *, source: str | Path | None = None, line: int | None = None) -> None:
        self.message = message
        self.source = None if source is None else str(source)
        self.line = line
        super().__init__(self._text())

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle all attributes: another process raises the same error."""
        return _restore, (type(self), self.args, self.__dict__)

    def _text(self) -> str:
        from tagpool.visible import one_line  # for errors only: a start-up file

        place = one_line(self.source or "")
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        message = one_line(self.message)
        return f"{place}: {message}" if place else message


def _restore(kind: type[InputError], arguments: tuple[object, ...], attributes: dict[str, object]) -> InputError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


def check_type(value: object, kinds: type | tuple[type, ...], expected: str, error: type[InputError] = InputError) -> None:
    """Raise an InputError unless a value has one of the types; ``expected`` describes it, with advice after a semicolon.

    >>> check_type(3, str, "a text; quote it")
    Traceback (most recent call last):
    ...
    tagpool.errors.InputError: expected a text, got int; quote it
    """
    if not isinstance(value, kinds):
        noun, semicolon, advice = expected.partition(";")
        raise error(f"expected {noun}, got {type(value).__name__}{semicolon}{advice}")


class SchemeError(InputError):
    """A label sequence that its tag scheme (IOB1, BIO2, BILOU, BIOES) does not allow."""


class TemplateError(InputError):
    """An invalid feature template; shows the line with a caret below the place.

    ``column`` is 0-based into ``text``.

    >>> print(TemplateError("expected an offset", text="word[x]", column=5))
    expected an offset
      word[x]
           ^
    """

    def __init__(
        self,
        message: str,
        *,
        text: str | None = None,
        column: int | None = None,
        source: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        self.text = text
        self.column = column
        super().__init__(message, source=source, line=line)

    def _text(self) -> str:
        head = super()._text()
        if self.text is None or self.column is None:
            return head
        from tagpool.visible import one_line

        # A tab, or a control character as visible text, would misplace the caret.
        text = "".join(letter if one_line(letter) == letter else "\ufffd" for letter in self.text.expandtabs(1))
        return f"{head}\n  {text}\n  {' ' * self.column}^"


class ResourceError(InputError):
    """A resource (lexicon, clusters, embeddings) that is missing or unreadable."""


class OutputError(TagpoolError, OSError):
    """A file that could not be written; no partial file is left."""


class ModelError(InputError):
    """A model file that is damaged, of another program, or newer than this version."""


class TrainingError(TagpoolError):
    """Training that failed: the objective or the weights are not finite."""


class NotFittedError(TagpoolError):
    """A method that needs ``fit`` was called before it."""


class OutOfMemoryError(TagpoolError, MemoryError):
    """Memory was not sufficient; the message says for what. Objects and files are unchanged."""


class MemoryFor:
    """Context manager and decorator that raises a MemoryError as OutOfMemoryError, which names the purpose of the memory.

    >>> with MemoryFor("sort the words"):
    ...     raise MemoryError
    Traceback (most recent call last):
    ...
    tagpool.errors.OutOfMemoryError: not enough memory to sort the words
    """

    __slots__ = ("purpose",)

    def __init__(self, purpose: str) -> None:
        self.purpose = purpose

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, MemoryError) and not isinstance(error, OutOfMemoryError):
            raise OutOfMemoryError(f"not enough memory to {self.purpose}") from None

    def __call__(self, function: Function) -> Function:
        """Return a function that runs in this context."""
        from functools import wraps

        @wraps(function)
        def run(*arguments: Any, **named: Any) -> Any:
            with self:
                return function(*arguments, **named)

        return run  # type: ignore[return-value]
