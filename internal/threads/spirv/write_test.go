package spirv_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/tileir"
)

// kernel begins a kernel of one block, and gives the thread's number and the address of its own bytes.
func kernel() (b *ir.Builder, thread, at ir.Value) {
	b = ir.NewBuilder("k", threads, []vec.Type{vec.I64})
	thread = b.Special(ir.Thread, vec.I32, 0)
	wide := b.Convert(vec.ZeroExtend, vec.I64, vec.I32, b.DoImm(vec.ShlImm, vec.I32, 5, thread))
	return b, thread, b.Do(vec.Add, vec.I64, b.Param(0), wide)
}

// programs are kernels with what each thread is to store as a word in its bytes; lanes are the threads of a warp.
var programs = []struct {
	name  string
	write func(b *ir.Builder, thread, at ir.Value)
	want  func(thread, lanes int) uint32
}{
	{"shuffle", func(b *ir.Builder, thread, at ir.Value) {
		x := b.Shuffle(vec.I32, thread, 1)
		wide := b.Shuffle(vec.I64, b.Convert(vec.ZeroExtend, vec.I64, vec.I32, x), 2)
		odd := b.Shuffle(vec.NoType, b.Compare(vec.I32, vec.NE, b.Do(vec.And, vec.I32, thread, b.Int(1)), b.Int(0)), 1)
		x = b.Do(vec.Add, vec.I32, b.Convert(vec.Truncate, vec.I32, vec.I64, wide), b.From(vec.I32, b.Int(1000), b.Int(0)))
		b.Store(vec.I32, ir.Access{At: at}, b.Do(vec.Select, vec.I32, odd, x, b.From(vec.I32, thread, b.Int(3))))
	}, func(thread, lanes int) uint32 {
		if thread&1 == 0 {
			return uint32(thread^3) + 1000
		}
		return uint32(thread/lanes*lanes + 3)
	}},
	{"loops", func(b *ir.Builder, thread, at ir.Value) { // three nested ones, of which the innermost leaves and goes on with the others
		i, sum := b.NewVar(vec.V32), b.NewVar(vec.V32)
		b.Set([]ir.Var{i, sum}, []ir.Value{b.Int(0), b.Int(0)})
		add := func(v ir.Var, n int) { b.Set([]ir.Var{v}, []ir.Value{b.Do(vec.Add, vec.I32, b.Get(v), b.Int(n))}) }
		b.Loop(func() {
			add(sum, 1)
			b.Loop(func() {
				add(sum, 100)
				b.Loop(func() {
					add(i, 1)
					add(sum, 10000)
					b.Break(2, b.Compare(vec.I32, vec.GE, b.Get(i), b.Int(5)))
					b.If(b.Compare(vec.I32, vec.EQ, b.Get(i), b.Int(3)), true, func() { b.Continue(2) }, nil)
					b.If(b.Compare(vec.I32, vec.EQ, b.Get(i), b.Int(2)), true, func() { b.Break(0, 0) }, func() { add(sum, 1000000) })
				})
			})
		})
		b.Store(vec.I32, ir.Access{At: at}, b.Get(sum))
	}, func(int, int) uint32 { return 2*1 + 3*100 + 5*10000 + 2*1000000 }},
	{"shared", func(b *ir.Builder, thread, at ir.Value) { // bytes that other threads read as a word
		buf := b.NewBuffer("bytes", threads, 16)
		b.Store(vec.I8, ir.Access{Space: ir.Shared, Buffer: buf, At: thread}, b.Convert(vec.Truncate, vec.I8, vec.I32, thread))
		word := b.Do(vec.AndNot, vec.I32, thread, b.Int(3))
		b.Store(vec.I32, ir.Access{At: at}, b.Load(vec.I32, 1, ir.Access{Space: ir.Shared, Buffer: buf, At: word})[0])
	}, func(thread, _ int) uint32 { return uint32(thread&^3)*0x01010101 + 0x03020100 }},
	{"window", func(b *ir.Builder, thread, at ir.Value) { // atomic sums in memory of the block
		buf := b.NewBuffer("sum", 16, 16)
		here, turns := b.Window(buf), []*ir.Turn{{}, {Number: 1}, {Number: 2}}
		turns[1].After, turns[2].After = map[*ir.Turn]bool{turns[0]: true}, map[*ir.Turn]bool{turns[1]: true}
		mem := func(i int) ir.Access {
			return ir.Access{Space: ir.Generic, At: here, Turn: turns[i], Order: tileir.MemoryRelaxed, Scope: tileir.ScopeTileBlock}
		}
		b.Store(vec.I32, mem(0), b.Int(7))
		b.Update(vec.I32, ir.Change{Mode: tileir.AtomicAdd, Elem: tileir.I32}, mem(1), thread)
		b.Store(vec.I32, ir.Access{At: at}, b.Load(vec.I32, 1, mem(2))[0])
	}, func(int, int) uint32 { return 7 + threads*(threads-1)/2 }},
	{"narrow", func(b *ir.Builder, thread, at ir.Value) { // sums of f16 in the upper half of the word
		mem := ir.Access{At: at, Disp: 2, Order: tileir.MemoryRelaxed, Scope: tileir.ScopeDevice}
		b.Store(vec.I32, ir.Access{At: at}, b.Int(0x3c001234))
		one := ir.Change{Mode: tileir.AtomicAddF, Elem: tileir.F16}
		for range 2 {
			b.Update(vec.I16, one, mem, b.Const(vec.I16, 0x3c00))
		}
		b.Reduce(vec.I16, one, mem, b.Const(vec.I16, 0x3c00))
		b.Swap(vec.I16, mem, b.Const(vec.I16, 0x4400), b.Const(vec.I16, 0xabcd)) // from 4
		b.Swap(vec.I16, mem, b.Const(vec.I16, 0x4400), b.Const(vec.I16, 0))
	}, func(int, int) uint32 { return 0xabcd1234 }},
	{"guard", func(b *ir.Builder, thread, at ir.Value) { // threads without a guard have no address
		first := b.Compare(vec.I32, vec.ULT, thread, b.Int(8))
		near := b.Do(vec.Select, vec.I64, first, at, b.Const(vec.I64, 0))
		x := b.Load(vec.I32, 2, ir.Access{At: near, Guard: first, Align: 8, Else: []ir.Value{b.Int(5), b.Int(6)}})
		b.Store(vec.I32, ir.Access{At: at}, x[1])
	}, func(thread, _ int) uint32 {
		if thread < 8 {
			return 0
		}
		return 6
	}},
}

// TestPrograms runs programs with and without subgroups, and with integers of 64 bits in pairs of words.
func TestPrograms(t *testing.T) {
	d := device(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		for _, as := range []struct {
			name   string
			change func(t *writer.Target)
		}{{"subgroups", nil}, {"no subgroups", func(t *writer.Target) { t.Subgroups = false }}, {"pairs", inPairs}} {
			b, thread, at := kernel()
			p.write(b, thread, at)
			data := make([]byte, stride*threads)
			runner(d, s.(*vulkan.Stream), as.change)(t, b, data)
			var got, want []uint32
			for i := range threads {
				got = append(got, binary.LittleEndian.Uint32(data[stride*i:]))
				want = append(want, p.want(i, d.Caps().Threads().Lanes))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: got %#x\nwant %#x\n%v", p.name, as.name, got, want, &b.Kernel)
			}
		}
	}
}
