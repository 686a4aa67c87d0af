"""Counters of the server, in the text format of Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Sequence

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)


class Counter:
    """A number that only rises, one for each combination of the values of its labels; ``kind`` gauge may also fall.

    >>> counter = Counter("requests_total", "Requests.", ["status"])
    >>> counter.add(1, "200")
    >>> print("\\n".join(counter.lines()))
    # HELP requests_total Requests.
    # TYPE requests_total counter
    requests_total{status="200"} 1
    """

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = (), kind: str = "counter") -> None:
        self.name = name
        self.help = help_text
        self.labels = tuple(labels)
        self.kind = kind
        self._values: dict[tuple[str, ...], float] = {} if labels else {(): 0}
        self._lock = threading.Lock()

    def add(self, amount: float, *labels: str) -> None:
        """Add to the number with these labels."""
        with self._lock:
            self._values[labels] = self._values.get(labels, 0) + amount

    def set_to(self, amount: float, *labels: str) -> None:
        """Replace the number with these labels."""
        with self._lock:
            self._values[labels] = amount

    def lines(self) -> list[str]:
        """Return the lines of the text format."""
        with self._lock:
            values = list(self._values.items())
        return [
            *_head(self.name, self.help, self.kind),
            *(f"{self.name}{_label_text(self.labels, labels)} {_number(value)}" for labels, value in values),
        ]


class Histogram:
    """Numbers counted by size, with their sum, for each value of one label or without labels.

    >>> sizes = Histogram("batch_requests", "Requests of a batch.", (1, 2))
    >>> sizes.observe(2)
    >>> sizes.lines()[2:]
    ['batch_requests_bucket{le="1"} 0', 'batch_requests_bucket{le="2"} 1', 'batch_requests_bucket{le="+Inf"} 1', \
'batch_requests_sum 2', 'batch_requests_count 1']
    """

    def __init__(self, name: str, help_text: str, bounds: Sequence[float], labels: Sequence[str] = ()) -> None:
        self.name = name
        self.help = help_text
        self.bounds = tuple(bounds)
        self.labels = tuple(labels)
        self._counts: dict[tuple[str, ...], list[int]] = {}
        self._sums: dict[tuple[str, ...], float] = {}
        self._lock = threading.Lock()

    def observe(self, value: float, *labels: str) -> None:
        """Count a number."""
        with self._lock:
            counts = self._counts.get(labels)
            if counts is None:
                counts = self._counts[labels] = [0] * (len(self.bounds) + 1)
                self._sums[labels] = 0
            counts[bisect_left(self.bounds, value)] += 1
            self._sums[labels] += value

    def lines(self) -> list[str]:
        """Return the lines of the text format."""
        with self._lock:
            counts = {labels: list(row) for labels, row in self._counts.items()}
            sums = dict(self._sums)
        lines = _head(self.name, self.help, "histogram")
        for labels, row in counts.items():
            total = 0
            for bound, count in zip((*map(_number, self.bounds), "+Inf"), row, strict=True):
                total += count
                lines.append(f"{self.name}_bucket{_label_text((*self.labels, 'le'), (*labels, bound))} {total}")
            text = _label_text(self.labels, labels)
            lines += [f"{self.name}_sum{text} {_number(sums[labels])}", f"{self.name}_count{text} {total}"]
        return lines


class Metrics:
    """All counters of a server."""

    def __init__(self) -> None:
        self.requests = Counter("tagpool_requests_total", "Requests by route and status.", ["route", "status"])
        self.seconds = Histogram(
            "tagpool_request_seconds", "Time from the head of a request to its response.", SECONDS, ["route"]
        )
        self.active = Counter("tagpool_active_requests", "Requests that are processed now.", kind="gauge")
        self.refused = Counter("tagpool_refused_requests_total", "Requests beyond the limit of concurrent requests.")
        self.sentences = Counter("tagpool_sentences_total", "Tagged sentences by model.", ["model"])
        self.tokens = Counter("tagpool_tokens_total", "Tagged tokens by model.", ["model"])
        self.batches = Histogram("tagpool_batch_requests", "Requests that were tagged together.", SIZES)
        self.versions = Counter("tagpool_model_version", "Version of each model; a reload adds 1.", ["model"], "gauge")
        self.failures = Counter("tagpool_reload_failures_total", "Reloads that failed; the model stays as it was.", ["model"])

    def text(self) -> str:
        """Return all counters in the text format."""
        return "\n".join(line for metric in vars(self).values() for line in metric.lines()) + "\n"


def _head(name: str, help_text: str, kind: str) -> list[str]:
    return [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def _label_text(names: Sequence[str], values: Sequence[str]) -> str:
    if not names:
        return ""
    escaped = (value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for value in values)
    return "{" + ",".join(f'{name}="{value}"' for name, value in zip(names, escaped, strict=True)) + "}"
