"""A results file as arrays, read by h5py when they are asked for: docs/results-file.md says what it has."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

AXES = ("z", "y", "x")


def _h5py():
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"results files are read by h5py, which this Python has not ({error}): `pip install h5py`, or on "
            "Debian the package python3-h5py"
        ) from None
    return h5py


def _plain(value):
    """A text or number of a scalar dataset or an attribute."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip("\0")
    if isinstance(value, np.ndarray) and value.shape == ():
        return _plain(value[()])
    return value.item() if isinstance(value, np.generic) else value


class Array:
    """A dataset: read when its values are asked for, then kept.

    name; units ("1": none); shape; dtype; dims, names of the dimensions; values, the NumPy array; coordinates,
    {dimension: values} of what is known about them. NumPy's functions take it as an array, and [...] reads a part of it
    without the rest.

    >>> solution = apps.minife(nx=4, threads=1).results.fields["solution"]
    >>> solution, solution.dims, float(np.max(solution))
    (solution 5x5x5 float64 [temperature], ('z', 'y', 'x'), 1.0)
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    units: str
    dims: tuple[str, ...]
    coordinates: dict[str, np.ndarray]

    def __init__(self, file: Path, path: str, dims: tuple[str, ...] | None = None, coordinates: dict[str, np.ndarray] | None = None,
                 owner: Any = None) -> None:
        with _h5py().File(file, "r") as opened:
            dataset = opened[path]
            self.shape, self.dtype = dataset.shape, dataset.dtype
            self.attributes = {name: _plain(value) for name, value in dataset.attrs.items()}
        self.file, self.path, self.name = file, path, path.rsplit("/", 1)[-1]
        self.units = self.attributes.get("units", "1")
        self.dims = tuple(f"dimension_{n}" for n in range(len(self.shape))) if dims is None else dims
        self.coordinates = coordinates or {}
        self._values, self._owner = None, owner  # the owner keeps a temporary folder

    @property
    def values(self) -> np.ndarray:
        if self._values is None:
            self._values = self[()]
        return self._values

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        values = self.values if dtype is None else self.values.astype(dtype, copy=False)
        return values.copy() if copy else values

    def __getitem__(self, index: Any) -> Any:
        if self._values is not None:
            return self._values[index]
        with _h5py().File(self.file, "r") as opened:
            return opened[self.path][index]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"{self.name} is a scalar")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __repr__(self) -> str:
        return f"{self.name} {'x'.join(map(str, self.shape)) or 'scalar'} {self.dtype}" + (
            f" [{self.units}]" if self.units != "1" else ""
        )

    def to_xarray(self) -> Any:
        """An xarray.DataArray with dimensions, coordinates and the attribute units."""
        xarray = _xarray()
        return xarray.DataArray(
            self.values,
            dims=self.dims,
            coords={d: v for d, v in self.coordinates.items() if d in self.dims},
            name=self.name,
            attrs={"units": self.units},
        )


def _xarray():
    try:
        import xarray
    except ImportError as error:
        raise ImportError(
            f"to_xarray needs xarray, which this Python has not ({error}): `pip install xarray`, or on Debian the "
            "package python3-xarray"
        ) from None
    return xarray


def mesh_of(attributes: dict, shape: tuple):
    """Dimensions and coordinates of a field on a mesh, slowest first. With `origin` and `spacing` its values are those
    of cells, which have coordinates at their centres; with `spacing` alone those of nodes, from 0 on."""
    dims = AXES[-len(shape) :]
    spacing, origin = attributes.get("spacing"), attributes.get("origin")
    if spacing is None:
        return dims, {}
    start = (
        [0.0] * len(shape)
        if origin is None
        else [o + s / 2 for o, s in zip(np.atleast_1d(origin), np.atleast_1d(spacing))]
    )
    return dims, {d: first + s * np.arange(n) for d, n, first, s in zip(dims, shape, start, np.atleast_1d(spacing))}


class Arrays(Mapping):
    """The datasets of a group by their names, opened when they are asked for: a dict that cannot be changed."""

    def __init__(self, file: Path, group: str, make):
        self._file, self._group, self._make, self._opened = file, group, make, {}
        with _h5py().File(file, "r") as opened:
            self._names = sorted(opened[group]) if group in opened else []

    def __getitem__(self, name: str) -> Any:
        if name not in self._opened:
            if name not in self._names:
                raise KeyError(
                    f"no {name} in /{self._group} of {self._file.name}: it has {', '.join(self._names) or 'nothing'}"
                )
            self._opened[name] = self._make(self._file, f"{self._group}/{name}")
        return self._opened[name]

    def __iter__(self):
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self.values())) + "}"


class Results:
    """A results file.

    fields     {name: Array}, at global shape, slowest dimension first ([z][y][x]); particles in the order of their ids
    series     {name: Array}, histories; those of as many entries as `time` and `step` have them as coordinates
    frames     {name: {"step", "time", "value": Array}}, arrays that were written again and again; of particles too
    meshes     {name: {"coordinates", "cells": Array}}
    input      {name: value} of every parameter, and the deck's text
    provenance {name: text or number}
    checks     {name: value, expected, tolerance, passed}
    path       of the file; open() gives it as an h5py.File

    >>> results = apps.minife(nx=4, threads=1).results
    >>> results.fields["solution"].shape, results.input["nx"], results.checks["residual"].passed
    ((5, 5, 5), 4, True)
    """

    attributes: dict[str, Any]
    fields: Mapping[str, Array]
    series: Mapping[str, Array]
    frames: Mapping[str, Mapping[str, Array]]
    meshes: Mapping[str, Mapping[str, Array]]

    def __init__(self, path: str | os.PathLike[str], keep: Any = None) -> None:
        self.path, self._keep = Path(path), keep  # keep: a temporary folder lives as long as what is read from it
        with _h5py().File(self.path, "r") as opened:
            self.attributes = {name: _plain(value) for name, value in opened.attrs.items()}
            self._particles = len(opened["fields/id"]) if "fields/id" in opened else None
        self.fields, self.series = Arrays(self.path, "fields", self._field), Arrays(self.path, "series", self._series)
        self.frames, self.meshes = self._frames(), Arrays(
            self.path, "meshes", lambda file, group: Arrays(file, group, self._array)
        )

    def open(self) -> Any:
        """The file as an h5py.File, for reading; the caller closes it."""
        return _h5py().File(self.path, "r")

    def _array(self, file, path, dims=None, coordinates=None):
        return Array(file, path, dims, coordinates, owner=self)

    def _places(self, attributes, shape):
        """Dimensions and coordinates of a field."""
        if self._particles is not None and shape[:1] == (self._particles,) and len(shape) < 3:
            with self.open() as opened:
                return ("particle", "axis")[: len(shape)], {"particle": opened["fields/id"][()]}
        if len(shape) == 3 or "spacing" in attributes:
            return mesh_of(attributes, shape)
        return None, None

    def _field(self, file, path):
        with self.open() as opened:
            attributes, shape = dict(opened[path].attrs), opened[path].shape
        return self._array(file, path, *self._places(attributes, shape))

    def _series(self, file, path):
        with self.open() as opened:
            group, shape = opened["series"], opened[path].shape
            names = [n for n in ("time", "step") if n in group and group[n].shape == shape]
            values = {n: group[n][()] for n in names}
        if len(shape) != 1:
            return self._array(file, path)
        return self._array(file, path, (names[0] if names else "entry",), values)

    def _frame(self, file, path):
        """The values of all frames: a dimension `time`, then those of the field of this name."""
        group, name = path.rsplit("/", 1)
        if name != "value":
            return self._array(file, path)
        with self.open() as opened:
            shape, times = opened[path].shape, opened[group + "/time"][()]
            field = opened.get("fields/" + group.rsplit("/", 1)[-1])
            attributes = dict(field.attrs) if field is not None and field.shape == shape[1:] else {}
        dims, coordinates = self._places(attributes, shape[1:])
        if dims is None:
            return self._array(file, path)
        return self._array(file, path, ("time", *dims), {"time": times, **coordinates})

    def _frames(self):
        with self.open() as opened:
            found = {name: f"frames/{name}" for name in opened.get("frames", {})}
            for group, members in opened.get("particles", {}).items():
                found |= {
                    name: f"particles/{group}/{name}"
                    for name, item in members.items()
                    if "value" in getattr(item, "keys", dict)()
                }
        return {name: Arrays(self.path, group, self._frame) for name, group in found.items()}

    def _values(self, group: str) -> dict:
        with self.open() as opened:
            return {name: _plain(item[()]) for name, item in opened.get(group, {}).items() if hasattr(item, "shape")}

    @property
    def input(self) -> dict[str, Any]:
        return self._values("input")

    @property
    def provenance(self) -> dict[str, Any]:
        return self._values("provenance")

    @property
    def checks(self) -> dict[str, SimpleNamespace]:
        with self.open() as opened:
            names = list(opened.get("verification", {}))
        checks = {name: self._values(f"verification/{name}") for name in names}
        return {name: SimpleNamespace(**{**check, "passed": bool(check["passed"])}) for name, check in checks.items()}

    def to_xarray(self) -> Any:
        """An xarray.Dataset of all fields and series, with coordinates and units. Dimensions without coordinates are
        named by their length, so that fields of different shapes fit beside each other; series that are coordinates are
        not repeated as data.
        """
        xarray = _xarray()
        data = {}
        for name, array in [*self.series.items(), *self.fields.items()]:
            made = array.to_xarray()
            if name in made.dims:
                continue
            made = made.drop_vars([c for c in made.coords if c not in made.dims])
            data[name] = made.rename({d: f"{d}_{n}" for d, n in zip(made.dims, made.shape) if d not in made.coords})
        return xarray.Dataset(data, attrs=self.attributes)

    def __repr__(self) -> str:
        fields, series = (", ".join(group) or "none" for group in (self.fields, self.series))
        return f"<results of {self.attributes.get('app', '?')}: fields {fields}; series {series}>"
