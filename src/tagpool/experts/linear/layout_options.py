"""LayoutOptions: choices about the weights of a training, as a value that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass

from tagpool import _native


@dataclass(frozen=True)
class LayoutOptions:
    """Choices about the weights of a training, as a value that can be pickled."""

    labels: int
    all_cells: bool
    dense_from: int
    merge_twins: bool
    bundle: bool
    all_from: int = 0
    """Without ``all_cells``: occurrences from which on a feature has all cells."""

    def native(self) -> _native.Layout:
        """Return the options in native form."""
        layout = _native.Layout(
            all_cells=self.all_cells, dense_from=self.dense_from, merge_twins=self.merge_twins, bundle=self.bundle
        )
        if self.all_from:
            layout.set_all_from(self.all_from)
        return layout
