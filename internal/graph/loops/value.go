package loops

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// apart is the error of a kernel that cannot compute a node in the midst of others: it needs memory.
type apart struct{ node *ir.Node }

func (a apart) Error() string { return fmt.Sprintf("BUG: %v cannot be computed", a.node) }

// builder makes the expressions of one kernel.
type builder struct {
	kernel  *Kernel
	buffers map[*ir.Node]*Buffer
	root    *ir.Node
	done    map[*ir.Node]bool
	room    int // how many more expressions the kernel may have
	keys    int // the least number of them for attention
	fixed   map[*ir.Node]bool
	orders  map[*ir.Node][]int
	folded  map[*ir.Node]*Expr // so far
	users   map[*ir.Node][]*ir.Node
	known   map[*ir.Node][]known // values so far of nodes that have several users
	within  []*ir.Node           // the nodes whose values are being made

	dotNode  *ir.Node // the matrix product that the kernel computes, where, and its expression
	dotAt    []index.Expr
	dotValue *Expr
	turn     bool    // the product's factors are turned
	factors  bool    // a factor of the product is being made
	scores   *scores // of attention, while they are being made and behind that
}

// place is where a value is needed: the position in its array, which axes are there, and what holds there.
type place struct {
	at    []index.Expr
	live  []int // the axes of the kernel along which the value is needed, in order
	where []index.Cond
}

func (p place) with(at []index.Expr) place { return place{at, p.live, p.where} }

// known is the value of a node at a place.
type known struct {
	place
	*Expr
}

func (p place) equal(q place) bool {
	return slices.EqualFunc(p.at, q.at, index.Expr.Equal) && slices.Equal(p.live, q.live) &&
		slices.EqualFunc(p.where, q.where, func(a, b index.Cond) bool { return a.N == b.N && a.Index.Equal(b.Index) })
}

// value gives the expression of a node's element.
func (b *builder) value(n *ir.Node, p place) (*Expr, error) {
	if buf := b.buffers[n]; buf != nil && n != b.root {
		return b.load(buf, buf.at(p.at), p.where), nil
	}
	if m, order := b.source(n); m != n && m != b.root && b.buffers[m] != nil && b.lies(m, order) {
		return b.load(b.buffers[m], linear(n.Shape, nil, p.at), p.where), nil
	}
	for _, k := range b.known[n] {
		if k.equal(p) {
			return k.Expr, nil
		}
	}
	if b.room--; b.room < 0 {
		return nil, apart{b.worth(n)}
	}
	if !b.done[n] {
		b.done[n] = true
		b.kernel.Nodes = append(b.kernel.Nodes, n)
	}
	make := makers[n.Op]
	if make == nil {
		return nil, apart{n}
	}
	outer := b.kernel.of
	b.kernel.of, b.within = n, append(b.within, n)
	defer func() { b.kernel.of, b.within = outer, b.within[:len(b.within)-1] }()
	x, err := make(b, n, p)
	if err == nil && len(b.users[n]) > 1 {
		b.known[n] = append(b.known[n], known{p, x})
	}
	return x, err
}

// worth gives the node that gets memory where a kernel has no room for a node: the nearest of those that are being made which memory saves
// the computation of.
func (b *builder) worth(n *ir.Node) *ir.Node {
	for _, m := range slices.Backward(append(b.within, n)) {
		if costs(m) && m != b.root {
			return m
		}
	}
	return n
}

// makers make the expression of an element, by operation. An operation without one needs a kernel of its own kind.
var makers map[ir.Op]func(b *builder, n *ir.Node, p place) (*Expr, error)

func init() { // it refers to itself
	makers = map[ir.Op]func(*builder, *ir.Node, place) (*Expr, error){
		ir.Constant:      (*builder).constant,
		ir.Copy:          func(b *builder, n *ir.Node, p place) (*Expr, error) { return b.value(n.In[0], p) },
		ir.Iota:          (*builder).iota,
		ir.Pointwise:     (*builder).pointwise,
		ir.Convert:       (*builder).convert,
		ir.Bitcast:       (*builder).bitcast,
		ir.Pad:           (*builder).pad,
		ir.Gather:        (*builder).gather,
		ir.TakeAlong:     (*builder).takeAlong,
		ir.DynamicSlice:  (*builder).dynamicSlice,
		ir.DynamicUpdate: (*builder).dynamicUpdate,
		ir.Reduce:        (*builder).reduce,
		ir.ArgReduce:     (*builder).argReduce,
		ir.Scan:          (*builder).scan,
		ir.ArgSort:       (*builder).argSort,
		ir.Dot:           (*builder).dot,
	}
	for op, from := range movers {
		makers[op] = moved(from)
	}
}

// movers give the place from which an operation takes an element, for those that take each from one place.
var movers = map[ir.Op]func(n *ir.Node, at []index.Expr) []index.Expr{
	ir.Order:     func(_ *ir.Node, at []index.Expr) []index.Expr { return at },
	ir.Broadcast: broadcast,
	ir.Reshape:   reshape,
	ir.Transpose: transpose,
	ir.Slice:     slice,
	ir.Reverse:   reverse,
	ir.Window:    window,
}

