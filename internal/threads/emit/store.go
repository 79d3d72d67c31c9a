package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// storeBox writes a tile through shared memory, from where the first thread copies it as boxes of a tensor:
//
//	all threads write what they have, and show it to the copies
//	a barrier, which [ir.Kernel.Synchronise] puts in front of the copies
//	the first thread begins the copies, and waits until they have read the tile
//
// Elements outside of the tensor stay as they are. Accesses to global memory that are ordered with the store wait for one another as follows. Boxes are all
// copied by the first thread, which waits until those that come before have been written. What other instructions have written before, all threads show
// to the copies; those that come behind find that the copies have ended, and need no further fence (PTX ISA, section "Async proxy").
func (e *emitter) storeBox(op *tileir.Op, tensor *ir.Tensor) {
	value := op.Operand("tile")
	t, l := typeOf(value), e.current(value)
	dim := e.p.Vector(op).Dim
	s := &staged{buf: e.NewBuffer("store", t.Size()*tensor.Bytes, plan.GroupAlign), form: lane.Stored(t), offset: plan.Place(t.Shape, dim, tensor.Bytes),
		unit: 1 << linear.Shape(t.Shape).Shift(dim)}
	regs := make([]ir.Value, l.Regs())
	for i, v := range e.get(value, l) {
		regs[i] = e.toMemory(t, v)
	}
	e.write(s, regs, l, e.first(l), all)
	around := e.boxOrder(op)
	if around.written {
		e.FenceMemory()
	} else {
		e.FenceAsync()
	}
	number := len(e.Kernel.Tensors)
	e.Kernel.Tensors = append(e.Kernel.Tensors, tensor)
	e.If(e.elected(), false, func() {
		if around.boxes {
			e.WaitBoxes(false)
		}
		e.storeParts(op, number, s.buf)
		e.CommitBoxes()
		if !e.ends(op) {
			e.WaitBoxes(!around.behind, s.buf)
		}
	}, nil)
}

// storeParts begins the copies of a tile: the parts of its rows that are 128 bytes long are boxes of their own.
func (e *emitter) storeParts(op *tileir.Op, number int, buf *ir.Buffer) {
	tensor, t := e.Kernel.Tensors[number], typeOf(op.Operand("tile"))
	order := ir.Access{Space: ir.Global, Turn: e.turns[op], Solo: true}
	corner, box := e.corner(op), tensor.Dims[0].Box
	parts := t.Shape[e.p.Vector(op).Dim] / box
	for i := range parts {
		from := ir.Access{Space: ir.Shared, Buffer: buf, Disp: int64(i * t.Size() / parts * tensor.Bytes), Align: plan.GroupAlign}
		e.StoreBox(number, from, order, append([]ir.Value{e.add(corner[0], e.Int(i*box))}, corner[1:]...)...)
	}
}

// boxOrder says what a store of boxes is ordered with.
type boxOrder struct {
	boxes, written bool // that it comes after: stores of boxes, and what else writes
	behind         bool // other accesses come after it
}

func (e *emitter) boxOrder(op *tileir.Op) (around boxOrder) {
	own := e.turns[op]
	for _, a := range e.p.Info.Accesses() {
		t, box := e.turns[a.Op], e.p.Stores[a.Op] != nil
		around.boxes = around.boxes || box && own.After[t]
		around.written = around.written || !box && a.Writes && own.After[t]
		around.behind = around.behind || !box && t.After[own]
	}
	return around
}

// ends reports whether the kernel ends behind an operation.
func (e *emitter) ends(op *tileir.Op) bool {
	list := e.p.Entry.Body.Ops
	return len(list) > 1 && list[len(list)-2] == op && list[len(list)-1].Info.Opcode == tileir.OpReturn
}

// endStores waits for all boxes, where a kernel ends.
func (e *emitter) endStores() {
	if len(e.p.Stores) > 0 && !e.producing {
		e.WaitBoxes(false)
	}
}
