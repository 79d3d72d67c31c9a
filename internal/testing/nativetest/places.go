package nativetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// places runs every instruction with any choice of its registers: the result new or in the place of an operand, operands that
// are the same, and operands that are needed afterwards or not. Short tests leave conditions and immediates out.
func places(t *testing.T, b Backend) {
	type kind struct {
		op       vec.Op
		to, from vec.Type
	}
	seen := map[kind]bool{}
	for op := range vec.Table {
		for _, in := range vectest.Instrs(vec.Op(op)) {
			k := kind{in.Op, in.Type, in.From}
			if testing.Short() && seen[k] || in.Op.HasMem() || in.SrcClasses()[0] == vec.None {
				continue
			}
			seen[k] = true
			f := placesCase(in)
			p, err := b.program(f)
			if err == errLacks {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			p.Free()
			b.compareCase(t, f)
		}
	}
}

// equals are the ways in which operands can be the same: each is an earlier one or itself.
var equals = [][3]int{{0, 1, 2}, {0, 0, 2}, {0, 1, 1}, {0, 1, 0}, {0, 0, 0}}

// placesCase has the instruction with each choice.
func placesCase(in vec.Instr) *vec.Func {
	b, from, out := newCase(fmt.Sprintf("%s.%s.%s", in.Op, in.Type, in.From))
	at := vec.Mem{Base: b.AddInt(out, -caseBytes/2)}
	for _, equal := range equals {
		if !canEqual(in, equal) {
			continue
		}
		for choice := range 2 * 4 {
			needed, place := choice&1 != 0, choice/2-1
			next := in
			next.Src = placesOperands(b, in, equal, from)
			if place >= 0 {
				if b.Class(next.Src[place]) != in.DstClass() {
					continue
				}
				next.Dst = next.Src[place]
			}
			at = storePlace(b, in, b.Emit(next), at)
			for _, r := range next.Src {
				if needed && r != 0 && r != next.Dst {
					at = storePlace(b, vec.Instr{}, r, at)
				}
			}
		}
	}
	return b.Finish()
}

func canEqual(in vec.Instr, equal [3]int) bool {
	c := in.SrcClasses()
	for i, k := range equal {
		if k != i && (c[i] == vec.None || c[i] != c[k] || in.Op == vec.FScale) {
			return false
		}
	}
	return true
}

// placesOperands loads operands that have a result in all lanes.
func placesOperands(b *vec.Builder, in vec.Instr, equal [3]int, from vec.Reg) (src [3]vec.Reg) {
	for i, c := range in.SrcClasses() {
		m := vec.Mem{Base: from, Disp: int32(tameAt + 128*i)}
		typ := in.Type
		if in.From != vec.NoType {
			typ = in.From
		}
		switch {
		case c == vec.None:
		case equal[i] != i:
			src[i] = src[equal[i]]
		case c == vec.Scalar:
			src[i] = b.Emit(vec.Instr{Op: vec.SLoad, Type: vec.I64, Mem: m.Plus(int(vec.I64) * 1024)})
		case c == vec.Mask:
			x := b.Load(vec.I32, m.Plus(int(vec.I32)*1024), 0)
			src[i] = b.Compare(vec.I32, vec.LT, x, b.Bits(vec.I32, 0))
		case i == 1 && in.Op == vec.FScale:
			src[i] = b.Do(vec.Iota, vec.I8+vec.Type(c-vec.V8))
		default:
			src[i] = b.Load(typ, m.Plus(int(typ)*1024), 0)
		}
	}
	return src
}

// storePlace stores a register, of which the instruction made it some lanes, and gives the place behind.
func storePlace(b *vec.Builder, in vec.Instr, r vec.Reg, at vec.Mem) vec.Mem {
	switch c := b.Class(r); c {
	case vec.Scalar:
		b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{r}, Mem: at})
	case vec.Mask:
		b.Store(vec.I32, at, b.Pick(vec.I32, r, b.Bits(vec.I32, 1), b.Bits(vec.I32, 0)), 0)
	default:
		t := vec.I8 + vec.Type(c-vec.V8)
		if in.Op == vec.Down {
			i := b.Do(vec.Iota, vec.I32)
			r = b.Pick(t, b.Compare(vec.I32, vec.LT, i, b.Bits(vec.I32, uint64(in.Imm))), r, b.Bits(t, 0))
		}
		b.Store(t, at, r, 0)
	}
	return at.Plus(128)
}

// tameAt is where the input of cases has lanes of each type that are integers or floats between 1 and 2, at 1024 bytes times
// the number of the type.
const tameAt = caseBytes / 4

func fillTame(r *rand.Rand, in []byte) {
	for t := vec.I8; t <= vec.F64; t++ {
		for at := 0; at < 1024; at += t.Bytes() {
			x := r.Uint64()
			switch t {
			case vec.F16:
				x = x&0x3ff | 0x3c00
			case vec.F32:
				x = uint64(math.Float32bits(1 + r.Float32()))
			case vec.F64:
				x = math.Float64bits(1 + r.Float64())
			}
			put(in[int(t)*1024+at:], t.Bytes(), x)
		}
	}
}
