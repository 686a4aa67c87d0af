"""Parameters: scikit-learn's conventions for what a constructor is given, without scikit-learn.

``__init__`` only stores its arguments under their own names; ``get_params``, ``set_params`` and ``repr`` follow from that.
"""

from __future__ import annotations

from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, TypeVar

    Self = TypeVar("Self", bound="Parameters")


class Parameters:
    """What experts and trainers inherit."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The constructor's arguments with their defaults; None for those without."""
        code = cls.__init__.__code__
        count = code.co_argcount
        names = code.co_varnames[1 : count + code.co_kwonlyargcount]
        positional = cls.__init__.__defaults__ or ()
        defaults = dict(zip(code.co_varnames[count - len(positional) : count], positional, strict=True))
        return dict.fromkeys(names) | defaults | (cls.__init__.__kwdefaults__ or {})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments; with ``deep`` also those of arguments that have some, as ``name__inner``.

        >>> from tagpool.optim.sgd import SGD
        >>> SGD(epochs=3).get_params()["epochs"]
        3
        """
        found = {name: getattr(self, name) for name in self._defaults()}
        if deep:
            for name, value in list(found.items()):
                if isinstance(value, Parameters):
                    found |= {f"{name}__{inner}": each for inner, each in value.get_params().items()}
        return found

    def set_params(self: Self, **parameters: Any) -> Self:
        """Sets arguments by name, ``name__inner`` for those of an argument.

        >>> from tagpool.optim.sgd import SGD
        >>> SGD().set_params(epochs=3)
        SGD(epochs=3)
        """
        for name, value in parameters.items():
            outer, _, inner = name.partition("__")
            if outer not in self._defaults():
                raise InputError(f"{type(self).__name__} has no parameter {outer!r}; it has {', '.join(self._defaults())}")
            if not inner:
                setattr(self, outer, value)
            elif isinstance(getattr(self, outer), Parameters):
                getattr(self, outer).set_params(**{inner: value})
            else:
                raise InputError(f"{outer}={getattr(self, outer)!r} has no parameters of its own, so {name!r} cannot be set")
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        shown = [f"{name}={value!r}" for name, value in self.get_params(deep=False).items() if value != defaults[name]]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags  # only scikit-learn calls this

        target = TargetTags(required=True, multi_output=True)
        return Tags(estimator_type=None, target_tags=target, input_tags=InputTags(two_d_array=False, string=True))
