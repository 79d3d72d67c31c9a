package op

// AssumeDivBy promises that x is divisible by n. For a pointer, n counts bytes.
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

// AssumeDivEvery promises that along an axis, the first element of each run of length every is divisible by n, and
// that the others count up from it.
//
//cutile:op assume(x) {predicate: div_by(n, every, axis)} bounds(x)
func AssumeDivEvery[T any](x T, n, every, axis int) T { panic(host) }

// AssumeSame promises that elements are equal within runs of these lengths, one length for each axis.
//
//cutile:op assume(x) {predicate: same_elements(runs)} bounds(x)
func AssumeSame[T any](x T, runs ...int) T { panic(host) }
