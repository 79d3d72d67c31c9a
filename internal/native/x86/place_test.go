package x86_test

import (
	"runtime"
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// inPlace is [vectest.Around] for an instruction whose result is its operand k, or nil if that has another class.
func inPlace(in vec.Instr, k int) *vec.Func {
	c := in.DstClass()
	if c == vec.None || in.SrcClasses()[k] != c {
		return nil
	}
	f, err := vectest.Around(in)
	if err != nil {
		return nil
	}
	for i := range f.Body {
		if x := &f.Body[i]; x.Op == in.Op && x.Type == in.Type && x.Dst != 0 && x.Src[k] != 0 && f.Class(x.Dst) == c && i > 2 {
			old := x.Dst
			x.Dst = x.Src[k]
			for j := i + 1; j < len(f.Body); j++ {
				for n := range f.Body[j].Src {
					if f.Body[j].Src[n] == old {
						f.Body[j].Src[n] = x.Dst
					}
				}
			}
		}
	}
	return f
}

// TestInPlace compares instructions whose result takes the place of an operand.
func TestInPlace(t *testing.T) {
	for _, l := range levels(t) {
		n := 0
		for op := range vec.Table {
			for _, in := range vectest.Instrs(vec.Op(op)) {
				for k := range in.Src {
					f := inPlace(in, k)
					if f == nil {
						continue
					}
					if err := compareInstr(in, f, l, uint64(op)); err != nil {
						t.Fatalf("result in the place of operand %d: %v\n%s", k, err, f)
					}
					n++
				}
			}
		}
		if n < 300 {
			t.Errorf("only %d instructions can have their result in the place of an operand", n)
		}
	}
}

// TestMulAddPlaces compares FMulAdd with any choice of its registers, whether the operands are needed afterwards or not.
func TestMulAddPlaces(t *testing.T) {
	for _, l := range levels(t) {
		for _, typ := range vec.FMulAdd.Types() {
			for n := range 27 * 4 * 2 {
				compareMulAdd(t, l, typ, [3]int{n % 3, n / 3 % 3, n / 9 % 3}, n/27%4, n/108 == 1)
			}
		}
	}
}

func compareMulAdd(t *testing.T, l host.Level, typ vec.Type, src [3]int, dst int, needed bool) {
	b := vec.NewBuilder("muladd")
	at, out := vec.Mem{Base: b.Arg(0)}, vec.Mem{Base: b.Arg(1)}
	var x [4]vec.Reg
	for i := range x {
		x[i] = b.Load(typ, at.Plus(128*i), 0)
	}
	b.Emit(vec.Instr{Op: vec.FMulAdd, Type: typ, Dst: x[dst], Src: [3]vec.Reg{x[src[0]], x[src[1]], x[src[2]]}})
	for i, r := range x {
		if needed || i == dst {
			b.Store(typ, out.Plus(128*i), r, 0)
		}
	}
	f := b.Finish()
	in := buffer(4 * 128)
	for i := 0; i < len(in); i += typ.Bytes() { // numbers between 1 and 2
		in[i], in[i+typ.Bytes()-1], in[i+typ.Bytes()-2] = byte(i*7), 0x3f, 0x80|byte(i/3)
		if typ == vec.F64 {
			in[i+6] = 0xf0 | byte(i/3)
		}
	}
	compareFrames(t, f, l, in)
}

// compareFrames compares a function that reads in, whose address is word 0 of the frame, and writes as much at word 1.
func compareFrames(t *testing.T, f *vec.Func, l host.Level, in []byte, more ...uint64) {
	t.Helper()
	code, fn, err := compile(f, l)
	if err != nil {
		t.Fatal(err)
	}
	defer code.Free()
	want, got := buffer(len(in)), buffer(len(in))
	status := vec.Eval(f, append([]uint64{addr(in), addr(want)}, more...))
	if s := call(code, fn, append([]uint64{addr(in), addr(got)}, more...)); s != status {
		t.Fatalf("%s: status %d, want %d\n%s", l, s, status, f)
	}
	runtime.KeepAlive(in)
	if string(want) != string(got) {
		t.Fatalf("%s: got %x, want %x\n%s", l, got, want, f)
	}
}

// TestLoops compares loops of no turns, of one and of many, with values of all classes that they change, one loop in
// another, and an early end.
func TestLoops(t *testing.T) {
	b := vec.NewBuilder("loops")
	in, out, lo, hi, stop := b.Arg(0), b.Arg(1), b.Arg(2), b.Arg(3), b.Arg(4)
	sum, mask := b.Load(vec.F64, vec.Mem{Base: in}, 0), b.DoImm(vec.MConst, vec.NoType, 0)
	x, turns := b.Load(vec.F64, vec.Mem{Base: in, Disp: 128}, 0), b.Int(0)
	i := b.For(lo, hi, 3)
	b.Set(sum, b.Do(vec.FAdd, vec.F64, sum, x))
	b.Set(mask, b.Do(vec.MXor, vec.NoType, mask, b.Do(vec.MFirst, vec.NoType, i)))
	b.For(lo, i, 2)
	b.Set(turns, b.AddInt(turns, 1))
	b.End()
	b.If(vec.EQ, i, stop)
	b.DoImm(vec.Return, vec.NoType, 5)
	b.End()
	b.End()
	b.Store(vec.F64, vec.Mem{Base: out}, b.Pick(vec.F64, mask, sum, x), 0)
	b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Mem: vec.Mem{Base: out, Disp: 128}, Src: [3]vec.Reg{turns}})
	f := b.Finish()
	bytes := buffer(256)
	for i := range 32 {
		bytes[8*i+7], bytes[8*i+6] = 0x3f, byte(0xf0+i%16)
	}
	for _, l := range levels(t) {
		for _, r := range [][2]int64{{0, 0}, {5, 5}, {5, 4}, {0, 1}, {0, 3}, {0, 4}, {-7, 8}, {-3, -2}, {0, 1000}, {1 << 40, 1<<40 + 7}} {
			for _, stop := range []int64{-100, r[0], r[0] + 3} {
				compareFrames(t, f, l, bytes, uint64(r[0]), uint64(r[1]), uint64(stop))
			}
		}
	}
}
