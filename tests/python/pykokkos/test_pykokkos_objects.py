"""Classes of numbers: made in workunits, passed to them, attributes of functors."""

import pytest

import minx.pykokkos as pk

pytestmark = pytest.mark.usefixtures("space")


@pk.classtype
class Point:
    """A class of numbers."""

    def __init__(self, x: float, y: float):
        self.x: float = x
        self.y: float = y

    def norm(self) -> float:
        return self.x * self.x + self.y * self.y

    def scale(self, s: float) -> float:
        self.x *= s
        self.y = self.y * s
        return self.norm()

    def plus(self, other) -> float:
        return self.norm() + other.norm()


@pk.function
def from_outside(p: Point, q: Point) -> float:
    return p.norm() - q.x


def test_classtypes():
    @pk.workunit
    def f(i: int, out: pk.View1D[pk.double], p: Point, n: int):
        q: Point = Point(i, 2.0)
        out[0] = q.norm() + p.norm() + p.x * n
        q.x += 1
        out[1] = q.scale(2.0)
        out[2] = q.plus(p) + p.plus(q)
        out[3] = from_outside(p, q) + from_outside(q, p)
        out[4] = Point(3.0, 4.0).norm()

    out, p = pk.View([5]), Point(5.0, 0.5)
    for p.x in (5.0, 6.0):
        pk.parallel_for(pk.RangePolicy(3, 4), f, out=out, p=p, n=2)
        q = Point(3, 2.0)
        expected = [q.norm() + p.norm() + p.x * 2]
        q.x += 1
        expected += [q.scale(2.0)]
        expected += [q.plus(p) + p.plus(q), from_outside(p, q) + from_outside(q, p), 25]
        assert list(out.data) == expected


def test_objects_of_functors():
    @pk.classtype
    class Box:
        def __init__(self, low: float, high: float):
            self.low: float = low
            self.high: float = high

        def width(self) -> float:
            return self.high - self.low

    @pk.functor
    class Functor:
        def __init__(self):
            self.box: Box = Box(1.0, 4.0)
            self.a: pk.View1D[pk.double] = pk.View([4])
            self.scale: float = 2.0

        @pk.function
        def twice(self, i: int) -> float:
            return self.scale * self.box.width() * i

        @pk.workunit
        def run(self, i: int):
            self.a[i] = self.twice(i) + self.box.low

        @pk.workunit
        def total(self, i: int, acc: pk.Acc[float]):
            acc += self.a[i] * self.box.high

    f = Functor()
    pk.parallel_for(4, f.run)
    assert list(f.a.data) == [1, 7, 13, 19] and pk.parallel_reduce(4, f.total) == 160
    f.box.high = 2.0
    pk.parallel_for(4, f.run)
    assert list(f.a.data) == [1, 3, 5, 7]
