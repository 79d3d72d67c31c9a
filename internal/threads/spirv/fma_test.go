package spirv_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// hard gives factors and an addend whose sum is hard to round: near the product, near its half, or where numbers are subnormal.
func hard(r *rand.Rand) (x, y, z float64) {
	e := r.IntN(2098) - 1074
	x, y = math.Ldexp(1+r.Float64(), e), math.Ldexp(1+r.Float64(), r.IntN(60)-30-e*r.IntN(2))
	if r.IntN(2) == 0 { // few bits: exact products and ties
		x, y = math.Ldexp(float64(r.IntN(1<<27)), e), math.Ldexp(float64(r.IntN(1<<27)), -r.IntN(80)-e*r.IntN(2))
	}
	switch p := x * y; r.IntN(5) {
	case 0:
		z = -p
	case 1:
		z = math.Nextafter(-p, 0)
	case 2:
		z = math.Ldexp(p, r.IntN(240)-120)
	case 3:
		z = math.Ldexp(1, r.IntN(2098)-1074)
	case 4:
		z = math.Ldexp(r.NormFloat64(), -1060-r.IntN(15))
	}
	if r.IntN(2) == 0 {
		z = -z
	}
	return x, y, z
}

// TestFused rounds many hard sums.
func TestFused(t *testing.T) {
	d := device(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []vec.Type{vec.F32, vec.F64} {
		b := ir.NewBuilder("k", threads, []vec.Type{vec.I64})
		n := b.Do(vec.Add, vec.I32, b.DoImm(vec.ShlImm, vec.I32, 6, b.Special(ir.BlockID, vec.I32, 0)), b.Special(ir.Thread, vec.I32, 0))
		at := b.Do(vec.Add, vec.I64, b.Param(0), b.Convert(vec.ZeroExtend, vec.I64, vec.I32, b.DoImm(vec.ShlImm, vec.I32, 5, n)))
		var x [3]ir.Value
		for i := range x {
			x[i] = b.Load(typ, 1, ir.Access{At: at, Disp: int64(8 * i)})[0]
		}
		b.Store(typ, ir.Access{At: at, Disp: 24}, b.Do(vec.FMulAdd, typ, x[:]...))
		r, data := rand.New(rand.NewPCG(1, 2)), make([]byte, stride*threads*1000)
		for k := range len(data) / stride {
			for i, f := range numbers(r, typ) {
				binary.LittleEndian.PutUint64(data[stride*k+8*i:], f)
			}
		}
		runner(d, s.(*vulkan.Stream), nil)(t, b, data)
		in, wrong := vec.Instr{Op: vec.FMulAdd, Type: typ}, 0
		for k := range len(data) / stride {
			var w [4]uint64
			for i := range w {
				w[i] = binary.LittleEndian.Uint64(data[stride*k+8*i:])
			}
			if want := in.Element(w[0], w[1], w[2]); w[3] != want && !(nan(typ, w[3]) && nan(typ, want)) {
				if wrong++; wrong < 10 {
					t.Errorf("%v: %#x * %#x + %#x is %#x, want %#x", typ, w[0], w[1], w[2], w[3], want)
				}
			}
		}
		t.Logf("%v: %d of %d wrong", typ, wrong, len(data)/stride)
	}
}

// numbers gives the bits of three operands of a type.
func numbers(r *rand.Rand, t vec.Type) (out [3]uint64) {
	x, y, z := hard(r)
	for i, f := range []float64{x, y, z} {
		if out[i] = math.Float64bits(f); t == vec.F32 {
			m, e := math.Frexp(f)
			out[i] = uint64(math.Float32bits(float32(math.Ldexp(m, e/8))))
		}
	}
	return out
}

// nan reports whether bits are NaN, of which the sign has no meaning.
func nan(t vec.Type, bits uint64) bool {
	if t == vec.F32 {
		return bits&0x7fffffff > 0x7f800000
	}
	return bits&(1<<63-1) > 0x7ff<<52
}
