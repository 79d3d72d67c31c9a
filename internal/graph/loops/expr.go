package loops

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Kind is the kind of an expression.
type Kind uint8

// The kinds of expressions.
const (
	Const     Kind = iota // the element with the bits Bits
	Load                  // the element At of Buffer; where a condition of Where does not hold Args[0], or 0 without it
	Number                // the integer At
	Call                  // Func of Args
	Convert               // Args[0], converted
	Bitcast               // the bits of Args[0]
	Guard                 // Args[0] where all conditions of Where hold, else Args[1]
	Reduce                // Args[0] folded by Fold along the axes Along
	ArgReduce             // the position along the axis Along[0] of the greatest or least Args[0]
	Scan                  // Args[0] folded with all before it along the axis Along[0]
	ArgSort               // the place along the axis Along[0] of the Args[0] that belongs here when they are sorted, the least first if First.Min
	Dot                   // the sum of Args[0]·Args[1] along the axes Along
	Attention             // the sum of w·Args[1] along the axis Along[0], where w is the softmax of Args[0] along it
)

// Expr computes an element for a position along the axes of its kernel. Expressions of a kernel that are written in the same
// way are one.
type Expr struct {
	ID     int
	Kind   Kind
	Elem   dtype.Type
	Args   []*Expr
	Bits   uint64
	Buffer *Buffer
	At     index.Expr
	Where  []index.Cond
	Func   *ir.Func
	Fold   *ir.Fold
	Along  []int
	First  ArgOrder
	Uses   Axes     // the axes that it depends on
	Node   *ir.Node // whose computation it is part of: the first one, where several nodes compute the same
}

// ArgOrder says what an ArgReduce looks for.
type ArgOrder struct{ Min, Last bool }

// Axes is a set of a kernel's axes, one bit each.
type Axes uint64

// Has reports whether the set has an axis.
func (a Axes) Has(axis int) bool { return a>>axis&1 != 0 }

func axesOf(axes []int) Axes {
	var a Axes
	for _, i := range axes {
		a |= 1 << i
	}
	return a
}

// Buffer is the memory of a node.
type Buffer struct {
	Node  *ir.Node
	Order []int // the axes in the order of the elements: those of the last one next to each other; nil for row-major order
}

// at gives the place of an element in memory.
func (b *Buffer) at(at []index.Expr) index.Expr { return linear(b.Node.Shape, b.Order, at) }

// Len returns the number of elements.
func (b *Buffer) Len() int { return b.Node.Len() }

// Elem returns the element type.
func (b *Buffer) Elem() dtype.Type { return b.Node.Elem }

// String returns the text of the node's number, such as %7.
func (b *Buffer) String() string { return fmt.Sprintf("%%%d", b.Node.ID) }
