package access

import (
	"github.com/cutile-go/cutile/tileir"
)

// Product is a matrix product. If Why is "", a for loop accumulates it: acc = a(k)·b(k) + acc in each iteration, where the
// loads of the factors move on evenly, and nothing that the entry does may write what they read. If all factors are also
// Joined and Others is nil, the loop is one product of long factors, in the order of k. What masks, bounds and padding say of
// the loads holds for the long factors, too; values in [Mask.Rest] are the same in all iterations.
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

// names are what the factors are called.
var names = [...]string{"lhs", "rhs", "the scale of lhs", "the scale of rhs"}

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
