package access

import "github.com/cutile-go/cutile/tileir"

// pointer is where the pointers of a tile point to: base, a single pointer, plus a number of its elements.
type pointer struct {
	base *tileir.Value // nil if nothing is known
	at   Form
}

// pointer finds where a tile of pointers points to.
func (in *Info) pointer(v *tileir.Value) pointer {
	l := in.layer(v)
	if p, ok := l.pointers[v]; ok {
		return p
	}
	p, ok := in.explainPointer(v)
	if !ok {
		p = pointer{}
		if t := v.Type.(*tileir.TileType); t.Size() == 1 {
			p = pointer{base: v}
		}
	}
	l.pointers[v] = p
	return p
}

func (in *Info) explainPointer(v *tileir.Value) (pointer, bool) {
	if v.Def == nil {
		return in.carriedPointer(v)
	}
	rule := pointerRules[v.Def.Info.Opcode]
	if rule == nil {
		return pointer{}, false
	}
	return rule(in, v.Def)
}

// pointerRules has the operations on pointers that are understood.
var pointerRules [128]func(in *Info, o *tileir.Op) (pointer, bool)

func init() { // a literal would refer to itself
	for code, r := range map[int]func(in *Info, o *tileir.Op) (pointer, bool){
		tileir.OpAssume:   func(in *Info, o *tileir.Op) (pointer, bool) { return in.pointer(o.Operands[0]).known() },
		tileir.OpOffset:   offsetPointer,
		tileir.OpPtrToPtr: castPointer,
		tileir.OpReshape:  movedPointer, tileir.OpBroadcast: movedPointer, tileir.OpPermute: movedPointer,
	} {
		pointerRules[code] = r
	}
}

func (p pointer) known() (pointer, bool) { return p, p.base != nil }

func movedPointer(in *Info, o *tileir.Op) (pointer, bool) {
	p, ok := in.pointer(o.Operands[0]).known()
	if !ok {
		return p, false
	}
	p.at, ok = in.moved(p.at, o)
	return p, ok
}

// offsetPointer adds numbers of elements. Addresses wrap around at 64 bits, and so may their sums.
func offsetPointer(in *Info, o *tileir.Op) (pointer, bool) {
	p, ok := in.pointer(o.Operands[0]).known()
	if !ok {
		return p, false
	}
	p.at, ok = p.at.plus(in.offset(o.Operands[1]))
	return p, ok
}

// castPointer counts in elements of another type.
func castPointer(in *Info, o *tileir.Op) (pointer, bool) {
	p, ok := in.pointer(o.Operands[0]).known()
	if !ok {
		return p, false
	}
	from, to := o.Operands[0].Type.(*tileir.TileType).Elem, o.Results[0].Type.(*tileir.TileType).Elem
	if n, zero := p.at.Number(); zero && n == 0 {
		return p, true
	}
	if from.PerByte() != 1 || to.PerByte() != 1 || from.Bytes()%to.Bytes() != 0 {
		return p, false
	}
	p.at, ok = number(0).plusTimes(int64(from.Bytes()/to.Bytes()), p.at)
	return p, ok
}

// carriedPointer is a pointer that moves on by the same number of elements in each iteration of a loop.
func (in *Info) carriedPointer(v *tileir.Value) (p pointer, ok bool) {
	loop, first, next, ok := in.carriedBy(v)
	if !ok || in.assumed(loop) {
		return p, false
	}
	growth := number(0)
	in.assuming(loop, func() {
		in.layer(v).pointers[v] = pointer{base: v}
		moved := in.pointer(next)
		growth, ok = moved.at, moved.base == v && in.still(moved.at, loop)
	})
	if !ok {
		return p, false
	}
	if p, ok = in.pointer(first).known(); !ok {
		return p, false
	}
	p.at, ok = in.after(loop, p.at, growth)
	return p, ok
}

// offset is the form of the numbers of elements that are added to pointers. Sums and products of 64 bits may wrap around in it, as addresses do.
func (in *Info) offset(v *tileir.Value) Form {
	l := in.layer(v)
	if f, ok := l.offsets[v]; ok {
		return f
	}
	f := in.Form(v)
	if v.Def != nil && tileOf(v).Elem == tileir.I64 && offsetRules[v.Def.Info.Opcode] != nil {
		if wrapped, ok := offsetRules[v.Def.Info.Opcode](in, v.Def); ok {
			f = wrapped
		}
	}
	l.offsets[v] = f
	return f
}

// offsetRules has the operations on offsets whose results are those of integers that have no greatest number, but for multiples of 2^64.
var offsetRules [128]func(in *Info, o *tileir.Op) (Form, bool)

func init() { // a literal would refer to itself
	plus := func(n int64) func(in *Info, o *tileir.Op) (Form, bool) {
		return func(in *Info, o *tileir.Op) (Form, bool) {
			return in.offset(o.Operands[0]).plusTimes(n, in.offset(o.Operands[1]))
		}
	}
	moved := func(in *Info, o *tileir.Op) (Form, bool) { return in.moved(in.offset(o.Operands[0]), o) }
	for code, r := range map[int]func(in *Info, o *tileir.Op) (Form, bool){
		tileir.OpAddI: plus(1), tileir.OpSubI: plus(-1),
		tileir.OpMulI: func(in *Info, o *tileir.Op) (Form, bool) {
			return in.offset(o.Operands[0]).times(in.offset(o.Operands[1]))
		},
		tileir.OpReshape: moved, tileir.OpBroadcast: moved, tileir.OpPermute: moved,
	} {
		offsetRules[code] = r
	}
}
