package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// fetch is a tile that comes as boxes where it is loaded, with its counter.
type fetch struct {
	*plan.Feed
	number  int // of the tensor
	counter *ir.Buffer
	parity  ir.Var // of the counter's next turn
}

// beginFetches makes the counters of tiles that come as boxes. Who multiplies beside a producer meets it anyway before they are used.
func (e *emitter) beginFetches() {
	if len(e.p.Fetches) == 0 {
		return
	}
	e.fetches = map[*tileir.Op]*fetch{}
	e.If(e.elected(), false, func() {
		for op := range e.p.Entry.All() {
			if f := e.p.Fetches[op]; f != nil {
				e.fetches[op] = &fetch{f, len(e.Kernel.Tensors), e.NewBuffer("counter", counterBytes, 0), 0}
				e.Kernel.Tensors = append(e.Kernel.Tensors, f.Tensor)
				e.fetches[op].counter.Pinned = true
				e.InitCounters(1, 1, counterAt(e.fetches[op].counter, 0))
			}
		}
	}, nil)
	if e.p.Producer == nil {
		e.Barrier()
	}
}

// beginParities sets those of the counters, for the warps that wait.
func (e *emitter) beginParities() {
	for op := range e.p.Entry.All() {
		if f := e.fetches[op]; f != nil {
			f.parity = e.NewVar(vec.V32)
			e.Set([]ir.Var{f.parity}, []ir.Value{e.Int(0)})
		}
	}
}

// fetchTile has one thread begin the boxes of a tile, and all wait for them. What threads have written where the tile goes, they show to the copies.
func (e *emitter) fetchTile(f *fetch) {
	r := f.Load.Results[0]
	t, dim := typeOf(r), e.p.Vector(f.Load).Dim
	buf := e.NewBuffer("tile", t.Size()*f.Tensor.Bytes, plan.GroupAlign)
	corner, counter := e.corner(f.Load), counterAt(f.counter, 0)
	e.FenceAsync()
	e.If(e.elected(), false, func() {
		e.ExpectBytes(t.Size()*f.Tensor.Bytes, counter)
		e.copyParts(f.number, t.Shape[dim], t.Size(), ir.Access{Space: ir.Shared, Buffer: buf, Align: plan.GroupAlign}, counter, corner)
	}, nil)
	parity := e.Get(f.parity)
	e.AwaitBytes(counter, parity, buf)
	e.Set([]ir.Var{f.parity}, []ir.Value{e.Do(vec.Xor, vec.I32, parity, e.Int(1))})
	place := &staged{buf: buf, form: lane.Stored(t), offset: e.p.Offset(f.Load), unit: 1 << linear.Shape(t.Shape).Shift(dim)}
	e.vals[r] = &tile{t: t, lay: e.p.Memory(f.Load, t), stage: place}
	for _, via := range f.Via {
		e.fed[via] = true
		e.turned(via)
	}
}
