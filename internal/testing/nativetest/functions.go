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
	for range rounds(10) {
		n := 1 + r.IntN(70)
		frame := []uint64{0}
		var args [][]byte
		for range fn.Args {
			arg := buffer(8 * n)
			for j := range n {
				put(arg[4*j:], 4, uint64(numbers(r)))
			}
			args = append(args, arg)
			frame = append(frame, addr(arg))
		}
		frame = append(frame, uint64(n))
		want, got := buffer(4*n), buffer(4*n)
		frame[0] = addr(want)
		vec.Eval(f, frame)
		frame[0] = addr(got)
		p.call(frame)
		runtime.KeepAlive(args)
		for j := range n {
			w, g := want[4*j:][:4], got[4*j:][:4]
			if string(w) != string(g) && !(nan(w, vec.F32) && nan(g, vec.F32)) {
				t.Fatalf("%s, %s: element %d of %d is %x, want %x", b.Level, fn.Name, j, n, g, w)
			}
		}
	}
}

// numbers gives a float32 that is any, or of an ordinary magnitude.
func numbers(r *rand.Rand) uint32 {
	if r.IntN(2) == 0 {
		return r.Uint32()
	}
	return math.Float32bits(float32(r.NormFloat64() * 10))
}
