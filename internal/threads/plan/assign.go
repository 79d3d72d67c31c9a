package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// solver spreads layouts.
type solver struct {
	*Plan
	changed bool
}

// assign gives tiles their layouts.
func (p *Plan) assign() {
	s := &solver{Plan: p}
	// The sums of a loop have the layout of their product, whatever it begins with: that is converted once, and not they in each turn.
	for op := range p.Entry.All() {
		if op.Info.Opcode == tileir.OpFor {
			for _, inner := range op.Regions[0].Ops {
				if p.Products[inner] != nil && p.alone(inner, op) >= 0 {
					s.product(inner)
				}
			}
		}
	}
	for {
		for s.changed = true; s.changed; {
			s.changed = false
			s.block(p.Entry.Body)
		}
		if !s.load() && !s.store() {
			return
		}
	}
}

// load lets the first load ask whose tile has no layout yet: one of few elements, which nobody wanted in another layout.
func (s *solver) load() bool {
	for op := range s.Entry.All() {
		if s.few(op) {
			s.changed = false
			if s.set(op.Results[0], s.Memory(op, op.Results[0].Type.(*tileir.TileType))); s.changed {
				return true
			}
		}
	}
	return false
}

// few reports whether an operation loads a tile through a view that does not need all threads. Each may as well load what it needs
// itself, which lies in the caches, rather than get it from the others.
func (s *solver) few(op *tileir.Op) bool {
	if op.Info.Opcode != tileir.OpLoadViewTko || s.Feeds[op] != nil || tileir.Int(op.Int("memory_ordering_semantics")) != tileir.MemoryWeak {
		return false
	}
	t := op.Results[0].Type.(*tileir.TileType)
	return t.Size() <= s.Block.Threads()
}

// store lets the first store ask whose tile has no layout yet.
func (s *solver) store() bool {
	for op := range s.Entry.All() {
		v := Stored(op)
		if v == nil || op.Info.Opcode == tileir.OpStorePtrTko {
			continue
		}
		s.changed = false
		if s.set(v, s.Memory(op, v.Type.(*tileir.TileType))); s.changed {
			return true
		}
	}
	return false
}

// Stored is the tile that an operation writes to memory; nil for others.
func Stored(op *tileir.Op) *tileir.Value {
	if i, ok := stored[op.Info.Opcode]; ok {
		return op.Operand(i)
	}
	return nil
}

var stored = map[int]string{
	tileir.OpStoreViewTko: "tile", tileir.OpStorePtrTko: "value", tileir.OpAtomicRedViewTko: "value", tileir.OpAtomicRMWTko: "arg",
	tileir.OpAtomicCASTko: "val",
}

// set gives a tile a layout, if it has none.
func (s *solver) set(v *tileir.Value, l *linear.Layout) {
	if _, ok := Tile(v); ok && l != nil && s.layouts[v] == nil {
		s.layouts[v], s.changed = l, true
	}
}

// join gives tiles of one shape the same layout.
func (s *solver) join(vs ...*tileir.Value) {
	var l *linear.Layout
	var shape []int
	for _, v := range vs {
		if l = s.layouts[v]; l != nil {
			shape = ShapeOf(v)
			break
		}
	}
	if l == nil {
		return
	}
	for _, v := range vs {
		if t, ok := Tile(v); ok && slices.Equal(t.Shape, shape) {
			s.set(v, l)
		}
	}
}

func (s *solver) block(b *tileir.Block) {
	for _, op := range b.Ops {
		if s.Feeds[op] != nil {
			if op.Info.Opcode == tileir.OpLoadPtrTko { // the threads copy as pointers and mask say
				s.set(op.Operand("source"), s.Memory(op, op.Results[0].Type.(*tileir.TileType)))
				s.join(Where(op)...)
			}
			continue
		}
		if rule, ok := rules[op.Info.Opcode]; ok {
			rule(s, op)
			continue
		}
		if len(op.Results) == 1 && op.Info.Pure {
			s.join(append([]*tileir.Value{op.Results[0]}, op.Operands...)...)
		}
	}
}

// rules say how layouts spread through operations that do not work element by element, or have a reason for one.
var rules map[int]func(s *solver, op *tileir.Op)

