"""Three rules of the course in a form that writes into an array of the loop, because returning a new array takes as long as a step.

Students write pure rules, which stay as they are. The loop replaces a rule only by the in-place form of a pure rule of this
module with the same code: `in_place_form` compares what Python has loaded, not a name, a file or a function object. An edited,
decorated or redefined rule has other code, and runs itself. Both forms give identical bits, also for ties, infinities and NaN.
"""

import builtins
import functools
from types import FunctionType
from typing import Any

import numpy as np
from numba import carray

from lxmls_day1.engine.kernels.intrinsics import IN_PLACE_SIGNATURE
from lxmls_day1.engine.kernels.machine_code import cached_jit

_inlined = cached_jit(forceinline=True, _nrt=False)

# The pure rules, to be compared with. Their docstrings only hold a place: `_meaning` skips the first constant, which is the docstring.


def perceptron_rule(scores, label, sq_norm, step, cost):
    """."""
    d = np.zeros(len(scores))
    predicted = np.argmax(scores)
    if predicted != label:
        d[label] = step
        d[predicted] = -step
    return d


def svm_rule(scores, label, sq_norm, step, cost):
    """."""
    d = scores + cost
    augmented = np.argmax(d)
    d[:] = 0.0
    if augmented != label:
        d[label] = step
        d[augmented] = -step
    return d


def max_ent_rule(scores, label, sq_norm, step, cost):
    """."""
    d = np.exp(scores - scores.max())
    d *= -step / d.sum()
    d[label] += step
    return d


# Loops in place of np.argmax and sum save a quarter of a second of compilation; they give the same bits.


@_inlined
def _argmax(numbers):
    """Return np.argmax(numbers): the first NaN, or else the first of the largest numbers."""
    largest = 0
    for k in range(len(numbers)):
        if np.isnan(numbers[k]):
            return k
        if numbers[k] > numbers[largest]:
            largest = k
    return largest


@_inlined
def _exchange(scores, label, step, d):
    """Write step · (e_y − e_r) into ``d``, r = np.argmax(scores), and return True; return False if r is the label.

    ``d`` may be the array of the scores. The loop has no branches, which a processor would often predict wrongly.
    """
    truth, ahead = scores[label], False
    for k in range(len(scores)):
        ahead |= (not scores[k] <= truth) | ((scores[k] == truth) & (k < label))  # True for NaN
    rival = _argmax(scores) if ahead else label
    if rival == label:
        return False
    for k in range(len(d)):
        d[k] = 0.0
    d[label], d[rival] = step, -step
    return True


# Two classes need no loops, which would take a quarter of a step on few features.


@_inlined
def _exchange_two(truth, other, label, step, d):
    """Do what `_exchange` does, for the scores of the true and the other class; return True if the other one wins."""
    if not truth < other:
        truth_is_nan, first = np.isnan(truth), label == 0  # In a tie the first class wins, and the first NaN above all.
        if other < truth or (first and truth == other) or (truth_is_nan and (first or not np.isnan(other))):
            return False
    d[label] = step
    d[1 - label] = -step
    return True


def _perceptron_in_place(n_classes, scores, label, sq_norm, step, cost, d):
    if n_classes == 2:
        return _exchange_two(scores[label], scores[1 - label], label, step, d)
    return _exchange(carray(scores, n_classes), label, step, carray(d, n_classes))


def _svm_in_place(n_classes, scores, label, sq_norm, step, cost, d):
    if n_classes == 2:
        other = 1 - label
        return _exchange_two(scores[label] + cost[label], scores[other] + cost[other], label, step, d)
    augmented = carray(d, n_classes)
    for k in range(n_classes):
        augmented[k] = scores[k] + cost[k]
    return _exchange(augmented, label, step, augmented)


def _max_ent_in_place(n_classes, scores, label, sq_norm, step, cost, d):
    if n_classes == 2:
        high = 0 if scores[0] >= scores[1] else 1
        top, low = scores[high], scores[1 - high]
        if low <= top and abs(top) < np.inf:
            ratio = np.exp(low - top)
            factor = -step / (1.0 + ratio)
            d[high] = factor
            d[1 - high] = ratio * factor
            d[label] += step
            return True
    numbers, out = carray(scores, n_classes), carray(d, n_classes)
    top, total = numbers[_argmax(numbers)], 0.0
    for k in range(n_classes):
        out[k] = np.exp(scores[k] - top)
        total += out[k]
    factor = -step / total
    for k in range(n_classes):
        out[k] *= factor
    out[label] += step
    return True


_FORMS = {perceptron_rule: _perceptron_in_place, svm_rule: _svm_in_place, max_ent_rule: _max_ent_in_place}


def in_place_form(rule: Any) -> Any:
    """Return the compiled in-place form of a rule that has the code of a pure rule of this module, or None."""
    if type(rule) is FunctionType and not (rule.__closure__ or getattr(rule, "second_order", False)):
        for pure, form in _FORMS.items():
            if _meaning(rule) == _meaning(pure):
                return _compiled(form)
    return None


def _meaning(rule: FunctionType) -> Any:
    """Return what a function with a docstring computes with: its code, and the global values of its names."""
    code, names = rule.__code__, rule.__globals__
    values = [id(names.get(name, getattr(builtins, name, None))) for name in code.co_names]
    constants = repr(code.co_consts[1:])  # without the docstring; repr, because 0 == 0.0
    return code.co_code, code.co_argcount, code.co_varnames, code.co_names, constants, values, rule.__defaults__


@functools.cache
def _compiled(form: FunctionType) -> Any:
    return cached_jit(IN_PLACE_SIGNATURE, no_cpython_wrapper=True)(form)
