package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// Feed is a load in a loop whose tile goes to shared memory, some turns ahead, for a product alone.
type Feed struct {
	Load   *tileir.Op
	Loop   *tileir.Op
	Via    []*tileir.Op // reshapes and permutations on the way, and what takes two elements of 4 bits out of each byte
	To     *Product
	Tensor *ir.Tensor // whose boxes are copied; nil where all threads copy, each a part of the tile
	// Again is the layout in which threads read the tile to put it where the instruction reads it; nil where that reads it as it was copied.
	Again *linear.Layout
}

// mostStages is how many turns' tiles are in shared memory at most.
const mostStages = 4

// Stages is how many turns' tiles a loop has in shared memory, of which one is used while the others come. Where a warp group multiplies, which
// leaves most of a multiprocessor to others, two blocks should fit beside each other: one then multiplies while the other begins or ends.
func (p *Plan) Stages(loop *tileir.Op) int {
	turn := max(1, p.turnBytes(loop))
	n := min(mostStages, p.room(loop, min(p.target.Shared/4*3, p.target.Shared-p.storedBeside(loop)))/turn)
	half := (p.target.Shared/2 - p.target.Shared/64) / turn
	if half >= lagStages && slices.ContainsFunc(p.Loops[loop], func(f *Feed) bool { return f.To.Unit.Kind == ir.WarpGroup }) {
		n = min(n, half)
	}
	return max(2, n)
}

// lagStages is the least number of stages of a loop whose product goes on into the next turn.
const lagStages = 3

// room is what the pipeline of a loop may take of so many bytes of shared memory, beside what threads make of what it brings.
func (p *Plan) room(loop *tileir.Op, bytes int) int {
	n := bytes >> p.target.Tight
	seen := map[*Product]bool{}
	for _, f := range p.Loops[loop] {
		if f.To.Wide != nil && !seen[f.To] { // both factors
			seen[f.To] = true
			for _, v := range f.To.Wide {
				n -= ShapeOf(v).Size() * tileir.F16.Bytes()
			}
		}
		if f.Again != nil {
			n -= ShapeOf(f.Load.Results[0]).Size()
		}
	}
	return n
}

// Ahead is how many turns before its own a tile's copy begins: while a product of the turn before goes on, its tiles stay.
func (p *Plan) Ahead(loop *tileir.Op) int {
	if p.Lags(loop) {
		return p.Stages(loop) - 2
	}
	return p.Stages(loop) - 1
}

// Places gives the places of one turn's tiles in shared memory, and their size altogether.
func (p *Plan) Places(loop *tileir.Op) (at []int, bytes int) {
	align := Widest
	for _, f := range p.Loops[loop] {
		if f.To.Unit.Kind.InShared() || f.Tensor != nil {
			align = GroupAlign
		}
	}
	for _, f := range p.Loops[loop] {
		t := f.Load.Results[0].Type.(*tileir.TileType)
		at = append(at, bytes)
		bytes += (t.Size()*t.Elem.Bytes() + align - 1) / align * align
	}
	return at, bytes
}

// Lags reports whether a product of a loop that copies feed goes on into the next turn, so that its tiles stay until then.
func (p *Plan) Lags(loop *tileir.Op) bool {
	return slices.ContainsFunc(p.Loops[loop], func(f *Feed) bool { return f.To.Lags })
}

// turnBytes is the size of one turn's tiles.
func (p *Plan) turnBytes(loop *tileir.Op) int {
	_, bytes := p.Places(loop)
	return bytes
}

// feeds finds the loads of a loop that only feed products, unless their tiles need too much shared memory.
func (p *Plan) feeds(loop *tileir.Op) {
	if !multiplies(loop) {
		return
	}
	if !p.target.Boxes || !p.find(loop, 1) || !p.tensors(loop) {
		p.forget(loop)
		p.find(loop, p.Block.Threads()) // each of which copies a part
	}
	for len(p.Loops[loop]) > 0 && 2*p.turnBytes(loop) > p.room(loop, p.target.Shared) { // for the two stages that it takes at least
		p.leave(loop)
	}
}

