"""What an index adds to the value of a scan or reduction and must not: an error at its place, where it would be a wrong
result."""

import numpy as np
import pytest

import minx
from mistakes import Mistakes, check

RECORDS = np.zeros(4, [("x", "f8"), ("n", "i4")])
mistake = MISTAKES = Mistakes(np.zeros(4))
ON_STORE = ("what an index adds to t is read from a, which the body stores before: the body of a scan stores only after all is summed. "
            "Use a variable for what is stored and added")
ON_VALUE = "what an index adds to t depends on t: a scan first sums what all indices add, when t is not known. Launch a kernel of one index with a loop"
ON_SUM = "what an index adds to t depends on t: t is what some of the other indices have added. Launch a kernel of one index with a loop"
NO_JOIN = "t is the value of the launch, which has op='sum': a statement joins a share x to it by `t += x`"
scan, reduction = dict(launch=minx.parallel_scan), dict(launch=minx.parallel_reduce)


def put(array, i, v):
    array[i] = v


def get(array, i):
    return array[i]


@mistake(ON_STORE, "a[i]", **scan)
def share_by_a_variable(i, t, a):
    a[i] = 3
    v = a[i]  # here
    t += v


@mistake(ON_STORE, "row[i]", **scan)
def share_of_an_alias(i, t, a):
    row = a
    a[i] = 3
    t += row[i]  # here


@mistake(ON_STORE, "a[i]", **scan)
def share_of_the_pass_before(i, t, a):
    for k in range(2):
        t += a[i]  # here
        a[i] = k


@mistake(ON_STORE, "a[i]", **scan)
def share_by_a_branch(i, t, a):
    put(a, i, 5)
    if a[i] > 2:  # here
        t += 1


@mistake(ON_STORE, "a", **scan)
def share_of_a_function(i, t, a):
    minx.atomic_add(a, i, 1)
    t += get(a, i)  # here


@mistake(ON_STORE.replace("from a", "from r"), "r[i].n", RECORDS, **scan)
def share_of_a_record(i, t, r):
    one = r[i]
    one["n"] = 2
    t += r[i].n  # here


@mistake(ON_VALUE, "t", **scan)
def share_behind_a_return(i, t, a):
    if t > 5:  # here
        return
    t += a[i]


@mistake(ON_VALUE, "t", **scan)
def share_behind_a_break(i, t, a):
    for k in range(3):
        if t > 5:  # here
            break
        t += 1


@mistake(ON_VALUE, "k", **scan)
def share_of_a_choice(i, t, a):
    k = 2
    if t > 5:
        k = 1
    t += k  # here


@mistake(ON_VALUE, "t", **scan)
def share_of_a_loop(i, t, a):
    for k in range(int(t)):  # here
        t += 1


@mistake(NO_JOIN, "t = 2 * t + a[i]", **scan)
def no_join(i, t, a):
    t = 2 * t + a[i]  # here


@mistake(NO_JOIN, "t, v = t + 1, 2", **scan)
def in_a_tuple(i, t, a):
    t, v = t + 1, 2  # here


@mistake(NO_JOIN, "for t in range(3): a[i] = t", **scan)
def as_a_variable_of_a_loop(i, t, a):
    for t in range(3): a[i] = t  # here


@mistake(NO_JOIN, "t = a[i]", **reduction)
def no_sum(i, t, a):
    t = a[i]  # here


@mistake(ON_SUM, "t", **reduction)
def sum_of_itself(i, t, a):
    t += t  # here


@mistake(ON_SUM, "t", **reduction)
def sum_that_decides(i, t, a):
    if t < 10: t += a[i]  # here


@pytest.mark.parametrize("kernel,message,at,args,policy,launch", MISTAKES)
def test_mistake(kernel, message, at, args, policy, launch):
    check(kernel, message, at, args, policy, launch)
