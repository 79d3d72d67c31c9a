package conformance

import "slices"

// Cases lists every case, in a fixed order.
func Cases() []Case {
	return slices.Concat(numbers(), integers(), floats(), folds(), maskFolds(), conversions(), shapes(), products(), wideProducts(), controls(), memories(), structures(), arguments(), outputs(),
		sequences(), pieces(), sharing(), arrangements(), smalls(), ranks(), persistents())
}
