package arm64

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// run computes what a sequence of moves of constants leaves in register 3, by its machine code.
func run(t *testing.T, code []byte) uint64 {
	t.Helper()
	v := uint64(0xdeadbeefdeadbeef)
	for ; len(code) > 0; code = code[4:] {
		in := binary.LittleEndian.Uint32(code)
		wide, shift := in>>31 != 0, in>>21&3*16
		field := uint64(in>>5&0xffff) << shift
		switch in >> 23 & 0x3f {
		case 0x25: // MOVZ, MOVN, MOVK
			switch in >> 29 & 3 {
			case 0:
				v = ^field
			case 2:
				v = field
			case 3:
				v = v&^(0xffff<<shift) | field
			}
		case 0x24: // ORR with a constant
			v, _ = decodeBitmask(in >> 10 & 0x1fff)
		}
		if !wide {
			v &= math.MaxUint32
		}
		if in&numMask != 3 {
			t.Fatalf("%#x writes register %d", in, in&numMask)
		}
	}
	return v
}

// shortest gives the smallest number of instructions: one that sets all bits, of 64 or of 32 bits, and a MOVK for each half
// that differs.
func shortest(v uint64, masks map[uint64]bool) int {
	best := 4
	try := func(start uint64) { best = min(best, 1+differing(start^v)) }
	for mask := range masks {
		try(mask)
		if mask>>32 == mask&math.MaxUint32 { // a pattern of W
			try(mask & math.MaxUint32)
		}
	}
	for i := range 4 {
		try(uint64(half(v, i)) << (16 * i))
		try(^(uint64(half(^v, i)) << (16 * i)))
		try(^(uint64(half(^v, i)) << (16 * i)) & math.MaxUint32)
	}
	return best
}

func TestMovImm64(t *testing.T) {
	masks := everyBitmask()
	random := rand.New(rand.NewPCG(4, 4))
	var a Assembler
	for i, v := range moveCases(random) {
		a.Reset()
		a.MovImm64(Register(3, ViewX), v)
		code, err := a.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, code); got != v {
			t.Fatalf("%#x: the code gives %#x", v, got)
		}
		if i%89 == 0 { // the plain search is slow
			if n := shortest(v, masks); len(code)/4 != n {
				t.Errorf("%#x: %d instructions instead of %d", v, len(code)/4, n)
			}
		}
	}
}

func TestMovImm32(t *testing.T) {
	var a Assembler
	for _, v := range moveCases(rand.New(rand.NewPCG(5, 5))) {
		a.Reset()
		a.MovImm64(Register(3, ViewW), v)
		code, err := a.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, code); got != v&math.MaxUint32 || len(code) > 8 {
			t.Fatalf("%#x: %d instructions give %#x", v, len(code)/4, got)
		}
	}
}

// moveCases gives constants whose halves are alike in every way, and constants that are nearly rows of ones.
func moveCases(random *rand.Rand) []uint64 {
	halves := []uint64{0, 0xffff, 1, 0x8000, 0x5555, 0xff00, 0x1234, 0xabcd}
	var cases []uint64
	for i := range 1 << 12 {
		v := uint64(0)
		for j := range 4 {
			v = v<<16 | halves[i>>(3*j)&7]
		}
		row := bits.RotateLeft64(repeat(1<<(1+random.IntN(63))-1, pick(random, 16, 32, 64)), random.IntN(64))
		cases = append(cases, v, v^1<<random.IntN(64), random.Uint64()>>random.IntN(64), row, row^1<<random.IntN(64),
			row^1<<random.IntN(64)^1<<random.IntN(64), row&math.MaxUint32)
	}
	return cases
}
