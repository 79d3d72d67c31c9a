package vecmath_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
)

// convert runs an emitter on lanes of one type, and gives lanes of another.
func convert[D, A any](to, from vec.Type, emit func(b *vec.Builder, x vec.Reg) vec.Reg, a []A) []D {
	b := vec.NewBuilder("convert")
	dst, src, n := b.Arg(0), b.Arg(1), b.Arg(2)
	i := b.For(b.Int(0), n, vec.Lanes)
	mask := b.Do(vec.MFirst, vec.NoType, b.Do(vec.SSub, vec.NoType, n, i))
	x := b.Load(from, vec.Mem{Base: src, Index: i, Scale: int8(from.Bytes())}, mask)
	b.Store(to, vec.Mem{Base: dst, Index: i, Scale: int8(to.Bytes())}, emit(b, x), mask)
	b.End()
	d := make([]D, len(a))
	vec.Eval(b.Finish(), []uint64{addr(d), addr(a), uint64(len(a))})
	runtime.KeepAlive(a)
	return d
}

// around gives every number of a format, the middles between neighbours, the float32 next to each of them, and numbers
// that are no float of the format.
func around(f *elem.Format) (xs []float32) {
	edges := []float64{0, 0x1p-149, 0x1p-126, 0x1p-20, 0x1p-133, 0x1p-134, math.MaxFloat32, math.Inf(1), math.NaN()}
	for code := range f.Largest() + 1 {
		x := f.Decode(code)
		next := f.Decode(min(code+1, f.Largest()))
		if code == f.Largest() { // where the next one would be
			next = 2*x - f.Decode(code-1)
		}
		edges = append(edges, x, (x+next)/2)
	}
	for _, e := range edges {
		x := math.Float32bits(float32(e))
		for _, bits := range []uint32{x, x - 1, x + 1} {
			xs = append(xs, math.Float32frombits(bits), math.Float32frombits(bits^1<<31))
		}
	}
	return xs
}

// smallModes are the directions in which numbers are rounded to a format, as the machine code and the codec name them.
func smallModes(f *elem.Format) map[vec.Rounding]elem.Rounding {
	if f.Man > 0 {
		return map[vec.Rounding]elem.Rounding{vec.Nearest: elem.Nearest}
	}
	return map[vec.Rounding]elem.Rounding{vec.Nearest: elem.Nearest, vec.Trunc: elem.Zero, vec.Floor: elem.Down, vec.Ceil: elem.Up, vecmath.Away: elem.Away}
}

// TestSmall compares the formats of at most eight bits with the codec, each code and each place where rounding changes.
func TestSmall(t *testing.T) {
	for _, name := range []string{"f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU", "fnv8E5M3FNU"} {
		f := elem.ByIR(name).Format
		codes := make([]uint8, max(2*f.Sign(), 1<<(f.Exp+f.Man)))
		for i := range codes {
			codes[i] = uint8(i)
		}
		from := func(b *vec.Builder, x vec.Reg) vec.Reg { return vecmath.FromSmall(b, f, x) }
		for code, x := range convert[float32](vec.F32, vec.I8, from, codes) {
			if want := float32(f.Decode(uint64(code))); math.Float32bits(x) != math.Float32bits(want) && (x == x || want == want) {
				t.Errorf("%s: the code %#x is %v, want %v", name, code, x, want)
			}
		}
		xs := around(f)
		for mode, direction := range smallModes(f) {
			to := func(b *vec.Builder, x vec.Reg) vec.Reg { return vecmath.ToSmall(b, f, mode, x) }
			for i, code := range convert[uint8](vec.I8, vec.F32, to, xs) {
				if want := uint8(f.Encode(float64(xs[i]), direction, true)); code != want {
					t.Errorf("%s: %v becomes in direction %d the code %#x, want %#x", name, xs[i], mode, code, want)
				}
			}
		}
	}
}

// TestWide compares bf16 and tf32 with the codec: each code, and each place where rounding changes.
func TestWide(t *testing.T) {
	bf16, tf32 := elem.ByIR("bf16").Format, elem.ByIR("tf32").Format
	codes := make([]uint16, 1<<16)
	for i := range codes {
		codes[i] = uint16(i)
	}
	for code, x := range convert[float32](vec.F32, vec.I16, vecmath.FromBF16, codes) {
		if math.Float32bits(x) != uint32(code)<<16 {
			t.Fatalf("bf16: the code %#x is %v", code, x)
		}
	}
	xs := around(bf16)
	for i, code := range convert[uint16](vec.I16, vec.F32, vecmath.ToBF16, xs) {
		x := float64(xs[i])
		if want := bf16.Encode(x, elem.Nearest, false); uint64(code) != want { // NaN too is the code of ones
			t.Fatalf("bf16: %v becomes the code %#x, want %#x", x, code, want)
		}
	}
	xs = xs[:0]
	for i, x := range around(tf32) { // a part of them
		if i%12 == i/12%12 || x != x {
			xs = append(xs, x)
		}
	}
	for i, y := range convert[float32](vec.F32, vec.F32, vecmath.ToTF32, xs) {
		x := float64(xs[i])
		want := float32(tf32.Decode(tf32.Encode(x, elem.Nearest, false)))
		if math.Float32bits(y) != math.Float32bits(want) && (x == x || y == y) || math.Float32bits(y)&(1<<13-1) != 0 {
			t.Fatalf("tf32: %v becomes %v, want %v", x, y, want)
		}
	}
}
