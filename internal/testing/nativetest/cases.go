package nativetest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// caseWords are the words of the frame of functions of this file: the addresses of what they read and write, and numbers.
const (
	caseIn = iota
	caseOut
	caseIndex
	caseWords
)

// caseBytes is how many bytes these functions read and write. Addresses count from the middle.
const caseBytes = 1 << 19

// caseInput is what they read.
var caseInput = sync.OnceValue(func() []byte {
	in, r := buffer(caseBytes), rand.New(rand.NewPCG(5, 6))
	fill(r, in, vec.F32)
	fillTame(r, in[caseBytes/2+tameAt:])
	return in
})

// compareCase compares a function of this file with its evaluation. It gets more words behind [caseWords].
func (b Backend) compareCase(t *testing.T, f *vec.Func, more ...uint64) {
	t.Helper()
	p, err := b.program(f)
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	defer p.Free()
	run := func(call func(frame []uint64) int64) (results []byte, status int64) {
		out := buffer(caseBytes)
		frame := make([]uint64, f.Frame)
		frame[caseIn], frame[caseOut], frame[caseIndex] = addr(caseInput())+caseBytes/2, addr(out)+caseBytes/2, 128
		copy(frame[caseWords:], more)
		status = call(frame)
		return out, status
	}
	want, status := run(func(frame []uint64) int64 { return vec.Eval(f, frame) })
	got, returned := run(p.call)
	if returned != status {
		t.Fatalf("%s: status %d, want %d\n%s", b.Level, returned, status, f)
	}
	if bytes.Equal(want, got) {
		return
	}
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("%s: byte %d is %#x, want %#x\n%s", b.Level, i-caseBytes/2, got[i], want[i], f)
		}
	}
}

// newCase begins a function and gives the addresses that it reads and writes.
func newCase(name string) (b *vec.Builder, in, out vec.Reg) {
	b = vec.NewBuilder(name)
	b.Frame = caseWords
	return b, b.Arg(caseIn), b.Arg(caseOut)
}

// displacements are near and far ones, at the ends of what instructions reach, and not aligned.
var displacements = []int32{0, 8, 16, 255, 256, 257, -16, -256, -257, 960, 1008, 1009, -1024, -1040, 4095, 4096, 4097, -4095, -4096,
	32752, 32760, 32768, 65520, 65536, 100001, -100000}

// addresses runs every operation on memory at many addresses.
func addresses(t *testing.T, b Backend) {
	for op := range vec.Table {
		op := vec.Op(op)
		if !op.HasMem() || op == vec.Gather || op == vec.Scatter { // whose addresses TestEveryInstruction has
			continue
		}
		for _, typ := range []vec.Type{vec.I8, vec.I16, vec.I32, vec.I64} {
			if !slices.Contains(op.Types(), typ) {
				continue
			}
			b.compareCase(t, addressCase(op, typ))
		}
	}
}

func addressCase(op vec.Op, typ vec.Type) *vec.Func {
	b, in, out := newCase(op.String())
	index, number := b.Arg(caseIndex), b.Arg(caseIn)
	x := b.Load(typ, vec.Mem{Base: in}, 0)
	result := vec.Mem{Base: b.AddInt(out, 1<<17)}
	for i, disp := range displacements {
		if op == vec.StoreStream && disp%128 != 0 || op == vec.SSwap && disp%8 != 0 {
			continue
		}
		m := vec.Mem{Base: in, Disp: disp}
		if i%5 != 0 {
			m.Index, m.Scale = index, int8(1<<(i%5-1))
		}
		instr := vec.Instr{Op: op, Type: typ, Mem: m}
		switch c := instr.DstClass(); {
		case op == vec.SSwap: // each other one finds what it expects
			instr.Mem.Base, instr.Src = out, [3]vec.Reg{number, number}
			if i%2 == 0 {
				instr.Src[0] = b.Emit(vec.Instr{Op: vec.SLoad, Type: typ, Mem: instr.Mem})
			}
			b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{b.Emit(instr)}, Mem: result})
			b.Set(number, b.AddInt(number, 1))
		case op == vec.Prefetch:
			b.Emit(instr)
		case c == vec.Scalar:
			store := vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{b.Emit(instr)}, Mem: result}
			b.Emit(store)
		case c != vec.None:
			b.Store(typ, result, b.Emit(instr), 0)
		default:
			instr.Mem.Base = out
			instr.Src[0] = x
			if instr.SrcClasses()[0] == vec.Scalar {
				instr.Src[0] = number
			}
			b.Emit(instr)
			b.Set(number, b.AddInt(number, 1))
			x = b.Do(vec.Add, typ, x, b.Bits(typ, 1))
		}
		result = result.Plus(128)
	}
	return b.Finish()
}

