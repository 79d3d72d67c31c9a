package goval

// instead says what to do without a built-in function of Go that no device has, in terms that fit every level.
var instead = map[string]string{
	"delete":  "there are no maps on a device; use an array, and a bool for each element that may be missing",
	"close":   "there are no channels on a device",
	"complex": noComplex,
	"real":    noComplex,
	"imag":    noComplex,
}

const noComplex = "there are no complex numbers on a device; keep the two parts in separate variables"

// Instead says what to do without a built-in function of Go that is not compiled: what holds at every level, then what a level
// has in its place. It is "" where nothing is said.
func Instead(name string, level map[string]string) string {
	general, own := instead[name], level[name]
	if general != "" && own != "" {
		return general + "; " + own
	}
	return general + own
}
