package nativetest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
)

// functions runs the loops of package vecmath: what kernels consist of, with more values than registers and a tail.
func functions(t *testing.T, b Backend) {
	for i := range vecmath.Functions {
		b.compareFunction(t, &vecmath.Functions[i])
	}
}

func (b Backend) compareFunction(t *testing.T, fn *vecmath.Function) {
	f := fn.Loop()
	p, err := b.program(f)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	r := rand.New(rand.NewPCG(3, 4))
	typ := fn.Type()
	size := typ.Bytes()
	for range rounds(10) {
		n := 1 + r.IntN(70)
		frame := []uint64{0}
		var args [][]byte
		for range fn.Args {
			arg := buffer(8 * n)
			for j := range n {
				put(arg[size*j:], size, numbers(r, size))
			}
			args = append(args, arg)
			frame = append(frame, addr(arg))
		}
		frame = append(frame, uint64(n))
		want, got := buffer(size*n), buffer(size*n)
		frame[0] = addr(want)
		vec.Eval(f, frame)
		frame[0] = addr(got)
		p.call(frame)
		runtime.KeepAlive(args)
		for j := range n {
			w, g := want[size*j:][:size], got[size*j:][:size]
			if string(w) != string(g) && !(nan(w, typ) && nan(g, typ)) {
				t.Fatalf("%s, %s: element %d of %d is %x, want %x", b.Level, fn.Name, j, n, g, w)
			}
		}
	}
}

// numbers gives a float of a size that is any, or of an ordinary magnitude.
func numbers(r *rand.Rand, size int) uint64 {
	x := r.NormFloat64() * 10
	switch {
	case r.IntN(2) == 0:
		return r.Uint64() >> (64 - 8*size)
	case size == 4:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}
