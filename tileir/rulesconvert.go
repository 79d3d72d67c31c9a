package tileir

import "slices"

func checkBitcast(c *checker, o *Op) {
	if a, b := tileOf(o, "source").Elem, resultTile(o).Elem; a.Bits() != b.Bits() {
		c.fail("expected elements of equal width, but %v has %d bits and %v has %d", a, a.Bits(), b, b.Bits())
	}
}

func checkExtI(c *checker, o *Op) {
	if a, b := tileOf(o, "from").Elem, resultTile(o).Elem; a.Bits() >= b.Bits() {
		c.fail("result: expected a wider element than %v, but found %v", a, b)
	}
}

func checkTruncI(c *checker, o *Op) {
	if a, b := tileOf(o, "from").Elem, resultTile(o).Elem; a.Bits() <= b.Bits() {
		c.fail("result: expected a narrower element than %v, but found %v", a, b)
	}
}

// floatModes are the rounding modes of a conversion by the element that it gives, where that alone decides.
var floatModes = [numElems][]Int{
	F8E8M0FNU: {RoundingZero, RoundingPositiveInf}, F8E4M3FN: {RoundingNearestEven}, F8E5M2: {RoundingNearestEven},
	F4E2M1FN: {RoundingNearestEven}, FNV8E5M3FNU: {RoundingNearestEven},
}

func checkFToF(c *checker, o *Op) {
	from, to := tileOf(o, "from").Elem, resultTile(o).Elem
	if from == to {
		c.fail("result: expected another element than %v", from)
		return
	}
	allowed := floatModes[to]
	switch {
	case allowed != nil:
	case widens(from, to):
		allowed = append(slices.Clone(ieeeModes), RoundingNearestAway)
	case from == F64 && to == F32:
		allowed = ieeeModes
	case from == F32 && to == TF32:
		allowed = []Int{RoundingNearestEven, RoundingZero, RoundingNearestAway}
	default:
		allowed = []Int{RoundingNearestEven, RoundingZero}
	}
	if mode := Int(o.Int("rounding_mode")); !slices.Contains(allowed, mode) {
		c.modeError("rounding_mode", mode, allowed)
	}
}

// widens reports whether a type holds every value of another as a normal number, so that nothing is rounded.
func widens(from, to Elem) bool {
	a, b := from.format(), to.format()
	aLow, aHigh := a.Exponents()
	bLow, bHigh := b.Exponents()
	return a.Man <= b.Man && aLow >= bLow && aHigh <= bHigh
}

func checkIToF(c *checker, o *Op) {
	checkRounding(c, o)
	if e := resultTile(o).Elem; e == F8E8M0FNU {
		c.fail("result: integers do not convert to %v", e)
	}
}
