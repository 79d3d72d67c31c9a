package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// matrix is a product whose threads multiply by fused operations, in the order of k as the CPU engine does.
type matrix struct {
	*emitter
	op             *tileir.Op
	shape          linear.Shape // of the result: perhaps batches, rows, columns
	batch, m, n, k int
	sum            *tileir.TileType
	lay            *linear.Layout
	parts          int // of k, whose factors are in shared memory one after another
	factors        []*factor
}

// factor is an operand in shared memory.
type factor struct {
	*staged
	t     *tileir.TileType
	elem  func(n int) int // the element that an element of the result needs, for k = 0
	along func(k int) int // and what is added for k
	wide  *template       // to the type in which is multiplied
}

// multiplySingle multiplies single elements.
func (e *emitter) multiplySingle(op *tileir.Op) {
	r := op.Results[0]
	a, acc := typeOf(op.Operands[0]), op.Operand("acc")
	x := &matrix{emitter: e, op: op, shape: typeOf(r).Shape, batch: 1, k: a.Shape[len(a.Shape)-1]}
	rank := len(x.shape)
	x.m, x.n = x.shape[rank-2], x.shape[rank-1]
	if rank == 3 {
		x.batch = x.shape[0]
	}
	x.sum = typeOf(r)
	if x.sum.Elem == tileir.F16 {
		x.sum = tileir.Tile(tileir.F32, x.shape...)
	}
	x.lay = e.wanted(r)
	x.parts = x.divided()
	regs := e.get(acc, x.lay)
	vars := make([]ir.Var, len(regs))
	first := make([]ir.Value, len(regs))
	for i, v := range regs {
		vars[i] = e.NewVar(e.class(x.sum))
		first[i] = e.converted(v, typeOf(acc).Elem, x.sum.Elem, 0)
	}
	e.Set(vars, first)
	for part := range x.parts {
		x.prepare(part)
		k := e.NewVar(vec.V32)
		e.Set([]ir.Var{k}, []ir.Value{e.Int(0)})
		e.Loop(func() { x.turn(vars, k) })
	}
	out := make([]ir.Value, len(vars))
	for i, v := range vars {
		out[i] = e.converted(e.Get(v), x.sum.Elem, typeOf(r).Elem, 0)
	}
	e.set(r, x.lay, out)
}

// divided is the number of parts of k for which the factors have room in shared memory: one part may take all of it, of several each
// a half.
func (x *matrix) divided() int {
	bytes := 0
	for i, v := range x.op.Operands {
		if i != 2 { // the accumulator
			bytes += typeOf(v).Size() * lane.Stored(typeOf(v)).Bytes()
		}
	}
	if bytes <= x.target.Shared {
		return 1
	}
	parts := 2
	for bytes/parts > x.target.Shared/2 {
		parts *= 2
	}
	most := x.k
	if x.scaled() {
		by := typeOf(x.op.Operands[3]).Shape
		most = by[len(by)-1]
	}
	if parts > most {
		x.refuse("a factor with %d elements along k has to lie in shared memory in %d parts", x.k, parts)
	}
	return parts
}

func (x *matrix) scaled() bool { return x.op.Info.Opcode == tileir.OpMmaFScaled }

// prepare puts one part of the factors, and of their scales, into shared memory.
func (x *matrix) prepare(part int) {
	x.factors = nil
	sh := x.shape
	row := func(n int) int { return sh.Coord(len(sh)-2, n) }
	column := func(n int) int { return sh.Coord(len(sh)-1, n) }
	batch := func(n int) int { return n / (x.m * x.n) }
	wide := x.sum.Elem
	if x.scaled() {
		wide = tileir.F32
	}
	add := func(i int, name string, elem, along func(n int) int, signedness string) {
		v := x.op.Operands[i]
		f := &factor{t: typeOf(v), elem: elem, along: along}
		sign := int64(0)
		if signedness != "" {
			sign = x.op.Int(signedness)
		}
		if f.t.Elem != wide {
			f.wide = x.conversion(f.t.Elem, wide, sign)
		}
		t := linear.Shape(f.t.Shape)
		dim := len(t) - 1 // along k
		if i%3 == 1 {     // on the right
			dim--
		}
		count := t[dim] / x.parts
		if f.staged = x.known(v).stage; f.staged == nil {
			f.staged = x.stagePart(name, v, t.Mask(dim)&^((count-1)<<t.Shift(dim)), part*count<<t.Shift(dim))
		}
		x.factors = append(x.factors, f)
	}
	left, right := "", ""
	if x.op.Info.Opcode == tileir.OpMmaI {
		left, right = "signedness_lhs", "signedness_rhs"
	}
	add(0, "lhs", func(n int) int { return (batch(n)*x.m + row(n)) * x.k }, func(k int) int { return k }, left)
	add(1, "rhs", func(n int) int { return batch(n)*x.k*x.n + column(n) }, func(k int) int { return k * x.n }, right)
	if x.scaled() {
		by := typeOf(x.op.Operands[3]).Shape
		blocks := by[len(by)-1]
		run := x.k / blocks
		add(3, "lhs_scale", func(n int) int { return (batch(n)*x.m + row(n)) * blocks }, func(k int) int { return k / run }, "")
		add(4, "rhs_scale", func(n int) int { return batch(n)*blocks*x.n + column(n) }, func(k int) int { return k / run * x.n }, "")
	}
}

