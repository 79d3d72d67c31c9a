package ir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/dtype"
)

// MaxElements is the greatest number of elements of an array: an offset of one fits 32 bits.
const MaxElements = 1<<31 - 1

// Graph is a graph of operations. The zero Graph is empty.
type Graph struct {
	Nodes []*Node // each behind its operands
}

// Node is an operation and the array that it computes.
type Node struct {
	ID    int // its index among the nodes of the graph
	Op    Op
	In    []*Node
	Elem  dtype.Type
	Shape []int
	Attr  any    // of the type that the operation has
	Where string // where the program asked for it, for messages
	Order []int  // of the axes, as elements should lie in memory: those of the last one next to each other; nil for row-major order
}

// Op is an operation.
type Op uint8

// The operations, with the types of their attributes.
const (
	Parameter     Op = iota // ParameterAttr
	Constant                // ConstantAttr
	Iota                    // AxisAttr: the index along an axis
	Pointwise               // FuncAttr
	Convert                 // to another element type
	Bitcast                 // the same bits as another element type of the same size
	Broadcast               // AxesAttr: axis i of the operand is axis Axes[i] of the result
	Reshape                 //
	Copy                    // the same elements, in memory
	Order                   // AxesAttr: the same elements, in memory in the order of these axes
	Transpose               // AxesAttr: axis i of the result is axis Axes[i] of the operand
	Slice                   // SliceAttr
	Reverse                 // AxesAttr
	Pad                     // PadAttr
	Window                  // WindowAttr
	Gather                  // GatherAttr
	TakeAlong               // AxisAttr
	DynamicSlice            // first operand: the array; the others: the start along each axis
	DynamicUpdate           // as DynamicSlice, with the update as the second operand
	Concat                  // AxisAttr
	Reduce                  // ReduceAttr
	ArgReduce               // ArgReduceAttr
	Scan                    // ScanAttr
	ArgSort                 // ArgSortAttr
	Dot                     // DotAttr
	Scatter                 // ScatterAttr
	While                   // WhileAttr: not an array; its results are Parts
	If                      // IfAttr: the same. The first operand is the condition.
	Part                    // PartAttr: a result of the operand, which is a While or If
	numOps
)

// opNames are the names of the operations, as dumps and messages have them.
var opNames = [numOps]string{"parameter", "constant", "iota", "pointwise", "convert", "bitcast", "broadcast", "reshape", "copy", "order", "transpose",
	"slice", "reverse", "pad", "window", "gather", "take_along", "dynamic_slice", "dynamic_update", "concat", "reduce", "arg_reduce",
	"scan", "arg_sort", "dot", "scatter", "while", "if", "part"}

// Ops lists the operations.
func Ops() []Op {
	all := make([]Op, numOps)
	for i := range all {
		all[i] = Op(i)
	}
	return all
}

// String returns the operation's name.
func (o Op) String() string { return opNames[o] }

// Name returns the operation's name; for a pointwise operation or a reduction that of its function.
func (n *Node) Name() string {
	switch a := n.Attr.(type) {
	case FuncAttr:
		return a.Func.Name
	case ReduceAttr:
		return "reduce_" + a.Fold.Name
	case ScanAttr:
		return "scan_" + a.Fold.Name
	case ScatterAttr:
		if a.Fold != nil {
			return "scatter_" + a.Fold.Name
		}
	}
	return n.Op.String()
}

// Len returns the number of elements.
func (n *Node) Len() int { return size(n.Shape) }

// Rank returns the number of axes.
func (n *Node) Rank() int { return len(n.Shape) }

// Type returns a text such as float32[2 3].
func (n *Node) Type() string { return typeText(n.Elem, n.Shape) }

func typeText(t dtype.Type, shape []int) string { return fmt.Sprintf("%v%v", t, shape) }

// String returns the node in one line, such as %7 = add(%5, %6) float32[2 3].
func (n *Node) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%d = %s(", n.ID, n.Name())
	for i, x := range n.In {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%%%d", x.ID)
	}
	b.WriteByte(')')
	if s, ok := n.Attr.(fmt.Stringer); ok && s.String() != "" {
		b.WriteByte(' ')
		b.WriteString(s.String())
	}
	fmt.Fprintf(&b, " %s", n.Type())
	return b.String()
}

// add appends a node, after a check of its shape.
func (g *Graph) add(n Node) (*Node, error) {
	for _, d := range n.Shape {
		if d < 0 {
			return nil, fmt.Errorf("the shape %v has a negative extent", n.Shape)
		}
	}
	if count := size(n.Shape); count > MaxElements {
		return nil, fmt.Errorf("an array of shape %v has more than the %d elements that an array may have", n.Shape, MaxElements)
	}
	n.ID, n.Shape = len(g.Nodes), slices.Clone(n.Shape)
	n.Order = orderOf(&n)
	g.Nodes = append(g.Nodes, &n)
	return &n, nil
}

// size multiplies extents; the result is MaxElements + 1 for anything above MaxElements.
func size(shape []int) int {
	if slices.Contains(shape, 0) {
		return 0
	}
	n := 1
	for _, d := range shape {
		if d > MaxElements/n {
			return MaxElements + 1
		}
		n *= d
	}
	return n
}

// axesOf checks a list of distinct axes of an array and returns it with negative axes counted from the end.
func axesOf(axes []int, x *Node) ([]int, error) { return AxesIn(axes, x.Rank(), x.Type) }

// AxisOf checks an axis of an array and counts a negative one from the end.
func AxisOf(axis int, x *Node) (int, error) {
	a, err := axesOf([]int{axis}, x)
	if err != nil {
		return 0, err
	}
	return a[0], nil
}

// AxesIn checks a list of distinct axes and returns it with negative axes counted from the end. what is the text of what has them, such
// as the type of an array.
func AxesIn(axes []int, rank int, what func() string) ([]int, error) {
	out := make([]int, len(axes))
	for i, a := range axes {
		if rank == 0 {
			return nil, fmt.Errorf("axis %d of %s, which has no axes", a, what())
		}
		if a < -rank || a >= rank {
			return nil, fmt.Errorf("axis %d of %s, expected %d to %d", a, what(), -rank, rank-1)
		}
		if a < 0 {
			a += rank
		}
		if slices.Contains(out[:i], a) {
			return nil, fmt.Errorf("axis %d of %s is named twice in %v", axes[i], what(), axes)
		}
		out[i] = a
	}
	return out, nil
}
