package ptx

import (
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// Unwritten is what a register of at most 64 bits has at the start of a kernel if the text reads it where nothing may have
// been written. It is no likely result, so that a kernel that relies on zeros shows.
const Unwritten = simt.Undefined

// initialise writes the registers that some path reads before it writes them, at the start of a kernel. A write under a
// guard does not count for package simt, so that such registers are often in order.
func initialise(f *simt.Func) {
	var first []simt.Instr
	for _, reg := range simt.Unwritten(f) {
		c := f.Regs[reg]
		bits := Unwritten & (uint64(1)<<c.Bits() - 1)
		if c == simt.Pred {
			bits = 0
		}
		first = append(first, simt.Instr{Op: "mov." + c.String(), Dst: []simt.Operand{simt.R(reg)}, Src: []simt.Operand{simt.B(bits)}, Guard: simt.NoReg})
	}
	f.Body = slices.Concat(first, f.Body)
}
