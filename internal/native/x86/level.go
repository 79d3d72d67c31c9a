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
	name    string
	host    host.Level
	shapes  [vec.V64 + 1]shape
	vectors int   // vector registers
	view    uint8 // of a whole one
	bitwise
	halves
	masking
	entries

	scatters    bool                             // it has instructions for scatters
	narrowBytes func(s *selector, d, x mach.Reg) // takes the low bytes of lanes of 16 bits
	// words moves lanes of 16 bits of 32 bytes to places anywhere in them.
	words func(s *selector, lanes []int, x mach.Reg) mach.Reg
}

// masking is what levels do differently since masks are other registers.
type masking struct {
	bits      func(s *selector, m vec.Reg) mach.Reg // one bit for each lane, in a new general register
	anyBranch func(s *selector, in *vec.Instr)      // jumps to the other side where no lane is set
	// groups gives masks of n lanes each for a gather or scatter, which clears them.
	groups func(s *selector, m vec.Reg, size, n int) []mach.Arg
}

// bitwise are operations on vector registers that do not look at lanes.
type bitwise struct{ and, or, xor, andNot amd64.Op }

// halves are operations on parts of a vector register.
type halves struct {
	extract, insert         amd64.Op // 128 bits
	extractHalf, insertHalf amd64.Op // 256 bits
}

var levels = map[host.Level]*level{host.LevelAVX2: avx2, host.LevelAVX512: avx512}

func init() { // the entries refer to the levels
	avx2.entries, avx512.entries = *entries2(), *entries512()
}

// features are the assembler's names of what levels require.
var features = []struct {
	host host.Features
	asm  amd64.Features
}{
	{host.AVX2, amd64.AVX | amd64.AVX2}, {host.FMA, amd64.FMA}, {host.F16C, amd64.F16C},
	{host.BMI1, amd64.BMI1}, {host.BMI2, amd64.BMI2},
	{host.LZCNT, amd64.FeatureLZCNT}, {host.POPCNT, amd64.FeaturePOPCNT},
	{host.AVX512F, amd64.AVX512F}, {host.AVX512BW, amd64.AVX512BW}, {host.AVX512DQ, amd64.AVX512DQ}, {host.AVX512VL, amd64.AVX512VL},
}

// allowed is what code of the level may use.
func (l *level) allowed() (out amd64.Features) {
	for _, f := range features {
		if l.host.Requires().Has(f.host) {
			out |= f.asm
		}
	}
	return out
}

// free gives the registers that values may take. RSP and RBP belong to Go, RDI has the frame, and K0 as a write mask means
// that there is none.
func (l *level) free() [mach.Files]mach.Set {
	ints := mach.Of(0, 16) &^ (1<<4 | 1<<5 | 1<<7)
	return [mach.Files]mach.Set{mach.Int: ints, mach.Vector: mach.Of(0, l.vectors), mach.Mask: mach.Of(1, 8)}
}

// slotOps says how values are kept in the frame.
func (l *level) slotOps() [mach.Files]slotOp {
	return [mach.Files]slotOp{
		mach.Int:    {int32(amd64.MOV), r64},
		mach.Vector: {int32(amd64.VMOVUPS), l.view},
		mach.Mask:   {int32(amd64.KMOVQ), kreg},
	}
}

type slotOp struct {
	move int32
	view uint8
}
