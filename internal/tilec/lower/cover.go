package lower

import (
	"go/ast"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/tileir"
)

// Cover is told where statements run.
type Cover interface {
	// Mark gives a mark for the statements that a block of Tile IR runs, and the operation that stands for it: one that no pass moves or drops.
	Mark(at tileir.Loc) (mark string, op *tileir.Op)
	// Place says that a statement of a package runs where a mark is reached.
	Place(mark string, pkg *world.Pkg, s ast.Stmt)
}

// marks has the marks of blocks while a kernel is lowered.
type marks struct {
	of      map[*tileir.Block]*mark
	current string // that of the statement that is being lowered
}

// mark is the last one of a block.
type mark struct {
	text string
	ops  int // of the block, up to which all run that follow the mark
}

// holds reports whether the end of the block is still reached where the mark is: a branch may leave the block, as a return in it does.
func (m *mark) holds(b *tileir.Block) bool {
	for ; m.ops < len(b.Ops); m.ops++ {
		if len(b.Ops[m.ops].Regions) > 0 {
			return false
		}
	}
	return true
}

// cover says where a statement runs, and what undoes that when it has been lowered. The statements of a block of Tile IR have one mark, in front
// of the first of them, and another one behind each branch; those of a function that combines values have that of the statement around, since such a
// function may have no effects.
func (l *lowerer) cover(fr *frame, s ast.Stmt) (undo func()) {
	if l.in.Cover == nil {
		return func() {}
	}
	if labelled, ok := s.(*ast.LabeledStmt); ok {
		s = labelled.Stmt
	}
	before := l.marks.current
	if !l.Combining {
		m := l.marks.of[l.Block]
		if m == nil || !m.holds(l.Block) {
			text, op := l.in.Cover.Mark(l.Loc())
			m = &mark{text, len(l.Block.Ops)}
			l.marks.of[l.Block] = m
			l.Push(op)
		}
		l.marks.current = m.text
	}
	if l.marks.current != "" {
		l.in.Cover.Place(l.marks.current, fr.pkg, s)
	}
	return func() { l.marks.current = before }
}
