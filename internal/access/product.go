package access

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Product is a matrix product, op. If Why is "", a for loop accumulates it: acc = a(k)·b(k) + acc in each iteration, where the
// loads of the factors move on evenly, and nothing that the entry does may write what they read. Then the loop may be computed
// as one product of long factors, in the order of k.
type Product struct {
	Op      *tileir.Op
	Why     string   // why no loop accumulates the product, in words
	Factors []Factor // lhs and rhs, and those of their scales, if there are any
	Size    [4]int   // of one product: batches (1 if there are none), m, n and k

	Init *tileir.Value // with which the sum begins
	Zero bool          // Init is zero everywhere

	// Of a sum that a loop carries, whatever its factors are; Loop is nil for others.
	Loop    *tileir.Op
	Carried int          // the number of the accumulator among the values that the loop carries
	Others  []*tileir.Op // what the loop does besides this product; nil means that the product is all
}

// Factor is an operand of a product.
type Factor struct {
	Value *tileir.Value
	Load  *Access      // that the elements come from; nil if they come from elsewhere
	From  Source       // the elements of the load that those of the factor are
	Via   []*tileir.Op // what converts the elements, in this order: none of them mixes elements
	Still bool         // the factor is the same in all iterations of the loop around the product
	Why   string       // why the factor is neither Still nor a load that moves on evenly in memory that nothing writes, in words

	// Advance is how far the load moves on in each iteration, in elements, and Joined says that the factor's next part begins
	// where this one ends along k: the parts are one long factor.
	Advance Form
	Joined  bool
}

// mmas are the operations that are products.
var mmas = map[int]bool{tileir.OpMmaF: true, tileir.OpMmaI: true, tileir.OpMmaFScaled: true}

// Products lists the matrix products of the entry, in the order of the text.
func (in *Info) Products() []*Product {
	if in.products != nil {
		return in.products
	}
	in.products = []*Product{}
	for o := range in.entry.All() {
		if mmas[o.Info.Opcode] {
			in.products = append(in.products, in.productOf(o))
		}
	}
	return in.products
}

func (in *Info) productOf(o *tileir.Op) *Product {
	p := &Product{Op: o}
	a, c := shapeOf(o.Operand("lhs")), shapeOf(o.Operand("acc"))
	r := len(a)
	p.Size = [4]int{1, c[r-2], c[r-1], a[r-1]}
	if r == 3 {
		p.Size[0] = a[0]
	}
	loop := in.owner[in.block[o]]
	for i := range o.Info.Operands {
		if o.Info.Operands[i].Name != "acc" {
			p.Factors = append(p.Factors, Factor{Value: o.Group(i)[0]})
		}
	}
	p.Init = o.Operand("acc")
	p.Why = in.accumulates(p, loop)
	p.Zero = in.zero(p.Init)
	loop = in.around(o)
	for i := range p.Factors {
		f := &p.Factors[i]
		in.factorOf(f, loop)
		f.Why = in.even(f, loop)
		f.Joined = f.Why == "" && in.joins(p, i)
		if p.Why == "" && f.Why != "" {
			p.Why = names[i] + " " + f.Why
		}
	}
	if p.Loop != nil {
		p.Others = in.others(p)
	}
	return p
}

// around is the innermost loop around an operation, or nil.
func (in *Info) around(o *tileir.Op) *tileir.Op {
	for {
		if o = in.owner[in.block[o]]; o == nil || o.Info.Opcode == tileir.OpFor || o.Info.Opcode == tileir.OpLoop {
			return o
		}
	}
}

