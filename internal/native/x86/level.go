package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// shape says how registers of a class lie in the machine's.
type shape struct {
	file mach.File
	n    int   // of the machine's registers
	view uint8 // how they are seen
}

// level is a set of instructions.
type level struct {
	name      string
	shapes    map[vec.Class]shape
	vectors   int // vector registers
	table     map[key]row
	rules     map[vec.Op]rule
	anyBranch func(s *selector, in *vec.Instr)
}

// key names an instruction of package vec.
type key struct {
	op vec.Op
	t  vec.Type
}

// row is the instruction that does the same for each register of a vector.
type row struct {
	op   amd64.Op
	args int   // operands that are registers
	swap bool  // of two operands
	imm  bool  // the immediate of the instruction follows
	bits int64 // that are set in the immediate
}

var levels = map[host.Level]*level{host.LevelAVX512: avx512}

// free gives the registers that values may take. RSP and RBP belong to Go, RDI has the frame, and K0 as a write mask means
// that there is none.
func (l *level) free() [mach.Files]mach.Set {
	ints := mach.Of(0, 16) &^ (1<<4 | 1<<5 | 1<<7)
	return [mach.Files]mach.Set{mach.Int: ints, mach.Vector: mach.Of(0, l.vectors), mach.Mask: mach.Of(1, 8)}
}

// slotOps says how values are kept in the frame.
var slotOps = [mach.Files]struct {
	move int32
	view uint8
}{
	mach.Int:    {int32(amd64.MOV), r64},
	mach.Vector: {int32(amd64.VMOVUPS), zmm},
	mach.Mask:   {int32(amd64.KMOVQ), kreg},
}
