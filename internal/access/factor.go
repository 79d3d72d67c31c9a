package access

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

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
	case tileir.Int(a.Op.Int("memory_ordering_semantics")) != tileir.MemoryWeak:
		return "is loaded in an order with what others do"
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