// accumulates finds the loop that accumulates a product, or says why there is none.
func (in *Info) accumulates(p *Product, loop *tileir.Op) string {
	o := p.Op
	if loop == nil {
		return "it is in no loop"
	}
	if loop.Info.Opcode != tileir.OpFor {
		return "it is in " + article(loop) + ", not in the body of a for"
	}
	acc, sum := o.Operand("acc"), o.Results[0]
	n := in.values[acc]
	switch {
	case in.Invariant(acc, loop):
		return "it begins anew in each iteration"
	case acc.Def != nil || n.block != loop.Regions[0] || n.place == 0:
		return "the loop changes the sum before it adds the product"
	}
	body, init, next, ok := in.carriedBy(acc)
	switch {
	case !ok || body != loop:
		return "the loop goes on to the next iteration in several places, or counts in unsigned numbers"
	case next != sum:
		return "the loop changes the sum before the next iteration"
	case n.uses != 1 || in.values[sum].uses != 1:
		return "the loop uses the sum for more than the next iteration"
	}
	p.Loop, p.Carried, p.Init = loop, int(n.place)-1, init
	return ""
}

// article names an operation.
func article(o *tileir.Op) string {
	if o.Info.Opcode == tileir.OpIf {
		return "an if"
	}
	return "a " + o.Info.Mnemonic
}

// zero reports whether a value is zero everywhere, and not -0.
func (in *Info) zero(v *tileir.Value) bool {
	for _, s := range in.Source(v) {
		d := s.Value.Def
		if d == nil || d.Info.Opcode != tileir.OpConstant {
			return false
		}
		if bits, ok := d.Attr("value").(*tileir.Constant).Splat(); !ok || bits != 0 {
			return false
		}
	}
	return true
}

// cheap are the operations on single elements that a factor may go through.
var cheap = map[int]bool{tileir.OpFToF: true, tileir.OpIToF: true, tileir.OpExtI: true, tileir.OpTruncI: true, tileir.OpBitcast: true, tileir.OpNegF: true}

// factorOf follows a factor to its load.
func (in *Info) factorOf(f *Factor, loop *tileir.Op) {
	f.Still = loop != nil && in.Invariant(f.Value, loop)
	v := f.Value
	bits := in.Source(v)
	for len(bits) == 1 {
		s := bits[0]
		if f.Via == nil && f.From.Value == nil {
			f.From = s
		} else {
			f.From = f.From.compose(s)
		}
		o := s.Value.Def
		if o == nil {
			return
		}
		if a := in.access[o]; a != nil && a.Reads && !a.Writes && o.Results[0] == s.Value {
			f.Load = a
			reverse(f.Via)
			return
		}
		if !cheap[o.Info.Opcode] || o.Operands[0].Type.(*tileir.TileType).Size() != s.Value.Type.(*tileir.TileType).Size() {
			return
		}
		f.Via = append(f.Via, o)
		bits = in.Source(o.Operands[0])
	}
}

func reverse(ops []*tileir.Op) {
	for i, j := 0, len(ops)-1; i < j; i, j = i+1, j-1 {
		ops[i], ops[j] = ops[j], ops[i]
	}
}

// compose follows s, whose value has the elements of t's tile in their order, to t's value.
func (s Source) compose(t Source) Source {
	out := Source{Value: t.Value, When: s.When, Bits: make([]Bit, len(t.Bits))}
	for i, b := range t.Bits {
		if out.Bits[i] = b; b.Of == nil && b.N >= 0 {
			out.Bits[i] = s.Bits[b.N]
		}
	}
	return out
}

// names are what the factors are called.
var names = [...]string{"lhs", "rhs", "the scale of lhs", "the scale of rhs"}

// even finds how far the load of a factor moves on in each iteration.
func (in *Info) even(f *Factor, loop *tileir.Op) string {
	a := f.Load
	switch {
	case loop == nil:
		return "is in no loop"
	case f.Still:
		return "" // it was computed before
	case loop.Info.Opcode != tileir.OpFor:
		return "is in a loop without a counter"
	case a == nil:
		return "is no load: it comes from " + in.comesFrom(f)
	case a.Base == nil:
		return "is loaded through pointers that are known only when the kernel runs"
	case !in.outside(a.Base, loop) || !in.still(a.Gathered, loop):
		return "is gathered from places that are different in each iteration"
	case !in.ReadOnly(a):
		return "may be written by the entry"
	case slices.ContainsFunc(a.Mask.Rest, func(v *tileir.Value) bool { return !in.Invariant(v, loop) }):
		return "has a mask that is neither a comparison of indices with a bound nor the same in all iterations"
	}
	for d := range a.Dims {
		if !in.still(a.Dims[d].Stride, loop) {
			return "has a stride that is different in each iteration"
		}
	}
	counter := loop.Regions[0].Args[0]
	var linear bool
	if f.Advance, linear = in.slope(a.Start, counter, loop); !linear {
		return "does not move on evenly"
	}
	return in.evenBounds(a, counter, loop)
}

