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
		if len(f.Args) > 1 {
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
func eval[T any](f *vecmath.Function, a []float32, b []T) []float32 {
	d := make([]float32, len(a))
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
func compare[T any](t *testing.T, name string, a []float32, b []T, got, want []float32) {
	t.Helper()
	for i, x := range got {
		if y := want[i]; math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
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
	for i := range vecmath.Functions {
		f := &vecmath.Functions[i]
		d := make([]float32, n)
		switch name := f.Name; {
		case len(f.Args) == 1:
			mathloops.Unary[name](d, a)
			compare[float32](t, name, a, nil, d, eval[float32](f, a, nil))
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
}

// TestDigests compares the results with those that another machine gave.
func TestDigests(t *testing.T) {
	var xs, ys []float32 // made of integers alone
	for i := range uint32(50000) {
		xs = append(xs, math.Float32frombits(i*2654435761), float32(int32(i)-10000)/2048)
		ys = append(ys, math.Float32frombits(i*2246822519), float32(int32(i*40503)%30000)/2048)
	}
	for i := range vecmath.Functions {
		f := &vecmath.Functions[i]
		d := make([]float32, len(xs))
		switch {
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
		if got := fmt.Sprintf("%016x", h.Sum64()); got != digests[f.Name] {
			t.Errorf("%s: the digest is %s, not %s: if the function was changed, this is the new one", f.Name, got, digests[f.Name])
		}
	}
}
