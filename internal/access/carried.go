package access

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// carriedBy gives the for loop that carries a value from iteration to iteration, the value that it starts with and the one that
// an iteration leaves. It reports false for other values, and for loops that go on to the next iteration in several places.
func (in *Info) carriedBy(v *tileir.Value) (loop *tileir.Op, first, next *tileir.Value, ok bool) {
	n := in.values[v]
	if n.block == nil || v.Def != nil || n.place == 0 {
		return nil, nil, nil, false
	}
	loop = in.owner[n.block]
	if loop == nil || loop.Info.Opcode != tileir.OpFor || loop.Int("unsignedCmp") != 0 || len(ends(n.block, tileir.OpContinue)) != 1 {
		return nil, nil, nil, false
	}
	last := n.block.Ops[len(n.block.Ops)-1]
	if last.Info.Opcode != tileir.OpContinue {
		return nil, nil, nil, false
	}
	i := n.place - 1
	return loop, loop.Group(3)[i], last.Operands[i], true
}

// carried is the form of an integer that grows by the same number in each iteration of a loop.
func (in *Info) carried(v *tileir.Value) (Form, bool) {
	loop, first, next, ok := in.carriedBy(v)
	if !ok || in.assumed(loop) {
		return Form{}, false
	}
	var growth Form
	proved := false
	in.assuming(loop, func() {
		if growth, ok = in.added(v, next); ok {
			return
		}
		proved = true // where it is no plain sum, no iteration wraps around
		growth, ok = in.Form(next).minus(in.opaque(v))
	})
	if !ok || !in.still(growth, loop) {
		return Form{}, false
	}
	f, ok := in.after(loop, in.Form(first), growth)
	if !ok {
		return Form{}, false
	}
	// All numbers on the way lie between the first and the last: none wraps around if these do not.
	return f, proved || in.fits(f, v, next.Def)
}

// added is what an operation adds to a carried value.
func (in *Info) added(v, next *tileir.Value) (Form, bool) {
	o := next.Def
	switch {
	case o == nil:
	case o.Info.Opcode == tileir.OpAddI && o.Operands[0] == v:
		return in.Form(o.Operands[1]), true
	case o.Info.Opcode == tileir.OpAddI && o.Operands[1] == v:
		return in.Form(o.Operands[0]), true
	case o.Info.Opcode == tileir.OpSubI && o.Operands[0] == v:
		return number(0).minus(in.Form(o.Operands[1]))
	}
	return Form{}, false
}

// layer has what was found out: of everything, or while the values that a loop carries are taken as they are at the beginning
// of an iteration, of what is in that loop.
type layer struct {
	loop     *tileir.Op // nil for everything
	forms    map[*tileir.Value]Form
	offsets  map[*tileir.Value]Form
	pointers map[*tileir.Value]pointer
}

// layer is where what is found out about a value belongs: nothing outside of a loop depends on what it carries.
func (in *Info) layer(v *tileir.Value) *layer {
	i := len(in.layers) - 1
	for i > 0 && in.outside(v, in.layers[i].loop) {
		i--
	}
	return in.layers[i]
}

// assuming looks at a loop's body with all values that the loop carries taken as they are, not as what they become.
func (in *Info) assuming(loop *tileir.Op, look func()) {
	in.layers = append(in.layers, &layer{loop, map[*tileir.Value]Form{}, map[*tileir.Value]Form{}, map[*tileir.Value]pointer{}})
	look()
	in.layers = in.layers[:len(in.layers)-1]
}

// assumed reports whether the values that a loop carries are taken as they are.
func (in *Info) assumed(loop *tileir.Op) bool {
	return slices.ContainsFunc(in.layers, func(l *layer) bool { return l.loop == loop })
}

// still reports whether a form is the same in all iterations of a loop.
func (in *Info) still(f Form, loop *tileir.Op) bool {
	return !f.any(func(a Atom) bool { return a.Kind != Index && !in.outside(a.Value, loop) })
}

// outside reports whether a value comes to be outside of a loop.
func (in *Info) outside(v *tileir.Value, loop *tileir.Op) bool {
	for b := in.values[v].block; b != nil; {
		o := in.owner[b]
		if o == loop {
			return false
		}
		b = in.block[o]
	}
	return true
}

// after is what a number that begins as first becomes by growing in each iteration: first + growth*(counter - lower)/step.
func (in *Info) after(loop *tileir.Op, first, growth Form) (Form, bool) {
	step, ok := in.Form(loop.Operands[2]).Number()
	if !ok || step < 1 || growth.Const%step != 0 {
		return Form{}, false
	}
	each := number(growth.Const / step)
	for _, t := range growth.Terms {
		if t.Coef%step != 0 {
			return Form{}, false
		}
		each.Terms = append(each.Terms, Term{t.Coef / step, t.Atoms})
	}
	past, ok := in.Form(loop.Regions[0].Args[0]).minus(in.Form(loop.Operands[0]))
	if !ok {
		return Form{}, false
	}
	if each, ok = each.times(past); !ok {
		return Form{}, false
	}
	return first.plus(each)
}