// evenBounds says why the bounds of a load do not move on evenly.
func (in *Info) evenBounds(a *Access, counter *tileir.Value, loop *tileir.Op) string {
	bounds := make([]Form, 0, 2*len(a.Dims))
	for _, d := range a.Dims {
		bounds = append(bounds, d.From, d.Extent)
	}
	for _, b := range a.Mask.Bounds {
		bounds = append(bounds, b.Less)
	}
	for _, f := range bounds {
		// What one element's position is made of is in no Start: it must be the same in all iterations.
		if _, ok := in.slope(f, counter, loop); !ok {
			return "has a bound that does not move on evenly"
		}
	}
	return ""
}

func (in *Info) comesFrom(f *Factor) string {
	v := f.From.Value
	switch {
	case v == nil:
		return "several values"
	case v.Def == nil:
		return "a value that the loop carries"
	}
	return v.Def.Info.Mnemonic
}

// slope is how much a form grows in each iteration of a loop; it reports false if it does not grow evenly.
func (in *Info) slope(f Form, counter *tileir.Value, loop *tileir.Op) (Form, bool) {
	is := func(a Atom) bool { return a.Kind == Counter && a.Value == counter }
	each := Form{}
	for _, t := range f.Terms {
		rest := t.without(is)
		if rest.Equal(Form{Terms: []Term{t}}) {
			if !in.still(rest, loop) {
				return each, false
			}
			continue
		}
		var ok bool
		if each, ok = each.plus(rest); !ok || !in.still(rest, loop) {
			return each, false
		}
	}
	return each.times(in.Form(loop.Operands[2]))
}

// joins reports whether a factor's parts follow one another along k.
func (in *Info) joins(p *Product, i int) bool {
	f := &p.Factors[i]
	if f.Load == nil || len(f.From.When) > 0 {
		return false
	}
	shape := shapeOf(f.Value)
	dim := len(shape) - 1 // of k
	if i%2 == 1 {
		dim = len(shape) - 2
	}
	strides, ok := f.From.Strides(shape)
	if !ok || shape[dim] == 1 {
		return false
	}
	// The dimension of the load whose elements lie so far apart in it is that of k.
	n := 1
	for d := len(f.Load.Dims) - 1; d >= 0; n, d = n*f.Load.Dims[d].Size, d-1 {
		dd := f.Load.Dims[d]
		if n == strides[dim] && dd.Size == shape[dim] {
			whole, ok := number(0).plusTimes(int64(dd.Size), dd.Stride)
			return ok && dd.Step != Gather && whole.Equal(f.Advance)
		}
	}
	return false
}

// others lists what the loop does besides the product: everything but the product itself, its factors' loads, what leads to
// them, and the joining of tokens.
func (in *Info) others(p *Product) (out []*tileir.Op) {
	own := map[*tileir.Op]bool{p.Op: true}
	var mark func(v *tileir.Value)
	mark = func(v *tileir.Value) {
		if v.Def == nil || own[v.Def] || in.outside(v, p.Loop) {
			return
		}
		own[v.Def] = true
		for _, w := range v.Def.Operands {
			mark(w)
		}
	}
	for _, f := range p.Factors {
		mark(f.Value)
	}
	for _, o := range p.Loop.Regions[0].Ops {
		if !own[o] && !o.Info.Terminator && o.Info.Opcode != tileir.OpJoinTokens {
			out = append(out, o)
		}
	}
	return out
}
