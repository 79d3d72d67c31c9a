"""Cases of control flow (cf_) and of what is left (ms_)."""
import numpy as np
from casekit import Case, Scalar

CASES = {}


def case(fn):
    CASES[fn.__name__] = fn
    return fn


def cf_if(mode, s):
    return lambda g: Case((6,), g.normal('f32', 720), g.blank('f32', 720), Scalar('i32', mode), Scalar('f32', s))


CASES.update({'cf_if': cf_if(1, -1.7), 'cf_if.times': cf_if(0, 0.3), 'cf_if.plus': cf_if(1, 0.1),
              'cf_if.else': cf_if(-5, 2.0)})


def cf_for(low, high, step):
    return lambda g: Case((2,), g.coarse('f32', 96, 48, gap=4), g.blank('f32', 32, 16, gap=4),
                          Scalar('i32', low), Scalar('i32', high), Scalar('i32', step))


CASES.update({'cf_for': cf_for(1, 6, 2), 'cf_for.none': cf_for(3, 3, 1)})


@case
def cf_while(g):
    v = g.r.standard_normal(192) * 3
    v[64:128] = -np.abs(v[64:128])                       # not once
    v[130] = 1e30
    return Case((3,), g.array('f32', v), g.blank('f32', 176), g.blank('i32', 16))


def cf_break_continue(limit, stop):
    def make(g):
        v = g.r.integers(-9, 50, 32)
        v[stop] = 99
        return Case((3,), g.array('i32', v), g.blank('i32', 16), Scalar('i32', limit))
    return make


CASES.update({'cf_break_continue': cf_break_continue(30, 21), 'cf_break_continue.limit': cf_break_continue(11, 21)})


def cf_for_break(n, place):
    def make(g):
        v = g.r.integers(-9, 40, 32)
        v[place] = 42
        return Case((3,), g.array('i32', v), g.blank('i32', 16), Scalar('i32', n))
    return make


CASES.update({'cf_for_break': cf_for_break(20, 13), 'cf_for_break.none': cf_for_break(13, 13)})


@case
def cf_return(g):
    v = g.r.integers(-4, 6, 320)
    v[:64] = 1                                           # negative after a round
    v[64:128] = 5                                        # never
    v[128:192] = -1                                      # at once
    return Case((5,), g.array('f32', v), g.blank('f32', 304), Scalar('i32', 4))


@case
def cf_static(g):
    return Case((3,), g.normal('f32', 144), g.blank('f32', 144))


@case
def ms_print(g):
    v = np.array([1.5, -2.25, 0.1, 1e6] + [9.0] * 12)
    return Case((2,), g.array('f32', v), g.array('i32', [-7] + [9] * 15))


@case
def ms_assert(g):
    return Case((3,), g.uniform('f32', 0.001, 900000, 192), g.blank('f32', 176),
                near=(1e-6, 1e-7, 'the logarithm is an approximation of a few units in the last place'))


@case
def ms_assume(g):
    return Case((2,), g.normal('f32', 131), g.blank('f32', 112), Scalar('i32', 48))


@case
def ms_pdl(g):
    return Case((3,), g.normal('f32', 560), g.blank('f32', 560))


@case
def ms_hints(g):
    return Case((2, 2), g.coarse('f16', 144, 160, gap=8), g.blank('f16', 144, 160, gap=16))


@case
def ms_hints_target(g):
    return Case((1, 2), g.coarse('f16', 32, 160, gap=8), g.blank('f16', 32, 160, gap=16))


@case
def ms_grid(g):
    return Case((3, 2, 2), g.blank('i32', 16))


@case
def ms_calls(g):
    return Case((3,), g.normal('f32', 272, scale=2), g.blank('f32', 272),
                near=(1e-6, 1e-6, 'the hyperbolic tangent is an approximation of a few units in the last place'))