// constants makes vectors of many constants.
func constants(t *testing.T, b Backend) {
	var list []uint64
	for shift := 0; shift < 64; shift += 8 {
		list = append(list, 0xab<<shift, 0xabff>>8<<shift|1<<shift-1, 0xff<<shift, 1<<(shift+7))
	}
	for _, f := range []float64{0, 1, 0.0625, 0.125, 31, 32, 1.9375, 1.96875, 0.12, -2.5, math.Inf(1), math.NaN()} {
		list = append(list, math.Float64bits(f), uint64(math.Float32bits(float32(f))), uint64(math.Float32bits(float32(f)))*(1<<32+1))
	}
	list = append(list, 0x0001000100010001, 0xab00ab00ab00ab00, 0xff00ff00ff00ff00, 0xff0000ff00ffffff, 0x0123456789abcdef)
	for _, typ := range []vec.Type{vec.I8, vec.I16, vec.I32, vec.I64} {
		f, _, out := newCase("constants")
		at := vec.Mem{Base: out}
		for _, n := range list {
			f.Store(typ, at, f.Bits(typ, n), 0)
			f.Store(typ, at.Plus(128), f.Bits(typ, ^n), 0)
			at = at.Plus(256)
		}
		b.compareCase(t, f.Finish())
	}
}

// minima compares vectors with constants.
func minima(t *testing.T, b Backend) {
	for _, typ := range []vec.Type{vec.F32, vec.F64} {
		f, in, out := newCase("minima")
		at := vec.Mem{Base: out}
		for i, n := range []float64{0, math.Copysign(0, -1), 1, -1.5, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-140} {
			bits := math.Float64bits(n)
			if typ == vec.F32 {
				bits = uint64(math.Float32bits(float32(n)))
			}
			c := f.Bits(typ, bits)
			for _, op := range []vec.Op{vec.FMin, vec.FMax} {
				x := f.Load(typ, vec.Mem{Base: in, Disp: int32(128 * i)}, 0)
				for _, src := range [][2]vec.Reg{{c, x}, {x, c}, {c, c}, {c, f.Bits(typ, 1<<(8*typ.Bytes()-1))}} {
					y := f.Do(op, typ, src[0], src[1])
					isNaN := f.Compare(typ, vec.Unordered, y, y)
					f.Store(typ, at, f.Pick(typ, isNaN, f.Bits(typ, 0), y), 0)
					at = at.Plus(128)
				}
			}
		}
		b.compareCase(t, f.Finish())
	}
}

// scales scales numbers by powers of two around those that make them zero, subnormal or infinite.
func scales(t *testing.T, b Backend) {
	numbers := []float64{0, 1, 1.75, 0x1p-30, 0x1.fffffep29, 0x1p30, math.Inf(1)}
	for typ, ends := range map[vec.Type][]int64{
		vec.F32: {vec.MaxScale32, 254, 180, 150, 128}, vec.F64: {vec.MaxScale64, 2046, 1104, 1075, 1024},
	} {
		f, _, out := newCase("scales")
		at := vec.Mem{Base: out, Disp: -caseBytes / 2}
		ints := vec.I8 + vec.Type(typ.Class()-vec.V8)
		for _, x := range numbers {
			for _, sign := range []float64{1, -1} {
				bits := math.Float64bits(x * sign)
				if typ == vec.F32 {
					bits = uint64(math.Float32bits(float32(x * sign)))
				}
				for _, n := range append(ends, 8) {
					for _, first := range []int64{-n, n - 15} { // of 16 exponents
						lanes := f.Do(vec.Add, ints, f.Do(vec.Iota, ints), f.Bits(ints, uint64(first)))
						f.Store(typ, at, f.Do(vec.FScale, typ, f.Bits(typ, bits), lanes), 0)
						at = at.Plus(128)
					}
				}
			}
		}
		b.compareCase(t, f.Finish())
	}
}

// zeros chooses between numbers and zero, or what is zero in some bits only.
func zeros(t *testing.T, b Backend) {
	for _, typ := range vec.Select.Types() {
		f, in, out := newCase("zeros")
		at := vec.Mem{Base: out}
		lanes := f.Do(vec.Iota, vec.I32)
		for _, n := range []uint64{0, 1, 1 << 63, 1 << 31, 1 << 15, 1 << 8, 1 << 7} {
			x, c := f.Load(typ, vec.Mem{Base: in}, 0), f.Bits(typ, n)
			m := f.Compare(vec.I32, vec.GT, lanes, f.Bits(vec.I32, 5))
			for _, src := range [][2]vec.Reg{{x, c}, {c, x}, {c, c}} {
				f.Store(typ, at, f.Pick(typ, m, src[0], src[1]), 0)
				at = at.Plus(128)
			}
			f.Emit(vec.Instr{Op: vec.Select, Type: typ, Dst: x, Src: [3]vec.Reg{m, c, x}})
			f.Store(typ, at, x, 0)
			at = at.Plus(128)
		}
		b.compareCase(t, f.Finish())
	}
}