// mostInTurn is how many products a turn has at most, unless one k has more.
const mostInTurn = 512

// unrolled is how many k a turn takes: so many that threads read neighbours of a factor at once, where products are short.
func (x *matrix) unrolled() int {
	n := 1
	for x.target.Fused && !x.scaled() && n < 4 && 2*n*x.lay.Regs() <= mostInTurn && x.k/x.parts%(2*n) == 0 {
		n *= 2
	}
	return n
}

// turn adds the products for some k, a row of the result after the other, so that few elements of the left factor are held at a time.
func (x *matrix) turn(vars []ir.Var, counter ir.Var) {
	k, count := x.Get(counter), x.unrolled()
	acc := make([]ir.Value, len(vars))
	for i, v := range vars {
		acc[i] = x.Get(v)
	}
	reads := make([]*reader, len(x.factors))
	for i, f := range x.factors {
		reads[i] = x.reader(f, k, count)
	}
	in := make([]ir.Value, len(reads))
	for r := range acc {
		for plus := range count {
			for i, f := range reads {
				in[i] = f.element(r, plus)
			}
			acc[r] = x.multiply(acc[r], in)
		}
	}
	x.Set(vars, acc)
	next := x.add(k, x.Int(count))
	x.Set([]ir.Var{counter}, []ir.Value{next})
	x.Break(0, x.Compare(vec.I32, vec.GE, next, x.Int(x.k/x.parts)))
}

// reader reads what a thread needs of a factor for some k, several neighbours at once.
type reader struct {
	*matrix
	f     *factor
	lay   *linear.Layout // of the result, for the factor's elements
	base  ir.Value       // of the place of the thread's elements for the first k
	span  int            // the bits of places that base may have
	run   int            // elements that are read at once
	known map[int]ir.Value
}

// reader is for so many k from a multiple of that number on.
func (x *matrix) reader(f *factor, k ir.Value, count int) *reader {
	r := &reader{matrix: x, f: f, lay: x.lay.Mapped(f.elem), run: 1, known: map[int]ir.Value{}}
	thread := r.lay.Thread().Mapped(f.offset)
	turns := mapOf(x.k/x.parts, func(n int) int { return f.offset(f.along(n &^ (count - 1))) })
	r.base, r.span = x.Do(vec.Xor, vec.I32, x.linear(x.thread(), thread), x.linear(k, turns)), thread.Span()|turns.Span()
	size := f.form.Bytes()
	own := append(r.lay.Reg.Mapped(f.offset), mapOf(count, func(n int) int { return f.offset(f.along(n)) })...)
	for n := size; n < plan.Widest && r.span&(2*n-1) == 0 && slices.Contains(own, n); n *= 2 {
		r.run *= 2
	}
	return r
}

// element is what register n of the result needs for a k of the turn.
func (r *reader) element(n, plus int) ir.Value {
	size := r.inShared(r.f.form).Bytes()
	place := r.f.offset(r.lay.Reg.Apply(n)) ^ r.f.offset(r.f.along(plus))
	if v, ok := r.known[place]; ok {
		return v
	}
	first := place &^ (r.run*size - 1)
	at := r.base
	if c := first & r.span; c != 0 {
		at = r.Do(vec.Xor, vec.I32, at, r.Int(c))
	}
	if r.f.plus != 0 {
		at = r.add(at, r.f.plus)
	}
	m := ir.Access{Space: ir.Shared, Buffer: r.f.buf, At: at, Disp: int64(first &^ r.span), Align: r.run * size}
	for i, v := range r.loadRun(r.inShared(r.f.form), r.run, m, nil) {
		v = r.fromMemory(r.f.t, v)
		if r.f.wide != nil {
			v = r.inline(r.f.wide, v)
		}
		r.known[first+i*size] = v
	}
	return r.known[place]
}

// multiply adds the product of factors to a sum.
func (x *matrix) multiply(acc ir.Value, in []ir.Value) ir.Value {
	form := x.form(x.sum)
	switch {
	case len(in) == 4:
		return x.inline(x.scaledProduct(), in[0], in[1], in[2], in[3], acc)
	case form == vec.I32:
		return x.Do(vec.Add, form, acc, x.Do(vec.Mul, form, in[0], in[1]))
	}
	return x.Do(vec.FMulAdd, form, in[0], in[1], acc)
}

// scaledProduct adds the product of two elements and their scales, which float64 holds, with one rounding.
func (x *matrix) scaledProduct() *template {
	key := move{kind: scaledMove}
	if t := x.moves[key]; t != nil {
		return t
	}
	f32 := vec.F32.Class()
	t, _ := newTemplate([]vec.Class{f32, f32, f32, f32, f32}, func(b *vec.Builder, a []vec.Reg) (vec.Reg, bool) {
		wide := make([]vec.Reg, len(a))
		for i, r := range a {
			wide[i] = b.Convert(vec.FConvert, vec.F64, vec.F32, r)
		}
		left, right := b.Do(vec.FMul, vec.F64, wide[0], wide[2]), b.Do(vec.FMul, vec.F64, wide[1], wide[3])
		return vecmath.Single(b, vec.Nearest, vecmath.Wide(b, vec.FMulAdd, false, []vec.Reg{left, right, wide[4]})), true
	})
	x.moves[key] = t
	return t
}
