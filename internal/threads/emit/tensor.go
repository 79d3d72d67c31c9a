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
	counters    *ir.Buffer
	read, write ir.Var // the places of this turn's counter, and of that of a later one
	parity      ir.Var // of this turn
}

// counterBytes is the size of a counter.
const counterBytes = 8

// newBoxes makes the counters; nil where a loop copies no boxes.
func (p *pipeline) newBoxes() *boxes {
	if !p.p.Boxed(p.loop) {
		return nil
	}
	b := &boxes{counters: p.NewBuffer("counters", counterBytes*p.count, 0)}
	b.read, b.write, b.parity = p.NewVar(vec.V32), p.NewVar(vec.V32), p.NewVar(vec.V32)
	p.Set([]ir.Var{b.read, b.write, b.parity}, []ir.Value{p.Int(0), p.Int(p.ahead * counterBytes), p.Int(0)})
	p.If(p.elected(), false, func() { p.InitCounters(p.count, 1, b.at(0), p.buf) }, nil)
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
	at := p.corners()
	p.If(p.both(p.elected(), valid), false, func() { p.copyTiles(to, p.boxes.at(counter), at) }, nil)
}

// corners are the positions of the boxes of a turn for which the indices of the loads are ready.
func (s *stages) corners() (at [][]ir.Value) {
	for _, f := range s.feeds {
		if f.Tensor == nil {
			at = append(at, nil)
			continue
		}
		at = append(at, s.corner(f.Load))
	}
	return at
}

// copyTiles begins the copies of a turn's boxes to a stage with a counter.
func (s *stages) copyTiles(to ir.Value, counter ir.Access, at [][]ir.Value) {
	bytes := 0
	for _, f := range s.feeds {
		if f.Tensor != nil {
			t := typeOf(f.Load.Results[0])
			bytes += t.Size() * t.Elem.Bytes()
		}
	}
	s.ExpectBytes(bytes, counter)
	for k, f := range s.feeds {
		if f.Tensor != nil {
			s.copyTile(k, to, counter, at[k])
		}
	}
}

// copyTile copies a tile: the parts of its rows that are 128 bytes long are boxes of their own.
func (s *stages) copyTile(k int, to ir.Value, counter ir.Access, corner []ir.Value) {
	load := s.feeds[k].Load
	t := typeOf(load.Results[0])
	place := ir.Access{Space: ir.Shared, Buffer: s.buf, At: to, Disp: int64(s.at[k]), Align: plan.GroupAlign}
	s.copyParts(s.numbers[k], t.Shape[s.p.Vector(load).Dim], t.Size(), place, counter, corner)
}

// copyParts copies the parts of a tile of so many elements, in rows of so many, to a place.
func (e *emitter) copyParts(number, row, size int, to, counter ir.Access, corner []ir.Value) {
	tensor := e.Kernel.Tensors[number]
	box := tensor.Dims[0].Box
	for i := range row / box {
		at := append([]ir.Value{e.add(corner[0], e.Int(i*box))}, corner[1:]...)
		part := to
		part.Disp += int64(i * size / (row / box) * tensor.Bytes)
		e.CopyBox(number, part, counter, at...)
	}
}

// corner is the position of a tile's first element in its tensor. That of a tile that begins outside lies where all of it is outside, since
// the product of its index may have wrapped around.
func (e *emitter) corner(op *tileir.Op) (out []ir.Value) {
	outer := e.op
	e.op = op
	view := op.Operand("view")
	axes, index := view.Type.(tileir.ViewType).Axes(), op.Group(op.Info.OperandIndex("index"))
	shape := linear.Shape(view.Type.(tileir.ViewType).TileType().Shape)
	for _, d := range plan.Order(len(shape), e.p.Vector(op).Dim) {
		x := e.axis(e.p.Info.Access(op), axes[d], e.views[view], index[d], shape, d, nil)
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
	r, wraps := p.next(b.read, counterBytes)
	w, _ := p.next(b.write, counterBytes)
	p.Set([]ir.Var{b.read, b.write, b.parity}, []ir.Value{r, w, p.turnParity(b.parity, wraps)})
}
