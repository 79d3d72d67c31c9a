package vecmath_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
)

// breakpoints are numbers at which a function does something else, or has a difficult value.
var breakpoints = []float32{
	0, 0x1p-149, 0x1p-126, 0.5, 2. / 3, math.Sqrt2 / 2, 1, 4. / 3, math.Sqrt2, 2, 9.01, 10, math.Ln2 / 2, 3 * math.Ln2 / 2, math.Pi / 4,
	math.Pi / 2, math.Pi, 3 * math.Pi / 4, 11 * math.Pi / 2, 1 << 23, 1 << 24, 1 << 30, 0x1p53, 0x1p79, 0x1p105, 88.72284, 89.41598, 89.6,
	90, 100, 103.2789, 103.97208, 110, 87.33655, 126, 127, 128, 140, 149, 150, 151, 160, math.MaxFloat32, float32(math.Inf(1)),
	// Near multiples of a quarter of a turn: the nearest of each way to reduce angles.
	0x1.f9cbe2p+7, 0x1.4665d2p+25, 0x1.2d97c8p+2, 0x1.47d0fep+34, 0x1.47d0fep+35, 0x1.13093p+76, 0x1.0f79ap+57, 0x1.f37c8ap+95, 0x1.32ede2p+85, 0x1.b08c4ap+111, 0x1.7b9b4p+126,
}

// sample gives arguments: the neighbourhood of each breakpoint, some of every exponent, and usual ones, with both signs.
func sample(r *rand.Rand) (xs []float32) {
	for _, x := range breakpoints {
		for d := range 129 {
			xs = append(xs, math.Float32frombits(math.Float32bits(x)+uint32(d-64)))
		}
	}
	for exp := range uint32(256) {
		for _, man := range []uint32{0, 1, 2, 3, 1<<22 - 1, 1 << 22, 1<<22 + 1, 1<<23 - 2, 1<<23 - 1} {
			xs = append(xs, math.Float32frombits(exp<<23|man))
		}
		for range 100 {
			xs = append(xs, math.Float32frombits(exp<<23|r.Uint32()>>9))
		}
	}
	for range 30000 {
		xs = append(xs, float32(r.NormFloat64()), float32(r.NormFloat64()*30))
	}
	for _, x := range xs[:len(xs):len(xs)] {
		xs = append(xs, -x)
	}
	return xs
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(13, 5)) }

// TestUnary compares a sample of results with float64.
func TestUnary(t *testing.T) {
	xs := sample(seeded())
	for i := range vecmath.Functions {
		f := &vecmath.Functions[i]
		if len(f.Args) > 1 || f.Type() != vec.F32 {
			continue
		}
		if references[f.Name] == nil {
			t.Errorf("%s has no reference", f.Name)
			continue
		}
		d, w := make([]float32, len(xs)), worst{}
		mathloops.Unary[f.Name](d, xs)
		w.see(f.Name, d, xs)
		w.check(t, f)
	}
}

// addr is the address of a slice's first element as a word of a frame.
func addr[T any](s []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }

// eval runs a function of package vec.
func eval[D float32 | float64, T any](f *vecmath.Function, a []D, b []T) []D {
	d := make([]D, len(a))
	frame := []uint64{addr(d), addr(a), addr(b), uint64(len(a))}
	if len(f.Args) == 1 {
		frame = []uint64{addr(d), addr(a), uint64(len(a))}
	}
	vec.Eval(f.Loop(), frame)
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
	return d
}

// compare reports the first difference between two lists of results; all NaN are one.
func compare[D float32 | float64, T any](t *testing.T, name string, a []D, b []T, got, want []D) {
	t.Helper()
	for i, x := range got {
		if y := want[i]; (x != y || math.Signbit(float64(x)) != math.Signbit(float64(y))) && (x == x || y == y) {
			second := any("")
			if b != nil {
				second = b[i]
			}
			t.Errorf("%s(%v %v): Go gives %v, the instructions %v", name, a[i], second, x, y)
			return
		}
	}
}

