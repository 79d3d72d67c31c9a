package emit

import "go/token"

// Unknown reports that a value must be known when the kernel is compiled, and tells what to do
// instead. If the value depends on a loop over constants, the loop is unrolled, and the mistake is
// dropped.
func (em *Emitter) Unknown(pos token.Pos, what, instead string) {
	// An unrolled loop may know the value.
	em.Wanted = true
	em.Fail(pos, "%s must be known when the kernel is compiled%s%s", what, ButDevice, instead)
}

// These tell what to do if something is not known when the kernel is compiled.
const (
	OfIndex  = "range over the list, which unrolls the loop, and compare each index with this one, or keep the elements in a tensor"
	OfNumber = "make it a constant, or the counter of a loop over constants, which is then unrolled"
	OfTest   = "use tile.Assert for what only the device knows"
)

// ButDevice begins the part of such a message that tells what to do.
const ButDevice = ", but only the device knows this: "
