package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
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
		f.staged = x.stagePart(name, v, t.Mask(dim)&^((count-1)<<t.Shift(dim)), part*count<<t.Shift(dim))
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

// turn adds the products for one k.
func (x *matrix) turn(vars []ir.Var, counter ir.Var) {
	k := x.Get(counter)
	acc := make([]ir.Value, len(vars))
	for i, v := range vars {
		acc[i] = x.Get(v)
	}
	in := make([][]ir.Value, len(x.factors))
	for i, f := range x.factors {
		in[i] = x.elements(f, k)
	}
	out := make([]ir.Value, len(vars))
	for r := range out {
		out[r] = x.multiply(acc[r], in, r)
	}
	x.Set(vars, out)
	next := x.add(k, x.Int(1))
	x.Set([]ir.Var{counter}, []ir.Value{next})
	x.Break(0, x.Compare(vec.I32, vec.GE, next, x.Int(x.k/x.parts)))
}

// elements gives the element of a factor that each register of the result needs.
func (x *matrix) elements(f *factor, k ir.Value) []ir.Value {
	l := x.lay.Mapped(f.elem)
	at := x.linear(k, mapOf(x.k/x.parts, func(n int) int { return f.offset(f.along(n)) }))
	known := map[int]ir.Value{}
	out := make([]ir.Value, x.lay.Regs())
	for r := range out {
		n := l.Reg.Apply(r)
		if v, ok := known[n]; ok {
			out[r] = v
			continue
		}
		thread := x.linear(x.thread(), l.Thread().Mapped(f.offset))
		place := x.Do(vec.Xor, vec.I32, x.Do(vec.Xor, vec.I32, thread, at), x.Int(f.offset(n)))
		v := x.Load(inShared(f.form), 1, ir.Access{Space: ir.Shared, Buffer: f.buf, At: place, Align: f.form.Bytes()})[0]
		v = x.fromMemory(f.t, v)
		if f.wide != nil {
			v = x.inline(f.wide, v)
		}
		known[n], out[r] = v, v
	}
	return out
}

// multiply adds the product of register r's factors to its sum.
func (x *matrix) multiply(acc ir.Value, in [][]ir.Value, r int) ir.Value {
	form := x.form(x.sum)
	switch {
	case len(in) == 4:
		return x.inline(x.scaledProduct(), in[0][r], in[1][r], in[2][r], in[3][r], acc)
	case form == vec.I32:
		return x.Do(vec.Add, form, acc, x.Do(vec.Mul, form, in[0][r], in[1][r]))
	}
	return x.Do(vec.FMulAdd, form, in[0][r], in[1][r], acc)
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
