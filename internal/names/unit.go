package names

import (
	"math"
	"strconv"
)

// prefixes are those of units, by thousands from 10⁻⁹ on.
var prefixes = []string{"n", "µ", "m", "", "k", "M", "G", "T", "P", "E"}

const noPrefix = 3 // its place in the list

// ThreeDigits is a number with three significant digits, and no fewer than its integer has.
func ThreeDigits(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64) // 9.996 is 10.0
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), 64)
}

// Unit is a number with three digits and its unit, such as 12.3 GB/s. Seconds have no larger unit.
func Unit(x float64, of string) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return ThreeDigits(x) + " " + of
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	last := len(prefixes) - 1
	if of == "s" {
		last = noPrefix // nobody says kiloseconds
	}
	i := max(0, min(int(math.Floor(math.Log10(math.Abs(x))/3))+noPrefix, last))
	return ThreeDigits(x/math.Pow(1000, float64(i-noPrefix))) + " " + prefixes[i] + of
}
