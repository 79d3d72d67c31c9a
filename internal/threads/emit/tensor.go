package emit

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// boxes are the copies of a pipeline that copies boxes of tensors, which one thread begins: each stage has a counter, whose turn ends when all
// bytes have come. A turn's copies begin behind a barrier after the last use of their stage.
type boxes struct {
	first       int // the number of the first feed's tensor
	bytes       int // that a turn brings
	counters    *ir.Buffer
	read, write ir.Var // the places of this turn's counter, and of that of a later one
	parity      ir.Var // of this turn
}

// counterBytes is the size of a counter.
const counterBytes = 8

// newBoxes makes the counters; nil where a loop copies no boxes.
func (p *pipeline) newBoxes() *boxes {
	tensors := p.p.Tensors[p.loop]
	if tensors == nil {
		return nil
	}
	b := &boxes{first: len(p.Kernel.Tensors), counters: p.NewBuffer("counters", counterBytes*p.stages, 0)}
	p.Kernel.Tensors = append(p.Kernel.Tensors, tensors...)
	for _, f := range p.feeds {
		t := typeOf(f.Load.Results[0])
		b.bytes += t.Size() * t.Elem.Bytes()
	}
	b.read, b.write, b.parity = p.NewVar(vec.V32), p.NewVar(vec.V32), p.NewVar(vec.V32)
	p.Set([]ir.Var{b.read, b.write, b.parity}, []ir.Value{p.Int(0), p.Int(p.ahead * counterBytes), p.Int(0)})
	p.If(p.elected(), false, func() { p.InitCounters(p.stages, b.at(0)) }, nil)
	p.FenceAsync() // copies may write where threads have written
	p.Barrier()
	return b
}

// elected is true for the thread that begins copies.
func (e *emitter) elected() ir.Value { return e.Compare(vec.I32, vec.EQ, e.thread(), e.Int(0)) }

// at is the access to a counter.
func (b *boxes) at(place ir.Value) ir.Access {
	return ir.Access{Space: ir.Shared, Buffer: b.counters, At: place, Align: counterBytes}
}

// copyBoxes begins the copies of a turn, for which the indices of the loads are ready, to a stage with a counter.
func (p *pipeline) copyBoxes(to, counter, valid ir.Value) {
	var at [][]ir.Value
	for _, f := range p.feeds {
		at = append(at, p.corner(f.Load))
	}
	p.If(p.both(p.elected(), valid), false, func() {
		p.ExpectBytes(p.boxes.bytes, p.boxes.at(counter))
		for k, f := range p.feeds {
			p.copyTile(k, f.Load, to, counter, at[k])
		}
	}, nil)
}

// copyTile copies a tile: the parts of its rows that are 128 bytes long are boxes of their own.
func (p *pipeline) copyTile(k int, load *tileir.Op, to, counter ir.Value, corner []ir.Value) {
	t := typeOf(load.Results[0])
	number := p.boxes.first + k
	tensor := p.Kernel.Tensors[number]
	box, contiguous := tensor.Dims[0].Box, p.p.Vector(load).Dim
	parts := t.Shape[contiguous] / box
	for i := range parts {
		at := append([]ir.Value{p.add(corner[0], p.Int(i*box))}, corner[1:]...)
		p.CopyBox(number, ir.Access{Space: ir.Shared, Buffer: p.buf, At: to, Disp: int64(p.at[k] + i*t.Size()/parts*tensor.Bytes), Align: plan.GroupAlign}, p.boxes.at(counter), at...)
	}
}

// corner is the position of a tile's first element in its tensor. That of a tile that begins outside lies where all of it is outside, since
// the product of its index may have wrapped around.
func (e *emitter) corner(load *tileir.Op) (out []ir.Value) {
	outer := e.op
	e.op = load
	view := load.Operand("view")
	axes, index := view.Type.(tileir.ViewType).Axes(), load.Group(load.Info.OperandIndex("index"))
	shape := linear.Shape(typeOf(load.Results[0]).Shape)
	for _, d := range plan.Order(load, e.p.Vector(load).Dim) {
		x := e.axis(e.p.Info.Access(load), axes[d], e.views[view], index[d], shape, d, nil)
		start := x.start
		if x.long { // extents have 31 bits, or else the launch takes other code
			start = e.Convert(vec.Truncate, vec.I32, vec.I64, start)
		}
		if x.in != 0 {
			start = e.Do(vec.Select, vec.I32, x.in, start, e.Int(outside))
		}
		out = append(out, start)
	}
	e.op = outer
	return out
}

// outside is a position before all tensors, from where no tile reaches one.
const outside = -1 << 30

// advance goes to the next turn's counter.
func (b *boxes) advance(p *pipeline) {
	next := func(v ir.Var) (place, wraps ir.Value) {
		n := p.add(p.Get(v), p.Int(counterBytes))
		wraps = p.Compare(vec.I32, vec.EQ, n, p.Int(counterBytes*p.stages))
		return p.Do(vec.Select, vec.I32, wraps, p.Int(0), n), wraps
	}
	r, wraps := next(b.read)
	w, _ := next(b.write)
	old := p.Get(b.parity)
	parity := p.Do(vec.Select, vec.I32, wraps, p.Do(vec.Xor, vec.I32, old, p.Int(1)), old)
	p.Set([]ir.Var{b.read, b.write, b.parity}, []ir.Value{r, w, parity})
}