// TestLoops compares the loops in Go with the instructions that they are generated from, bit for bit.
func TestLoops(t *testing.T) {
	r := seeded()
	all := sample(r)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	n := 3001
	a, b := all[:n], all[n:2*n]
	copy(a, edges)
	i32, i64 := make([]int32, n), make([]int64, n)
	for i := range i32 {
		i32[i] = int32(r.Uint32()) >> r.IntN(32)
		i64[i] = int64(r.Uint64()) >> r.IntN(64)
	}
	a64, b64 := pairs64()
	for i := range vecmath.Functions {
		f := &vecmath.Functions[i]
		d, d64 := make([]float32, n), make([]float64, len(a64))
		switch name := f.Name; {
		case f.Type() == vec.F64 && len(f.Args) == 1:
			mathloops.Unary64[name](d64, a64)
			compare[float64, float64](t, name, a64, nil, d64, eval[float64, float64](f, a64, nil))
		case f.Type() == vec.F64:
			mathloops.Binary64[name](d64, a64, b64)
			compare(t, name, a64, b64, d64, eval(f, a64, b64))
		case len(f.Args) == 1:
			mathloops.Unary[name](d, a)
			compare[float32, float32](t, name, a, nil, d, eval[float32, float32](f, a, nil))
		case f.Args[1] == vec.F32:
			mathloops.Binary[name](d, a, b)
			compare(t, name, a, b, d, eval(f, a, b))
		case f.Args[1] == vec.I32:
			mathloops.PowI32(d, a, i32)
			compare(t, name, a, i32, d, eval(f, a, i32))
		default:
			mathloops.PowI64(d, a, i64)
			compare(t, name, a, i64, d, eval(f, a, i64))
		}
	}
}

// digests are of results: they are the same on every machine.
var digests = map[string]string{
	"Exp":   "231cc7fd6372de37",
	"Exp2":  "3832203f3dece19a",
	"Log":   "1a804bcbeabb70ec",
	"Log2":  "d262a0f1c8d94edf",
	"Sin":   "f79322a531389e60",
	"Cos":   "ec4cac29a7322461",
	"Tan":   "cce01758bc823320",
	"Sinh":  "3a74c39ea4a7cddd",
	"Cosh":  "0c18769e5e047dab",
	"Tanh":  "dd3636e55b22dd6c",
	"Rsqrt": "02e27191184a820a",
	"Sqrt":  "cdbf9b0cc881cdd2",
	"Atan2": "c873d83475c8b88a",
	"RemF":  "f00fb73eed14ef9b",
	"PowF":  "9d1a038367e62cb5",

	"Exp64":     "2182b4c920b7c105",
	"Exp2Of64":  "8caf7f18b58e1847",
	"Log64":     "d57514927fa4620d",
	"Log2Of64":  "3ae4c620d6813dd6",
	"Sin64":     "d2d4d7fc0c57674f",
	"Cos64":     "763f317ad22ad03c",
	"Tan64":     "ef2dc0262b034977",
	"Sinh64":    "a0e9e4f69076ee63",
	"Cosh64":    "f7d1cedb0e5eb093",
	"Tanh64":    "d8cc3b8e1d539107",
	"Rsqrt64":   "628327fb6a3f5dbc",
	"RemF64":    "dbaf0afcefae8272",
	"Atan2Of64": "da3f5ddf34ad59bd",
	"PowF64":    "af4714e958c04632",
}

// TestDigests compares the results with those that another machine gave.
func TestDigests(t *testing.T) {
	var xs, ys []float32 // made of integers alone
	for i := range uint32(50000) {
		xs = append(xs, math.Float32frombits(i*2654435761), float32(int32(i)-10000)/2048)
		ys = append(ys, math.Float32frombits(i*2246822519), float32(int32(i*40503)%30000)/2048)
	}
	xs64, ys64 := widened(xs), widened(ys)
	for i := range vecmath.Functions {
		f := &vecmath.Functions[i]
		d, d64 := make([]float32, len(xs)), make([]float64, 0, len(xs))
		switch {
		case f.Type() == vec.F64:
			d64 = d64[:len(xs)]
			if len(f.Args) == 1 {
				mathloops.Unary64[f.Name](d64, xs64)
			} else {
				mathloops.Binary64[f.Name](d64, xs64, ys64)
			}
			d = nil
		case len(f.Args) == 1:
			mathloops.Unary[f.Name](d, xs)
		case f.Args[1] == vec.F32:
			mathloops.Binary[f.Name](d, xs, ys)
		default:
			continue // powers are those of PowF
		}
		h := fnv.New64a()
		for _, x := range d {
			if x != x {
				x = float32(math.NaN())
			}
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
		for _, x := range d64 {
			if x != x {
				x = math.NaN()
			}
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != digests[f.Name] {
			t.Errorf("%s: the digest is %s, not %s: if the function was changed, this is the new one", f.Name, got, digests[f.Name])
		}
	}
}

// widened gives float64 that differ from the float32 by a little.
func widened(xs []float32) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = float64(x) * (1 + 0x1p-40)
	}
	return out
}
