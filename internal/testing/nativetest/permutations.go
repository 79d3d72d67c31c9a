package nativetest

import (
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// permutations compares lanes that come from anywhere, from few places, and from inside of groups, in order or not: these are
// different instructions.
func permutations(t *testing.T, b Backend) {
	r := rand.New(rand.NewPCG(5, 17))
	for _, typ := range vec.Permute.Types() {
		for range rounds(100) {
			imm := permutation(r)
			if err := b.compareInstr(vec.Instr{Op: vec.Permute, Type: typ, Imm: imm}, uint64(imm)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// permutation moves blocks of lanes that stay together, inside of groups of lanes, each group in its own way or all alike.
func permutation(r *rand.Rand) int64 {
	block := 1 << r.IntN(4)
	group := block << r.IntN(5-log(block))
	var order [vec.Lanes]int
	for i := range order {
		order[i] = r.IntN(group/block) * block
	}
	alike, few := r.IntN(2) == 0, r.IntN(4) == 0
	return vec.Permutation(func(i int) int {
		at := i / block * block
		if alike {
			at %= group
		}
		if few {
			at = i / (vec.Lanes / 2)
		}
		return i/group*group + order[at] + i%block
	})
}

func log(n int) (bits int) {
	for ; n > 1; n /= 2 {
		bits++
	}
	return bits
}

// knownMasks chooses by masks that are always the same, with the result new and in the place of each operand.
func knownMasks(t *testing.T, b Backend) {
	for _, typ := range vec.Select.Types() {
		f, in, out := newCase("known masks")
		at := vec.Mem{Base: out}
		for _, bits := range vec.MBits.SomeImms(vec.NoType) {
			m := f.DoImm(vec.MBits, vec.NoType, bits)
			for place := range 3 {
				src := [3]vec.Reg{m, f.Load(typ, vec.Mem{Base: in}, 0), f.Load(typ, vec.Mem{Base: in, Disp: 128}, 0)}
				d := f.Emit(vec.Instr{Op: vec.Select, Type: typ, Dst: [3]vec.Reg{0, src[1], src[2]}[place], Src: src})
				for _, r := range []vec.Reg{d, src[1], src[2]} {
					f.Store(typ, at, r, 0)
					at = at.Plus(128)
				}
			}
		}
		b.compareCase(t, f.Finish())
	}
}
