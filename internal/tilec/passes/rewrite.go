package passes

import "github.com/cutile-go/cutile/tileir"

// has reports whether a kernel has an operation: most have nothing for some passes to change.
func has(e *tileir.Entry, code int) bool {
	for o := range e.All() {
		if o.Info.Opcode == code {
			return true
		}
	}
	return false
}

// rewriter gives blocks other operations.
type rewriter struct {
	out []*tileir.Op // the block being rewritten
}

// block asks for each operation of a block, after what is in its regions, what stands in its place: f keeps and emits it.
func (w *rewriter) block(b *tileir.Block, f func(o *tileir.Op)) {
	outer := w.out
	w.out = make([]*tileir.Op, 0, len(b.Ops))
	for _, o := range b.Ops {
		for r := range o.Blocks() {
			w.block(r, f)
		}
		f(o)
	}
	b.Ops, w.out = w.out, outer
}

func (w *rewriter) keep(o *tileir.Op) { w.out = append(w.out, o) }

// emit adds an operation with single operands and gives its result.
func (w *rewriter) emit(in *tileir.Info, operands []*tileir.Value, attrs []tileir.Attr, t tileir.Type, loc tileir.Loc) *tileir.Value {
	var groups [][]*tileir.Value
	for i := range operands {
		groups = append(groups, operands[i:i+1])
	}
	o := tileir.NewOp(in, groups, attrs, []tileir.Type{t}, nil, loc)
	w.keep(o)
	return o.Results[0]
}

// constant emits a constant.
func (w *rewriter) constant(c *tileir.Constant, loc tileir.Loc) *tileir.Value {
	return w.emit(tileir.LookupOpcode(tileir.OpConstant), nil, []tileir.Attr{c}, c.Type, loc)
}