// roundings converts numbers in the middle of two others of the result's type, and slightly above and below, to see that they
// are rounded once.
func roundings(t *testing.T, b Backend) {
	for _, c := range []struct {
		op       vec.Op
		to, from vec.Type
		digits   int // binary ones of the result's type
	}{
		{vec.FConvert, vec.F16, vec.F64, 11}, {vec.FConvert, vec.F16, vec.F32, 11}, {vec.FConvert, vec.F32, vec.F64, 24},
		{vec.FromInt, vec.F32, vec.I32, 24}, {vec.FromInt, vec.F32, vec.I64, 24}, {vec.FromInt, vec.F64, vec.I64, 53},
	} {
		f, _, out := newCase("roundings")
		at := vec.Mem{Base: out}
		for _, sign := range []int64{1, -1} {
			for odd := range int64(2) {
				middle := 1<<c.digits | odd<<1 | 1 // one digit more than there are
				for width := c.digits + 1; width < 63; width += 5 {
					for _, more := range []int64{-1, 0, 1} {
						n := sign * (middle<<(width-c.digits) + more)
						f.Store(vec.I8+vec.Type(c.to.Class()-vec.V8), at, f.Convert(c.op, c.to, c.from, numberOf(f, c.from, n)), 0)
						at = at.Plus(128)
					}
				}
			}
		}
		b.compareCase(t, f.Finish())
	}
}

// numberOf is an integer, or a float that has its leading digits and lies between 1 and 2.
func numberOf(b *vec.Builder, t vec.Type, n int64) vec.Reg {
	x := float64(n)
	x = math.Ldexp(x, -math.Ilogb(x))
	switch t {
	case vec.F32:
		return b.Bits(t, uint64(math.Float32bits(float32(x))))
	case vec.F64:
		return b.Bits(t, math.Float64bits(x))
	}
	return b.Bits(t, uint64(n))
}

// largeFrames have so many words that values in the frame are far away.
func largeFrames(t *testing.T, b Backend) {
	for _, words := range []int{101, 5000, 40001} {
		b.compareCase(t, frameCase(words))
	}
}

func frameCase(words int) *vec.Func {
	f, in, out := newCase("large frame")
	far := f.Arg(words - 1)
	var xs []vec.Reg
	for i := range int32(80) {
		xs = append(xs, f.Load(vec.F32, vec.Mem{Base: in, Disp: 64 * i}, 0), f.AddInt(in, int64(i)))
	}
	for i := 0; i < len(xs); i += 2 {
		f.Store(vec.F32, vec.Mem{Base: out, Disp: int32(64 * i)}, xs[i], 0)
		sum := f.Do(vec.SSub, vec.NoType, f.Do(vec.SAdd, vec.NoType, xs[i+1], far), in)
		f.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{sum}, Mem: vec.Mem{Base: out, Disp: int32(1<<15 + 64*i)}})
	}
	return f.Finish()
}

// empty is a function of which nothing is left, since nothing needs what it computes.
func empty(t *testing.T, b Backend) {
	f, _, _ := newCase("empty")
	f.Do(vec.Add, vec.I32, f.Bits(vec.I32, 1), f.Bits(vec.I32, 2))
	b.compareCase(t, f.Finish().Tidy())
}

// status returns from inside of regions.
func status(t *testing.T, b Backend) {
	f := vec.NewBuilder("status")
	n := f.Arg(0)
	i := f.For(f.Int(0), f.Int(100), 3)
	f.If(vec.GT, i, n)
	f.Emit(vec.Instr{Op: vec.Return, Imm: 1 << 40})
	f.Else()
	f.If(vec.EQ, i, n)
	f.Emit(vec.Instr{Op: vec.Return, Imm: -5})
	f.End()
	f.End()
	f.End()
	fn := f.Finish()
	p, err := b.program(fn)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	for _, n := range []uint64{0, 1, 3, 50, 99, 100, 1 << 50} {
		if got, want := p.call([]uint64{n}), vec.Eval(fn, []uint64{n}); got != want {
			t.Errorf("%s: status %d, want %d", b.Level, got, want)
		}
	}
}
