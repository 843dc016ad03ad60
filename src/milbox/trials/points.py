"""Points in order, as tuples and as arrays that grow: each is converted and encoded once."""

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from milbox.arrays import BoolArray, FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.symmetries import orbits

AT_ONCE = 4096
"""Rows that are made together: what is needed for a moment only does not grow with the number of points."""


class Points(Sequence[Point]):  # noqa: PLW1641 - unhashable, as a list is
    """An immutable sequence of points with their codes, their features, and a quick `in`.

    A sequence made by `extended` shares the store of the one it extends. A store only grows, and each
    sequence sees its own beginning of it: what was worked out for one is there for all.
    """

    __slots__ = ("_length", "_store")

    def __init__(self, points: Iterable[Point] = ()) -> None:
        """The points in the given order."""
        self._store = _Store(list(points))
        self._length = len(self._store.points)

    def extended(self, points: Iterable[Point]) -> "Points":
        """These points and then the given ones."""
        points = list(points)
        with self._store.lock:
            store = self._store
            ahead = store.points[self._length : self._length + len(points)]
            if ahead != points[: len(ahead)]:  # another sequence has gone on from here in another way
                store, ahead = store.beginning(self._length), []
            store.points.extend(points[len(ahead) :])
            return _beginning(store, self._length + len(points))

    def inserted(self, place: int, point: Point) -> "Points":
        """These points with one more at a place."""
        if place == self._length:
            return self.extended([point])
        rest = self[place:]
        with self._store.lock:
            return _beginning(self._store.beginning(place), place).extended([point, *rest])

    def codes(self, domain: Domain) -> IntArray:
        """The codes, one point a row; not to be written to."""
        with self._store.lock:
            return self._store.codes_of(domain, self._length)

    def features(self, domain: Domain) -> FloatArray:
        """The encoded points, one a row; not to be written to."""
        with self._store.lock:
            return self._store.features_of(domain, self._length)

    def inside(self, domain: Domain) -> IntArray:
        """The codes of those points that are in the domain; not to be written to."""
        with self._store.lock:
            codes, inside = (
                self._store.codes_of(domain, self._length),
                self._store.inside_of(domain, self._length),
            )
        return codes if inside.all() else codes[inside]

    def orbits(self, domain: Domain) -> "Points":
        """These points and their images under the domain's symmetries, each orbit together."""
        if not domain.symmetries:
            return self
        with self._store.lock:
            return self._store.orbits_of(domain, self._length)[0]

    def owners(self, domain: Domain) -> IntArray:
        """The place of the point that each of `orbits` is an image of."""
        if not domain.symmetries:
            return np.arange(self._length)
        with self._store.lock:
            _, sizes = self._store.orbits_of(domain, self._length)
        return np.repeat(np.arange(self._length), sizes)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Point: ...

    @overload
    def __getitem__(self, place: slice) -> list[Point]: ...

    def __getitem__(self, place: int | slice) -> Point | list[Point]:
        if isinstance(place, slice):
            return [self._store.points[i] for i in range(*place.indices(self._length))]
        return self._store.points[range(self._length)[place]]

    def __iter__(self) -> Iterator[Point]:
        return islice(self._store.points, self._length)

    def __contains__(self, point: object) -> bool:
        with self._store.lock:
            return self._store.first_place(point) < self._length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Points | list) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"Points({list(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Points, (list(self),)


def _beginning(store: "_Store", length: int) -> Points:
    """The first points of a store."""
    points = Points.__new__(Points)
    points._store, points._length = store, length
    return points


class _Store:
    """Points that are only ever appended to, and arrays of as many of them as were asked for."""

    def __init__(self, points: list[Point]) -> None:
        self.lock = threading.RLock()
        self.points = points
        self.places: dict[object, int] = {}
        self.placed = 0
        self.domain: Domain | None = None
        self.codes, self.features, self.inside = _Rows(), _Rows(), _Rows()
        self.sizes = _Rows()
        self.images: Points | None = None
        """The orbits of the points, one after the other; `sizes` has their lengths."""

    def beginning(self, length: int) -> "_Store":
        """A store of its own for the first points, with what is known of them."""
        store = _Store(self.points[:length])
        store.domain = self.domain
        store.codes, store.features = self.codes.copy(length), self.features.copy(length)
        store.inside = self.inside.copy(length)
        return store

    def first_place(self, point: object) -> int:
        """The place where the point stands first; the number of points where it does not."""
        for place in range(self.placed, len(self.points)):
            self.places.setdefault(self.points[place], place)
        self.placed = len(self.points)
        return self.places.get(point, len(self.points))

    def codes_of(self, domain: Domain, length: int) -> IntArray:
        if self.domain is not domain:
            self.domain, self.codes, self.features, self.inside = domain, _Rows(), _Rows(), _Rows()
            self.sizes, self.images = _Rows(), None
        return self.codes.first(length, lambda start, stop: domain.codes(self.points[start:stop]))

    def features_of(self, domain: Domain, length: int) -> FloatArray:
        codes = self.codes_of(domain, length)
        return self.features.first(length, lambda start, stop: domain.encode(codes[start:stop]))

    def inside_of(self, domain: Domain, length: int) -> BoolArray:
        codes = self.codes_of(domain, length)
        return self.inside.first(length, lambda start, stop: _inside(domain, codes[start:stop]))

    def orbits_of(self, domain: Domain, length: int) -> tuple[Points, IntArray]:
        codes = self.codes_of(domain, length)

        def sizes(start: int, stop: int) -> IntArray:
            found = orbits(domain, codes[start:stop])
            self.images = (self.images or Points()).extended(itertools.chain.from_iterable(found))
            return np.array([len(orbit) for orbit in found], dtype=np.int64)

        lengths = self.sizes.first(length, sizes)
        images = self.images or Points()
        return _beginning(images._store, int(lengths.sum())), lengths


def _inside(domain: Domain, codes: IntArray) -> BoolArray:
    """Which rows of codes are points of the domain."""
    coding = domain.coding
    inside: BoolArray = np.all((codes >= coding.low) & (codes <= coding.high), axis=1)
    inside[inside] = domain.feasible(codes[inside])
    return inside


class _Rows:
    """An array that grows by rows."""

    def __init__(self) -> None:
        self.buffer: npt.NDArray[Any] | None = None
        self.used = 0

    def first(self, length: int, made: Callable[[int, int], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """The first rows, read-only; `made(start, stop)` makes some of those that are missing."""
        while self.buffer is None or length > self.used:
            stop = min(length, self.used + AT_ONCE)
            rows = made(self.used, stop)
            if self.buffer is None or length > len(self.buffer):
                grown = np.empty((length + length // 8, *rows.shape[1:]), dtype=rows.dtype)
                if self.buffer is not None:
                    grown[: self.used] = self.buffer[: self.used]
                self.buffer = grown
            self.buffer[self.used : stop] = rows
            self.used = stop
        view = self.buffer[:length]
        view.flags.writeable = False
        return view

    def copy(self, length: int) -> "_Rows":
        """The first rows, to go on from."""
        rows = _Rows()
        if self.buffer is not None:
            rows.used = min(self.used, length)
            rows.buffer = self.buffer[: rows.used].copy()
        return rows
