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

// TestCommon: what is at hand is not computed again, but in a branch that may not have been taken, and of registers that are assigned
// again; what changes nothing is left out.
func TestCommon(t *testing.T) {
	b := vec.NewBuilder("common")
	x, y, at := b.Arg(0), b.Arg(1), b.Arg(2)
	put := func(n int32, r vec.Reg) {
		b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{r}, Mem: vec.Mem{Base: at, Disp: n}})
	}
	do := func(op vec.Op, x, y vec.Reg) vec.Reg { return b.Do(op, vec.NoType, x, y) }
	sum := do(vec.SAdd, x, y)
	put(0, do(vec.SAdd, x, y)) // sum
	b.If(vec.LT, sum, x)
	put(8, do(vec.SAdd, x, y))  // sum
	put(16, do(vec.SMul, x, y)) // here first
	put(24, do(vec.SMul, x, y)) // this
	b.End()
	product := do(vec.SMul, x, y) // again
	put(32, do(vec.SOr, do(vec.SOr, product, sum), do(vec.SOr, sum, sum)))
	put(40, b.AddInt(do(vec.SSub, sum, b.Int(0)), 0)) // sum
	v := b.New(vec.Scalar)
	b.Set(v, x)
	put(48, do(vec.SSub, v, y))
	b.Set(v, y)
	put(56, do(vec.SSub, v, y)) // another one
	want := `func common {
  s1 = arg 0
  s2 = arg 1
  s3 = arg 2
  s4 = sadd s1, s2
  sstore.i64 s4, [s3]
  if.lt s4, s1
    sstore.i64 s4, [s3 + 8]
    s7 = smul s1, s2
    sstore.i64 s7, [s3 + 16]
    sstore.i64 s7, [s3 + 24]
  end
  s9 = smul s1, s2
  s10 = sor s9, s4
  sstore.i64 s10, [s3 + 32]
  sstore.i64 s4, [s3 + 40]
  s16 = smove s1
  s17 = ssub s16, s2
  sstore.i64 s17, [s3 + 48]
  s16 = smove s2
  s18 = ssub s16, s2
  sstore.i64 s18, [s3 + 56]
}
`
	if got := b.Finish().Tidy().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