// load gives an element of memory.
func (b *builder) load(buf *Buffer, at index.Expr, where []index.Cond) *Expr {
	return b.kernel.expr(Expr{Kind: Load, Elem: buf.Elem(), Buffer: buf, At: at, Where: where})
}

// linear gives the place of an element in memory, where axes lie in an order; nil for row-major order.
func linear(shape, order []int, at []index.Expr) index.Expr {
	var sum index.Expr
	for i := range shape {
		if order != nil {
			i = order[i]
		}
		sum = sum.Times(int64(shape[i])).Add(at[i])
	}
	return sum
}

func (b *builder) bits(t dtype.Type, bits uint64) *Expr {
	return b.kernel.expr(Expr{Kind: Const, Elem: t, Bits: bits})
}

func (b *builder) constant(n *ir.Node, p place) (*Expr, error) {
	bits, ok := n.Attr.(ir.ConstantAttr).Bits(n.Elem)
	if !ok {
		return nil, fmt.Errorf("BUG: %v has no memory", n)
	}
	return b.bits(n.Elem, bits), nil
}

func (b *builder) iota(n *ir.Node, p place) (*Expr, error) {
	return b.kernel.expr(Expr{Kind: Number, Elem: n.Elem, At: p.at[n.Attr.(ir.AxisAttr).Axis]}), nil
}

func (b *builder) pointwise(n *ir.Node, p place) (*Expr, error) {
	args, err := b.values(n.In, p)
	if err != nil {
		return nil, err
	}
	return b.kernel.expr(Expr{Kind: Call, Elem: n.Elem, Func: n.Attr.(ir.FuncAttr).Func, Args: args}), nil
}

func (b *builder) values(in []*ir.Node, p place) ([]*Expr, error) {
	args := make([]*Expr, len(in))
	for i, x := range in {
		var err error
		if args[i], err = b.value(x, p); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func (b *builder) convert(n *ir.Node, p place) (*Expr, error) {
	x, err := b.value(n.In[0], p)
	if err != nil {
		return nil, err
	}
	return b.converted(x, n.Elem), nil
}

func (b *builder) converted(x *Expr, t dtype.Type) *Expr {
	if x.Elem == t {
		return x
	}
	return b.kernel.expr(Expr{Kind: Convert, Elem: t, Args: []*Expr{x}})
}

func (b *builder) bitcast(n *ir.Node, p place) (*Expr, error) {
	x, err := b.value(n.In[0], p)
	if err != nil {
		return nil, err
	}
	return b.kernel.expr(Expr{Kind: Bitcast, Elem: n.Elem, Args: []*Expr{x}}), nil
}

// moved makes the expression of an operation that takes each element of its operand from one place.
func moved(from func(n *ir.Node, at []index.Expr) []index.Expr) func(*builder, *ir.Node, place) (*Expr, error) {
	return func(b *builder, n *ir.Node, p place) (*Expr, error) {
		return b.value(n.In[0], p.with(from(n, p.at)))
	}
}

func broadcast(n *ir.Node, at []index.Expr) []index.Expr {
	x := n.In[0]
	out := make([]index.Expr, x.Rank())
	for i, a := range n.Attr.(ir.AxesAttr).Axes {
		if x.Shape[i] != 1 {
			out[i] = at[a]
		}
	}
	return out
}

func reshape(n *ir.Node, at []index.Expr) []index.Expr {
	var flat index.Expr
	for i, d := range n.Shape {
		flat = flat.Times(int64(d)).Add(at[i])
	}
	x := n.In[0]
	out := make([]index.Expr, x.Rank())
	below := int64(1)
	for i := x.Rank() - 1; i >= 0; i-- {
		d := int64(x.Shape[i])
		out[i] = flat.Div(below).Mod(d)
		below *= d
	}
	return out
}

func transpose(n *ir.Node, at []index.Expr) []index.Expr {
	out := make([]index.Expr, len(at))
	for i, a := range n.Attr.(ir.AxesAttr).Axes {
		out[a] = at[i]
	}
	return out
}

func slice(n *ir.Node, at []index.Expr) []index.Expr {
	a := n.Attr.(ir.SliceAttr)
	out := make([]index.Expr, len(at))
	for i := range out {
		out[i] = at[i].Times(int64(a.Stride[i])).Plus(int64(a.Start[i]))
	}
	return out
}

func reverse(n *ir.Node, at []index.Expr) []index.Expr {
	out := slices.Clone(at)
	for _, i := range n.Attr.(ir.AxesAttr).Axes {
		out[i] = index.Constant(int64(n.Shape[i]) - 1).Sub(at[i])
	}
	return out
}

func window(n *ir.Node, at []index.Expr) []index.Expr {
	a := n.Attr.(ir.WindowAttr)
	r := len(a.Size)
	out := make([]index.Expr, r)
	for i := range out {
		out[i] = at[i].Times(int64(a.Stride[i])).Add(at[r+i].Times(int64(a.Dilation[i])))
	}
	return out
}