func init() { // they refer to themselves through blocks
	nothing := func(*solver, *tileir.Op) {}
	rules = map[int]func(s *solver, op *tileir.Op){
		tileir.OpConstant: nothing, tileir.OpIota: nothing, tileir.OpStoreViewTko: nothing, tileir.OpAtomicRedViewTko: nothing,
		tileir.OpCat: nothing, tileir.OpExtract: nothing, tileir.OpPack: nothing, tileir.OpUnpack: nothing,
		tileir.OpMmaF: (*solver).product, tileir.OpMmaI: (*solver).product, tileir.OpMmaFScaled: (*solver).product,
		tileir.OpLoadViewTko: func(s *solver, op *tileir.Op) {
			if s.few(op) {
				return
			}
			t := op.Results[0].Type.(*tileir.TileType)
			if l := s.crossed(op, t); l != nil {
				s.set(op.Results[0], l)
				return
			}
			s.set(op.Results[0], s.Memory(op, t))
		},
		tileir.OpLoadPtrTko: func(s *solver, op *tileir.Op) {
			s.set(op.Results[0], s.Memory(op, op.Results[0].Type.(*tileir.TileType)))
			s.join(append([]*tileir.Value{op.Results[0]}, op.Operands...)...)
		},
		tileir.OpStorePtrTko: func(s *solver, op *tileir.Op) { // pointers are cheap to compute in any layout, and dear to convert
			v := op.Operand("value").Type.(*tileir.TileType)
			s.set(op.Operand("destination"), s.Memory(op, v))
			s.join(slices.DeleteFunc(slices.Clone(op.Operands), func(o *tileir.Value) bool { return o == op.Operand("value") })...)
		},
		tileir.OpAtomicRMWTko: (*solver).atomic, tileir.OpAtomicCASTko: (*solver).atomic,
		tileir.OpReshape: func(s *solver, op *tileir.Op) {
			a, b := op.Operands[0], op.Results[0]
			s.set(b, s.layouts[a])
			s.set(a, s.layouts[b])
		},
		tileir.OpPermute: func(s *solver, op *tileir.Op) {
			p := op.Attr("permutation").(tileir.Ints)
			a, b := op.Operands[0], op.Results[0]
			if l := s.layouts[a]; l != nil {
				s.set(b, l.Permuted(ShapeOf(a), p))
			} else if l := s.layouts[b]; l != nil {
				s.set(a, l.Permuted(ShapeOf(b), linear.InverseOrder(p)))
			}
		},
		tileir.OpBroadcast: func(s *solver, op *tileir.Op) {
			if l := s.layouts[op.Results[0]]; l != nil {
				s.set(op.Operands[0], l.Unbroadcast(ShapeOf(op.Operands[0]), ShapeOf(op.Results[0])))
			}
		},
		tileir.OpInsert: func(s *solver, op *tileir.Op) { s.join(op.Operand("destination"), op.Results[0]) },
		tileir.OpReduce: func(s *solver, op *tileir.Op) {
			s.join(op.Operands...)
			if l := s.layouts[op.Operands[0]]; l != nil {
				for _, r := range op.Results {
					s.set(r, l.Slice(ShapeOf(op.Operands[0]), int(op.Int("dim"))))
				}
			}
		},
		tileir.OpScan: func(s *solver, op *tileir.Op) { s.join(append(slices.Clone(op.Operands), op.Results...)...) },
		tileir.OpFor:  (*solver).loop, tileir.OpLoop: (*solver).loop, tileir.OpIf: (*solver).branch,
	}
}

// atomic operations have no wide accesses, and their operands one layout.
func (s *solver) atomic(op *tileir.Op) {
	s.join(append(slices.Clone(op.Operands), op.Results[0])...)
}

// product: the accumulator and the result have one layout, that of the instruction if there is one.
func (s *solver) product(op *tileir.Op) {
	t := op.Results[0].Type.(*tileir.TileType)
	l := s.Block.Blocked(t.Shape, linear.RowMajor(t.Rank()), min(4, max(1, t.Size()/s.Block.Threads())))
	if x := s.Products[op]; x != nil {
		_, _, l = s.Fragments(x)
	}
	s.set(op.Results[0], l)
	s.set(op.Operand("acc"), l)
}

// loop: what a loop carries has one layout from the beginning to the end.
func (s *solver) loop(op *tileir.Op) {
	body := op.Regions[0]
	first := 0
	initial := op.Operands
	if op.Info.Opcode == tileir.OpFor {
		first, initial = 1, op.Operands[3:]
	}
	for i := range initial {
		s.join(body.Args[first+i], initial[i])
	}
	s.ends(body, op, func(end *tileir.Op) {
		to := op.Results
		if end.Info.Opcode == tileir.OpContinue {
			to = body.Args[first:]
		}
		for i, v := range end.Operands {
			s.join(to[i], v)
		}
	})
	if op.Info.Opcode == tileir.OpFor {
		for i, r := range op.Results {
			s.join(body.Args[1+i], r)
		}
	}
	s.block(body)
}

// ends calls f with each operation that ends a turn of a loop.
func (s *solver) ends(b *tileir.Block, loop *tileir.Op, f func(*tileir.Op)) {
	for _, op := range b.Ops {
		switch op.Info.Opcode {
		case tileir.OpContinue, tileir.OpBreak:
			f(op)
		case tileir.OpIf:
			for r := range op.Blocks() {
				s.ends(r, loop, f)
			}
		}
	}
}

func (s *solver) branch(op *tileir.Op) {
	for b := range op.Blocks() {
		if end := b.Ops[len(b.Ops)-1]; end.Info.Opcode == tileir.OpYield {
			for i, r := range op.Results {
				s.join(r, end.Operands[i])
			}
		}
		s.block(b)
	}
}
