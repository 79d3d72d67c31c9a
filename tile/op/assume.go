package op

// AssumeDivBy promises that x is divisible by n: a pointer in bytes.
//
//cutile:op assume(x) {predicate: div_by(n)} bounds(x)
func AssumeDivBy[T any](x T, n int) T { panic(host) }

// AssumeAtLeast promises a lower bound.
//
//cutile:op assume(x) {predicate: bounded(lo)} min(lo)
func AssumeAtLeast[T any](x T, lo int) T { panic(host) }

// AssumeAtMost promises an upper bound.
//
//cutile:op assume(x) {predicate: bounded(_, hi)} bounds(x)
func AssumeAtMost[T any](x T, hi int) T { panic(host) }

// AssumeBetween promises a lower and an upper bound.
//
//cutile:op assume(x) {predicate: bounded(lo, hi)} min(lo)
func AssumeBetween[T any](x T, lo, hi int) T { panic(host) }

// AssumeDivEvery promises that the first of each run of every elements along an axis is divisible by n, and that the
// others count up from it.
//
//cutile:op assume(x) {predicate: div_by(n, every, axis)} bounds(x)
func AssumeDivEvery[T any](x T, n, every, axis int) T { panic(host) }

// AssumeSame promises that elements repeat in runs of these lengths, one an axis.
//
//cutile:op assume(x) {predicate: same_elements(runs)} bounds(x)
func AssumeSame[T any](x T, runs ...int) T { panic(host) }