// find finds the feeds whose tiles have parts of 16 bytes for so many threads, and reports whether there are any.
func (p *Plan) find(loop *tileir.Op, threads int) bool {
	for _, op := range loop.Regions[0].Ops {
		if f := p.feed(op, loop, threads); f != nil {
			p.Feeds[op] = f
			p.Loops[loop] = append(p.Loops[loop], f)
			delete(p.Reasons, op)
		}
	}
	return len(p.Loops[loop]) > 0
}

// leave does without the last feed of a loop.
func (p *Plan) leave(loop *tileir.Op) {
	n := len(p.Loops[loop]) - 1
	last := p.Loops[loop][n].Load
	p.unfed(last, FewStages, nil)
	if n == 0 {
		p.forget(loop)
		delete(p.Reasons, loop)
		return
	}
	delete(p.Feeds, last)
	p.Loops[loop] = p.Loops[loop][:n]
}

// Boxed reports whether a loop has tiles that are copied as boxes of tensors.
func (p *Plan) Boxed(loop *tileir.Op) bool {
	return slices.ContainsFunc(p.Loops[loop], func(f *Feed) bool { return f.Tensor != nil })
}

func (p *Plan) forget(loop *tileir.Op) {
	for _, f := range p.Loops[loop] {
		delete(p.Feeds, f.Load)
	}
	delete(p.Loops, loop)
}

// feed reports whether a load may be made ahead: it moves 16 bytes at once and pads with zeros; its view, its token and its places do
// not change in the loop, but for what the counter makes of them; nothing in the loop waits for it, and its tile goes to one product's factor.
func (p *Plan) feed(op, loop *tileir.Op, threads int) *Feed {
	switch op.Info.Opcode {
	case tileir.OpLoadViewTko:
	case tileir.OpLoadPtrTko:
		threads = p.Block.Threads() // which know the pointers
	default:
		return nil
	}
	if tileir.Int(op.Int("memory_ordering_semantics")) != tileir.MemoryWeak {
		return p.unfed(op, OrderedLoad, nil)
	}
	t := op.Results[0].Type.(*tileir.TileType)
	switch v := p.Vector(op); {
	case p.Info.Scratch(p.Info.Access(op)):
		return p.unfed(op, OwnMemory, nil)
	case v.Elems*t.Elem.Bytes() != Widest || t.Elem.PerByte() > 1:
		return p.unfed(op, NarrowLoad, nil)
	case t.Size() < v.Elems*threads:
		return p.unfed(op, SmallTile, nil)
	case !padsZero(op):
		return p.unfed(op, OtherPadding, nil)
	}
	if why, ok := p.moves(op, loop); !ok {
		return p.unfed(op, why, nil)
	}
	return p.toProduct(&Feed{Load: op, Loop: loop})
}

// toProduct completes a feed with the way to its product, in the loop if there is one, if its tile goes there alone.
func (p *Plan) toProduct(f *Feed) *Feed {
	r := f.Load.Results[0]
	for {
		uses := p.Uses[r]
		if len(uses) != 1 || f.Loop != nil && !slices.Contains(f.Loop.Regions[0].Ops, uses[0]) {
			return p.unfed(f.Load, OtherUses, nil)
		}
		switch u := uses[0]; u.Info.Opcode {
		case tileir.OpReshape, tileir.OpPermute, tileir.OpUnpack:
			if u.Info.Opcode == tileir.OpUnpack && u.Results[0].Type.(*tileir.TileType).Elem.PerByte() == 1 {
				return p.unfed(f.Load, OtherUse, u)
			}
			f.Via, r = append(f.Via, u), u.Results[0]
		case tileir.OpMmaF, tileir.OpMmaI, tileir.OpMmaFScaled:
			return p.factor(f, u, r)
		default:
			return p.unfed(f.Load, OtherUse, u)
		}
	}
}

// factor completes a feed whose tile, or what is made of it on the way, is an operand of a product.
func (p *Plan) factor(f *Feed, product *tileir.Op, r *tileir.Value) *Feed {
	if f.To = p.Products[product]; f.To == nil {
		f.To = p.single(product)
	}
	switch {
	case product.Operands[2] == r:
		return p.unfed(f.Load, Addend, nil)
	case !slices.Contains(product.Operands[:2], r):
		return p.unfed(f.Load, Scaling, nil)
	case f.To == nil:
		return p.unfed(f.Load, OtherProduct, nil)
	case !p.readable(f, product.Operands[0] == r):
		return p.unfed(f.Load, Unreadable, nil)
	}
	return f
}
