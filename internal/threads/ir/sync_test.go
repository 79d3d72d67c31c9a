package ir_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	. "github.com/cutile-go/cutile/internal/threads/ir"
)

func shared(b *Buffer) Access { return Access{Space: Shared, Buffer: b} }

// barriers gives the instructions of a kernel by their kind, in the order of the text: "store barrier load".
func barriers(b *Builder) string {
	b.Place()
	b.Synchronise()
	var words []string
	b.Body.All(func(in *Instr) {
		switch in.Op {
		case Load, Store, Barrier, If, Loop, Break, Continue, CopyAsync, WaitGroup, MultiplyGroup, WaitMultiply, FenceAsync,
			TensorInit, TensorFree, MultiplyTensor, WaitTensor, TensorLoad, TensorStore:
			word := in.Op.String()
			if in.Op == Barrier && in.Imm != 0 {
				word += " of the warp"
			}
			words = append(words, word)
		}
	})
	return strings.Join(words, " ")
}

// TestSynchronise: barriers stand where threads meet in shared memory, and nowhere else.
func TestSynchronise(t *testing.T) {
	zero := func(b *Builder) Value { return b.Int(0) }
	store := func(b *Builder, buf *Buffer) { b.Store(vec.I32, shared(buf), zero(b)) }
	load := func(b *Builder, buf *Buffer) Value { return b.Load(vec.I32, 1, shared(buf))[0] }
	some := func(b *Builder) Value { return b.Compare(vec.I32, vec.EQ, b.Special(BlockID, vec.I32, 0), zero(b)) }
	unit, sums := &Unit{Kind: TensorMem}, (&Builder{}).NewColumns("sums", 0, 32)
	done := (&Builder{}).NewBuffer("done", 8, 16)
	done.Offset = 1 << 20
	multiply := func(b *Builder, x, sums *Buffer) {
		b.MultiplyTensor(unit, sums, zero(b), b.Bool(true), &Matrix{Access: shared(x)}, &Matrix{Access: shared(x)}, nil, nil, shared(done), nil)
	}
	for name, c := range map[string]struct {
		build func(b *Builder, x, y *Buffer)
		want  string
	}{
		"write and read": {func(b *Builder, x, y *Buffer) { store(b, x); load(b, x); load(b, x) }, "store barrier load load"},
		"write twice":    {func(b *Builder, x, y *Buffer) { store(b, x); store(b, x) }, "store barrier store"},
		"two buffers": {func(b *Builder, x, y *Buffer) { store(b, x); store(b, y); load(b, x); load(b, y) },
			"store store barrier load load"},
		"read and write": {func(b *Builder, x, y *Buffer) { store(b, x); load(b, x); store(b, x) }, "store barrier load barrier store"},
		"memory in turn": {func(b *Builder, x, y *Buffer) { store(b, x); load(b, x); store(b, y); load(b, y) },
			"store barrier load store barrier load"},
		"a loop": {func(b *Builder, x, y *Buffer) { b.Loop(func() { store(b, x); load(b, x); b.Break(0, some(b)) }) },
			"loop barrier store barrier load break"},
		"a loop without a second turn's conflict": {func(b *Builder, x, y *Buffer) {
			store(b, x)
			b.Loop(func() { load(b, x); b.Break(0, some(b)) })
		}, "store barrier loop load break"},
		"a loop whose turns meet": {func(b *Builder, x, y *Buffer) {
			store(b, x)
			b.Loop(func() { load(b, x); store(b, x); b.Break(0, some(b)) })
		}, "store loop barrier load barrier store break"},
		"a loop inside of another one": {func(b *Builder, x, y *Buffer) {
			store(b, x)
			b.Loop(func() {
				b.Loop(func() { load(b, x); b.Break(0, some(b)) })
				store(b, x)
				b.Break(0, some(b))
			})
			load(b, x)
		}, "store loop barrier loop load break barrier store break barrier load"},
		"what was done before two loops": {func(b *Builder, x, y *Buffer) {
			store(b, x)
			b.Loop(func() {
				b.Loop(func() { load(b, x); b.Break(1, some(b)) })
			})
			store(b, x)
			store(b, y)
		}, "store barrier loop loop load break barrier store store"},
		"a barrier in front of a loop that orders more": {func(b *Builder, x, y *Buffer) {
			store(b, x)
			store(b, y)
			b.Loop(func() {
				b.Break(0, some(b))
				load(b, x)
				b.Break(0, some(b))
			})
			load(b, y)
		}, "store store barrier loop break load break load"},
		"another turn": {func(b *Builder, x, y *Buffer) {
			b.Loop(func() {
				b.If(some(b), true, func() { load(b, x); b.Continue(0) }, nil)
				store(b, x)
				b.Break(0, some(b))
			})
		}, "loop if barrier load continue barrier store break"},
		"branches": {func(b *Builder, x, y *Buffer) {
			b.If(some(b), true, func() { store(b, x) }, nil)
			load(b, x)
		}, "if store barrier load"},
		"a branch of one's own": {func(b *Builder, x, y *Buffer) {
			store(b, x)
			b.If(some(b), false, func() { load(b, x) }, nil)
		}, "store barrier if load"},
		"products of a warp group": {func(b *Builder, x, y *Buffer) {
			store(b, x)
			b.FenceAsync()
			b.MultiplyGroup(&Unit{Kind: WarpGroup}, nil, nil, nil, &Matrix{Access: shared(x)}, nil)
			b.WaitMultiply(0, x)
			store(b, x)
		}, "store fence_async barrier multiply_group wait_multiply barrier store"},
		"products of a warp group in a loop": {func(b *Builder, x, y *Buffer) {
			b.Loop(func() {
				b.WaitGroup(1, nil, x)
				b.FenceAsync()
				b.CopyAsync(shared(x), Access{})
				b.MultiplyGroup(&Unit{Kind: WarpGroup}, nil, nil, nil, &Matrix{Access: shared(x)}, nil)
				b.WaitMultiply(1, x)
				b.Break(0, some(b))
			})
			b.WaitMultiply(0, x)
			store(b, x)
		}, "loop wait_group fence_async barrier copy_async multiply_group wait_multiply break wait_multiply barrier store"},
		"a product of a warp group that goes on behind a barrier": {func(b *Builder, x, y *Buffer) {
			b.MultiplyGroup(&Unit{Kind: WarpGroup}, nil, nil, nil, &Matrix{Access: shared(x)}, nil)
			store(b, y)
			load(b, y)
			b.WaitMultiply(0, x)
			store(b, x)
		}, "multiply_group store barrier load wait_multiply barrier store"},
		"products in tensor memory": {func(b *Builder, x, y *Buffer) {
			b.Loop(func() {
				store(b, x)
				b.FenceAsync()
				multiply(b, x, sums)
				b.WaitTensor(shared(done), zero(b), x)
				b.Break(0, some(b))
			})
			store(b, x)
		}, "loop store fence_async barrier multiply_tensor wait_tensor break store"},
		"sums in tensor memory": {func(b *Builder, x, y *Buffer) {
			at := b.TensorInit(32, x, []*Buffer{done})
			b.TensorStore(unit, sums, at, []Value{at})
			multiply(b, y, sums)
			b.WaitTensor(shared(done), zero(b), y)
			b.TensorLoad(unit, sums, at, 1)
			b.TensorStore(unit, sums, at, []Value{at})
			b.TensorLoad(unit, b.NewColumns("others", 32, 32), at, 1)
			multiply(b, y, sums)
			b.WaitTensor(shared(done), zero(b), y)
			multiply(b, y, sums)
			b.WaitTensor(shared(done), zero(b), y)
			b.TensorLoad(unit, sums, at, 1)
			b.TensorFree(at, b.NewColumns("all", 0, 64))
		}, "tensor_init barrier load tensor_store barrier multiply_tensor wait_tensor tensor_load tensor_store tensor_load barrier multiply_tensor " +
			"wait_tensor barrier multiply_tensor wait_tensor tensor_load barrier tensor_free"},
		"factors of elements in tensor memory": {func(b *Builder, x, y *Buffer) {
			columns := b.NewColumns("scales", 32, 8)
			b.Loop(func() {
				b.TensorStore(unit, columns, zero(b), []Value{zero(b)})
				b.TensorStore(unit, columns, zero(b), []Value{zero(b)})
				b.MultiplyTensor(unit, sums, zero(b), b.Bool(true), &Matrix{Access: shared(x)}, &Matrix{Access: shared(x)}, &Scales{columns, zero(b)}, nil, shared(done), nil)
				b.Break(0, some(b))
			})
		}, "loop tensor_store tensor_store barrier multiply_tensor break"},
		"copies": {func(b *Builder, x, y *Buffer) {
			b.Loop(func() {
				b.WaitGroup(1, nil, x)
				b.CopyAsync(shared(x), Access{At: b.Const(vec.I64, 0)})
				load(b, x)
				b.Break(0, some(b))
			})
		}, "loop wait_group barrier copy_async load break"},
		"private": {func(b *Builder, x, y *Buffer) {
			own := shared(x)
			own.Private = true
			b.Store(vec.I32, own, zero(b))
			b.Load(vec.I32, 1, own)
			load(b, x)
		}, "store load barrier load"},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBuilder("k", 128, nil)
			c.build(b, b.NewBuffer("x", 64, 16), b.NewBuffer("y", 64, 16))
			if got := barriers(b); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestTurns: accesses to global memory wait for those that they come after.
func TestTurns(t *testing.T) {
	first := &Turn{}
	second := &Turn{After: map[*Turn]bool{first: true}}
	b := NewBuilder("k", 128, nil)
	at := b.Const(vec.I64, 64)
	b.Store(vec.I32, Access{At: at, Turn: first}, b.Int(1))
	b.Load(vec.I32, 1, Access{At: at, Turn: first})
	b.Load(vec.I32, 1, Access{At: at, Turn: second})
	b.Load(vec.I32, 1, Access{At: at, Turn: second})
	if got, want := barriers(b), "store load barrier load load"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCounters: nobody begins the next turn of a counter while others still wait for the one before, also where nothing else is done in a turn.
func TestCounters(t *testing.T) {
	b := NewBuilder("k", 128, nil)
	c := b.NewBuffer("counter", 8, 8)
	b.Loop(func() {
		first := b.Compare(vec.I32, vec.EQ, b.Special(Thread, vec.I32, 0), b.Int(0))
		b.If(first, false, func() { b.ExpectBytes(16, shared(c)) }, nil)
		b.AwaitBytes(shared(c), b.Int(0))
		b.Break(0, b.Compare(vec.I32, vec.EQ, b.Special(BlockID, vec.I32, 0), b.Int(0)))
	})
	if got, want := barriers(b), "loop barrier if break"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCopiesHaveRead: what comes after a load waits for the copies of all threads that read for it.
func TestCopiesHaveRead(t *testing.T) {
	first := &Turn{}
	second := &Turn{After: map[*Turn]bool{first: true}}
	b := NewBuilder("k", 128, nil)
	at, x := b.Const(vec.I64, 64), b.NewBuffer("x", 64, 16)
	b.CopyAsync(shared(x), Access{At: at, Turn: first})
	b.WaitGroup(0, []*Turn{first}, x)
	b.Store(vec.I32, Access{At: at, Turn: second}, b.Int(1))
	if got, want := barriers(b), "copy_async wait_group barrier store"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPlace: buffers that are in use at the same time do not overlap, others do, and what a loop carries stays.
func TestPlace(t *testing.T) {
	b := NewBuilder("k", 128, nil)
	x, y, kept, unused := b.NewBuffer("x", 10000, 16), b.NewBuffer("y", 10000, 64), b.NewBuffer("kept", 32, 16), b.NewBuffer("unused", 1<<20, 16)
	b.Store(vec.I32, shared(kept), b.Int(0))
	b.Loop(func() {
		b.Load(vec.I32, 1, shared(kept))
		b.Store(vec.I32, shared(x), b.Int(0))
		b.Load(vec.I32, 1, shared(x))
		b.Store(vec.I32, shared(y), b.Int(0))
		b.Load(vec.I32, 1, shared(y))
		b.Break(0, 0)
	})
	b.Place()
	over := func(a, c *Buffer) bool { return a.Offset < c.Offset+c.Bytes && c.Offset < a.Offset+a.Bytes }
	if !over(x, y) || over(x, kept) || over(y, kept) || y.Offset%64 != 0 || len(b.Buffers) != 3 || b.Shared > 10100 {
		t.Errorf("x at %d, y at %d, kept at %d, unused at %d: %d bytes for %d buffers", x.Offset, y.Offset, kept.Offset, unused.Offset, b.Shared, len(b.Buffers))
	}
}

// TestApart: few bytes are not used twice.
func TestApart(t *testing.T) {
	b := NewBuilder("k", 128, nil)
	x, y := b.NewBuffer("x", 100, 16), b.NewBuffer("y", 100, 16)
	for _, buf := range []*Buffer{x, y} {
		b.Store(vec.I32, shared(buf), b.Int(0))
		b.Load(vec.I32, 1, shared(buf))
	}
	b.Place()
	if x.Offset == y.Offset {
		t.Errorf("both at %d", x.Offset)
	}
}

// TestOnce: what was computed is not computed again, and what does not change in a loop is computed before it, but not what is behind a
// branch.
func TestOnce(t *testing.T) {
	b := NewBuilder("k", 128, []vec.Type{vec.I32})
	p := b.Param(0)
	sum := b.Do(vec.Add, vec.I32, p, b.Int(1))
	b.Loop(func() {
		if again := b.Do(vec.Add, vec.I32, p, b.Int(1)); again != sum {
			t.Error("the sum is computed again")
		}
		b.Do(vec.Mul, vec.I32, sum, p)
		b.If(b.Compare(vec.I32, vec.EQ, p, sum), false, func() { b.Do(vec.Sub, vec.I32, p, sum) }, nil)
		b.Break(0, 0)
	})
	text := b.String()
	loop := strings.Index(text, "loop")
	if mul := strings.Index(text, "mul"); mul < 0 || mul > loop {
		t.Errorf("the product stays in the loop:\n%s", text)
	}
	if sub, branch := strings.Index(text, "sub"), strings.Index(text, "if "); sub < branch {
		t.Errorf("the difference left its branch:\n%s", text)
	}
}

// TestSimplify: constants are folded, and operations that change nothing left out.
func TestSimplify(t *testing.T) {
	b := NewBuilder("k", 128, []vec.Type{vec.I32, vec.NoType})
	p, m := b.Param(0), b.Param(1)
	for name, same := range map[string]bool{
		"folded":   b.IsConst(b.Do(vec.Mul, vec.I32, b.Int(6), b.Int(7)), 42),
		"compared": b.IsConst(b.Compare(vec.I32, vec.LT, b.Int(-1), b.Int(0)), 1),
		"sum":      b.Do(vec.Add, vec.I32, b.Int(0), p) == p,
		"product":  b.Do(vec.Mul, vec.I32, p, b.Int(8)) == b.DoImm(vec.ShlImm, vec.I32, 3, p),
		"zero":     b.IsConst(b.Do(vec.And, vec.I32, p, b.Int(0)), 0),
		"mask":     b.Do(vec.MAnd, vec.NoType, b.Bool(true), m) == m,
		"choice":   b.Do(vec.Select, vec.I32, m, p, p) == p,
		"never":    len(b.Load(vec.I32, 1, Access{At: b.Const(vec.I64, 8), Guard: b.Bool(false), Else: []Value{p}})) == 1,
	} {
		if !same {
			t.Errorf("%s is not simple", name)
		}
	}
	if strings.Contains(b.String(), "load") {
		t.Error("a load that no thread makes is there")
	}
}
