package emit

import (
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// scatter changes elements, in loops along the axes that a block goes along. Each access waits for those before.
func (e *emitter) scatter() {
	var serial, rows []int
	for i, a := range e.axes {
		switch role := e.kernel.Axes[i].Role; {
		case role == loops.Serial:
			serial = append(serial, i)
		case role == loops.Row && a.looped: // folds have loops of their own along other axes
			rows = append(rows, i)
		}
	}
	order := e.looped(append(serial, rows...))
	e.tokens(order, e.MakeToken(), e.change)
}

// updated reports whether an axis is one of the updates: others are only folded.
func (e *emitter) updated(axis int) bool {
	role := e.kernel.Axes[axis].Role
	return role == loops.Grid || role == loops.Row || role == loops.Serial
}

// tokens runs body in loops along axes, each time behind the token that the time before gave.
func (e *emitter) tokens(along []int, token *tileir.Value, body func(*tileir.Value) *tileir.Value) *tileir.Value {
	return e.loop(along, []*tileir.Value{token}, func(carried []*tileir.Value) []*tileir.Value {
		return []*tileir.Value{body(carried[0])}
	})[0]
}

// change changes the elements of a tile.
func (e *emitter) change(token *tileir.Value) *tileir.Value {
	x := e.eval(e.kernel.Value)
	mask := e.conditions(e.kernel.Where)
	var all uint64 // an update may be the same along an axis, but goes to other places
	for d, i := range e.dims {
		if !e.updated(i) {
			continue
		}
		all |= 1 << d
		if e.axes[i].ragged() {
			mask = e.both(mask, e.within(i))
		}
	}
	ptr, place := e.place(e.kernel.Into, e.kernel.At)
	at := e.index(place)
	if all == 0 {
		return e.changeOne(ptr, at.v, mask.v, x, token)
	}
	pointers := e.expand(value{e.reshape(ptr, e.shape(0)), e.kernel.Into.Elem(), 0}, all)
	to := e.Offset(pointers.v, e.expand(at, all).v)
	x = e.expand(x, all)
	opts := []tileir.Option{tileir.WithToken(token)}
	if mask.v != nil {
		opts = append(opts, tileir.WithMask(e.expand(mask, all).v))
	}
	if e.kernel.Fold != nil {
		load := opts
		if mask.v != nil {
			load = append(load[:len(load):len(load)], tileir.WithPadding(e.expand(e.splat(x.elem, 0), all).v))
		}
		old, loaded := e.LoadPtrTko(to, tileir.MemoryWeak, load...)
		x.v = e.apply(e.kernel.Fold.Func, x.elem, old, x.v)
		opts[0] = tileir.WithToken(loaded)
	}
	return e.StorePtrTko(to, x.v, tileir.MemoryWeak, opts...)
}

// changeOne changes one element, through a view, as engines do so at once. An element that is not to be changed is taken to lie behind the
// array.
func (e *emitter) changeOne(ptr, at, mask *tileir.Value, x value, token *tileir.Value) *tileir.Value {
	n := e.kernel.Into.Len() - int(e.arrays[e.kernel.Into].first)
	t := irElem(e.kernel.Into.Elem())
	at = e.reshape(at, nil)
	if mask != nil {
		at = e.Select(e.reshape(mask, nil), at, e.number(n))
	}
	tensor := &tileir.TensorViewType{Elem: t, Shape: []int64{int64(n)}, Strides: []int64{1}}
	view := e.MakePartitionView(e.MakeTensorView(ptr, nil, nil, tensor), &tileir.PartitionViewType{Tensor: tensor, Tile: []int{1}, DimMap: []int{0}, Padding: tileir.PadZero})
	v := e.reshape(x.v, []int{1})
	if e.kernel.Fold != nil {
		old, loaded := e.LoadViewTko(view, []*tileir.Value{at}, tileir.MemoryWeak, tileir.WithToken(token))
		v, token = e.apply(e.kernel.Fold.Func, x.elem, old, v), loaded
	}
	return e.StoreViewTko(v, view, []*tileir.Value{at}, tileir.MemoryWeak, tileir.WithToken(token))
}
