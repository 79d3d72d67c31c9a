package vec_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// TestTidy evaluates random functions as they are and made shorter: the results are the same, and some have less loops.
func TestTidy(t *testing.T) {
	loops := func(f *vec.Func) int { return strings.Count(f.String(), "= loop") }
	less := 0
	for seed := range uint64(vectest.Count(t, 500)) {
		make := func() *vec.Func { return vectest.Random(rand.New(rand.NewPCG(seed, 5)), 20+int(seed%100)) }
		want, got := make(), make()
		before := loops(got)
		got.Tidy()
		if err := got.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, got)
		}
		if loops(got) < before {
			less++
		}
		if !bytes.Equal(evaluate(want, seed), evaluate(got, seed)) {
			t.Fatalf("seed %d: the results differ of\n%s\nand\n%s", seed, want, got)
		}
	}
	if less == 0 {
		t.Error("no loop of one turn is gone")
	}
}

// evaluate gives what a random function writes.
func evaluate(f *vec.Func, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 6))
	in, out := make([]uint64, vectest.RandomBytes/8), make([]uint64, vectest.RandomBytes/8)
	for i := range in {
		in[i] = r.Uint64() & 0x3fff3fff3fff3fff // no NaN
	}
	run := vec.NewRun(f, []uint64{addr(in), addr(out), 0, 1 << 40})
	for run.Call() != 0 {
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), vectest.RandomBytes)
}

// TestOneTurn: a loop of one turn is none, and what depends on its counter is a number.
func TestOneTurn(t *testing.T) {
	b := vec.NewBuilder("one")
	x, n := b.Arg(0), b.Int(16)
	i := b.For(b.Int(0), n, 16)
	mask := b.Do(vec.MFirst, vec.NoType, b.Do(vec.SSub, vec.NoType, n, i))
	at := vec.Mem{Base: x, Index: b.AddInt(i, 3), Scale: 4}
	b.Store(vec.I32, at, b.Load(vec.I32, at, mask), mask)
	b.End()
	want := "func one {\n  s1 = arg 0\n  v8 = load.i32 [s1 + 12]\n  store.i32 v8, [s1 + 12]\n}\n"
	if got := b.Finish().Tidy().String(); got != want {
		t.Errorf("the function is\n%s\nwant\n%s", got, want)
	}
}
