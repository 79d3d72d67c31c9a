package spirv_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads/ir"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/tileir"
)

// TestDivide divides many integers of 64 bits, of any length and around powers of two, on a device that has them and in pairs of words.
func TestDivide(t *testing.T) {
	d := device(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	blocks := 1000
	if testing.Short() {
		blocks = 100
	}
	for _, f := range forms {
		if f.change != nil && f.name != "pairs" {
			continue
		}
		for _, signed := range []bool{false, true} {
			b := ir.NewBuilder("k", threads, []vec.Type{vec.I64})
			n := b.Do(vec.Add, vec.I32, b.DoImm(vec.ShlImm, vec.I32, 6, b.Special(ir.BlockID, vec.I32, 0)), b.Special(ir.Thread, vec.I32, 0))
			at := b.Do(vec.Add, vec.I64, b.Param(0), b.Convert(vec.ZeroExtend, vec.I64, vec.I32, b.DoImm(vec.ShlImm, vec.I32, 5, n)))
			x := b.Load(vec.I64, 2, ir.Access{At: at, Align: 16})
			q, r := b.Divide(ir.Quotient, vec.I64, signed, x[0], x[1]), b.Divide(ir.Remainder, vec.I64, signed, x[0], x[1])
			b.Store(vec.I64, ir.Access{At: at, Disp: 16, Align: 16}, q, r)
			rnd, data := rand.New(rand.NewPCG(1, 2)), make([]byte, stride*threads*blocks)
			for k := 0; k < len(data); k += stride {
				binary.LittleEndian.PutUint64(data[k:], dividend(rnd))
				divisor := dividend(rnd)
				if divisor == 0 {
					divisor = 3
				}
				binary.LittleEndian.PutUint64(data[k+8:], divisor)
			}
			runner(d, s.(*vulkan.Stream), f.change)(t, b, data)
			for k := 0; k < len(data); k += stride {
				var v [4]uint64
				for i := range v {
					v[i] = binary.LittleEndian.Uint64(data[k+8*i:])
				}
				q, r := quotient(v[0], v[1], signed)
				if v[2] != q || v[3] != r {
					t.Fatalf("%s, signed %v: %#x by %#x is %#x, %#x, want %#x, %#x", f.name, signed, v[0], v[1], v[2], v[3], q, r)
				}
			}
		}
	}
}

// dividend is a number of any length, of which many are near a power of two, or have ones alone.
func dividend(r *rand.Rand) uint64 {
	x := r.Uint64() >> r.IntN(64)
	switch r.IntN(4) {
	case 0:
		x = 1<<r.IntN(64) + uint64(r.IntN(5)) - 2
	case 1:
		x = math.MaxUint64 >> r.IntN(64) << r.IntN(64)
	case 2:
		x = x&^0xffffffff | uint64(r.IntN(3))
	}
	if r.IntN(4) == 0 {
		x = -x
	}
	return x
}

// quotient is Go's.
func quotient(x, y uint64, signed bool) (q, r uint64) {
	if signed {
		return uint64(int64(x) / int64(y)), uint64(int64(x) % int64(y))
	}
	return x / y, x % y
}

// TestNear compares integers of 64 bits that are equal, or differ by little in one word or the other.
func TestNear(t *testing.T) {
	d := device(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	conds := []vec.Cond{vec.EQ, vec.NE, vec.LT, vec.LE, vec.GT, vec.GE, vec.ULT, vec.ULE, vec.UGT, vec.UGE}
	b, _, at := kernel()
	x, all := b.Load(vec.I64, 2, ir.Access{At: at, Align: 16}), b.Int(0)
	for i, c := range conds {
		all = b.Do(vec.Or, vec.I32, all, b.Do(vec.Select, vec.I32, b.Compare(vec.I64, c, x[0], x[1]), b.Int(1<<i), b.Int(0)))
	}
	b.Store(vec.I32, ir.Access{At: at, Disp: 16}, all)
	rnd, data := rand.New(rand.NewPCG(1, 2)), make([]byte, stride*threads)
	for k := 0; k < len(data); k += stride {
		x := dividend(rnd)
		binary.LittleEndian.PutUint64(data[k:], x)
		binary.LittleEndian.PutUint64(data[k+8:], x+[]uint64{0, 1, math.MaxUint64, 1 << 32, 1<<64 - 1<<32, 1<<32 - 1}[k/stride%6])
	}
	runner(d, s.(*vulkan.Stream), inPairs)(t, b, data)
	for k := 0; k < len(data); k += stride {
		x, y := binary.LittleEndian.Uint64(data[k:]), binary.LittleEndian.Uint64(data[k+8:])
		for i, c := range conds {
			in := vec.Instr{Op: vec.Cmp, Type: vec.I64, Cond: c}
			if got, want := data[k+16+i/8]>>(i%8)&1 != 0, in.Holds(x, y); got != want {
				t.Errorf("%#x %v %#x is %v", x, c, y, got)
			}
		}
	}
}

// TestPairAtomics: two words are not changed at once, and so the operation is refused, with its place.
func TestPairAtomics(t *testing.T) {
	mem := ir.Access{Order: tileir.MemoryRelaxed, Scope: tileir.ScopeDevice}
	for _, c := range []struct {
		name  string
		write func(b *ir.Builder, at ir.Access, x ir.Value)
	}{
		{"load", func(b *ir.Builder, at ir.Access, x ir.Value) {
			b.Store(vec.I64, ir.Access{At: at.At}, b.Load(vec.I64, 1, at)...)
		}},
		{"store", func(b *ir.Builder, at ir.Access, x ir.Value) { b.Store(vec.I64, at, x) }},
		{"add", func(b *ir.Builder, at ir.Access, x ir.Value) {
			b.Reduce(vec.I64, ir.Change{Mode: tileir.AtomicAdd, Elem: tileir.I64}, at, x)
		}},
		{"sum", func(b *ir.Builder, at ir.Access, x ir.Value) {
			b.Reduce(vec.I64, ir.Change{Mode: tileir.AtomicAddF, Elem: tileir.F64}, at, x)
		}},
		{"swap", func(b *ir.Builder, at ir.Access, x ir.Value) { b.Swap(vec.I64, at, x, x) }},
	} {
		b, _, at := kernel()
		b.Loc = &tileir.Loc{File: "k.go", Line: 7, Col: 3}
		m := mem
		m.At = at
		c.write(b, m, b.Const(vec.I64, 1))
		b.Place()
		b.Synchronise()
		target := vulkan.Typical().Threads().Target
		if _, err := writer.Write(&b.Kernel, target, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		inPairs(&target)
		_, err := writer.Write(&b.Kernel, target, nil)
		var no *ir.Refusal
		if !errors.As(err, &no) || no.Text != "the device has no atomic operations of 64 bits" || no.Loc.Line != 7 {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestPairRecords: what prints and asserts in pairs is valid, and adds nothing to the address for each word.
func TestPairRecords(t *testing.T) {
	lengths := map[int]int{}
	for _, n := range []int{10, 20} {
		b, thread, at := kernel()
		for range n {
			b.Print("%d %lld\n", thread, at)
		}
		b.Assert(b.Compare(vec.I64, vec.NE, at, b.Const(vec.I64, 0)), "it has no address")
		target := vulkan.Typical().Threads().Target
		inPairs(&target)
		c, err := writer.Write(&b.Kernel, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := threadtest.Valid(c.Module); err != nil {
			t.Fatal(err)
		}
		lengths[n] = c.Length
	}
	if each := (lengths[20] - lengths[10]) / 10; each > 100 {
		t.Errorf("a record of nine words takes %d instructions", each)
	}
}

// TestLength: a function counts at each of its calls.
func TestLength(t *testing.T) {
	lengths := map[int]int{}
	for _, n := range []int{1, 2, 3} {
		b, _, at := kernel()
		x := b.Load(vec.F32, 1, ir.Access{At: at})[0]
		for range n {
			x = b.Elem(vec.Instr{Op: vec.FDiv, Type: vec.F32}, x, b.Const(vec.F32, 0x40400000))
		}
		b.Store(vec.F32, ir.Access{At: at}, x)
		c, err := writer.Write(&b.Kernel, vulkan.Typical().Threads().Target, nil)
		if err != nil {
			t.Fatal(err)
		}
		lengths[n] = c.Length
	}
	if one := lengths[2] - lengths[1]; one < 80 || lengths[3]-lengths[2] != one {
		t.Errorf("kernels of one to three divisions have %v instructions", lengths)
	}
}

// TestPairsAlone: a module of pairs has no integers of 64 bits.
func TestPairsAlone(t *testing.T) {
	b, _, at := kernel()
	b.Store(vec.I64, ir.Access{At: at}, b.Do(vec.Mul, vec.I64, at, at))
	target := vulkan.Typical().Threads().Target
	wide := func() bool {
		c, err := writer.Write(&b.Kernel, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(c.Module.Instrs, func(in spirv.Instr) bool { return in.Op == spirv.OpTypeInt && in.Operands[0].Word() == 64 })
	}
	if !wide() {
		t.Error("a device with integers of 64 bits does not get any")
	}
	if inPairs(&target); wide() {
		t.Error("a device without integers of 64 bits gets them")
	}
}
