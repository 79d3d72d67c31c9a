package numerics_test

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// builder makes one entry, operation by operation.
type builder struct {
	entry *tileir.Entry
	block *tileir.Block
}

// op appends an operation with one value for each operand, or none for those of groups that are nil.
func (b *builder) op(name string, groups [][]*tileir.Value, attrs []tileir.Attr, regions []*tileir.Block, results ...tileir.Type) []*tileir.Value {
	o := tileir.NewOp(tileir.Lookup(name), groups, attrs, results, regions, tileir.Loc{})
	b.block.Ops = append(b.block.Ops, o)
	return o.Results
}

// one appends an operation with operands of one value each and one result.
func (b *builder) one(name string, attrs []tileir.Attr, result tileir.Type, operands ...*tileir.Value) *tileir.Value {
	groups := make([][]*tileir.Value, len(operands))
	for i, v := range operands {
		groups[i] = []*tileir.Value{v}
	}
	return b.op(name, groups, attrs, nil, result)[0]
}

func (b *builder) constant(v int32) *tileir.Value {
	t := tileir.Tile(tileir.I32)
	return b.one("constant", []tileir.Attr{&tileir.Constant{Type: t, Data: []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}}}, t)
}

// stored is the element type that values have in memory, and how many of them share an element.
func stored(e tileir.Elem) (tileir.Elem, int) {
	if e == tileir.F4E2M1FN || e == tileir.I4 {
		return tileir.I8, 2
	}
	return e, 1
}

// view sees total elements in memory as tiles of n.
func (b *builder) view(base *tileir.Value, n, total int) *tileir.Value {
	tv := &tileir.TensorViewType{Elem: base.Type.(*tileir.TileType).Elem, Shape: []int64{int64(total)}, Strides: []int64{1}}
	v := b.op("make_tensor_view", [][]*tileir.Value{{base}, nil, nil}, nil, nil, tv)[0]
	return b.one("make_partition_view", nil, &tileir.PartitionViewType{Tile: []int{n}, Tensor: tv, DimMap: []int{0}}, v)
}

var weak = []tileir.Attr{tileir.MemoryWeak}

// load reads tile number index of the elements at base, in a shape.
func (b *builder) load(base *tileir.Value, e tileir.Elem, shape []int, total int, index *tileir.Value) *tileir.Value {
	in, per := stored(e)
	n := size(shape)
	v := b.view(base, n/per, total/per)
	t := b.op("load_view_tko", [][]*tileir.Value{{v}, {index}, nil}, weak, nil, tileir.Tile(in, n/per), tileir.Token)[0]
	if per > 1 {
		t = b.one("unpack", nil, tileir.Tile(e, n), t)
	}
	return b.reshape(t, shape)
}

// store writes a tile as number index of the elements at base.
func (b *builder) store(base, v *tileir.Value, total int, index *tileir.Value) {
	t := v.Type.(*tileir.TileType)
	n := t.Size()
	v = b.reshape(v, []int{n})
	out, per := stored(t.Elem)
	if per > 1 {
		v = b.one("pack", nil, tileir.Tile(out, n/per), v)
	}
	b.op("store_view_tko", [][]*tileir.Value{{v}, {b.view(base, n/per, total/per)}, {index}, nil}, weak, nil, tileir.Token)
}

func (b *builder) reshape(v *tileir.Value, shape []int) *tileir.Value {
	t := v.Type.(*tileir.TileType)
	if slices.Equal(t.Shape, shape) {
		return v
	}
	return b.one("reshape", nil, tileir.Tile(t.Elem, shape...), v)
}

func size(shape []int) int {
	n := 1
	for _, x := range shape {
		n *= x
	}
	return n
}

// start begins an entry whose parameters are the case's operands and its result.
func (c *testCase) start() (*builder, *tileir.Module) {
	b := &builder{entry: &tileir.Entry{Name: "k", Body: &tileir.Block{}}}
	b.block = b.entry.Body
	for _, e := range append(argElems(c), c.result) {
		in, _ := stored(e)
		b.entry.Params = append(b.entry.Params, &tileir.Value{Type: tileir.PointerTile(in)})
	}
	return b, &tileir.Module{Entries: []*tileir.Entry{b.entry}}
}

func argElems(c *testCase) []tileir.Elem {
	var out []tileir.Elem
	for _, a := range c.args {
		out = append(out, a.elem)
	}
	return out
}

// compute appends the case's operation.
func (c *testCase) compute(b *builder, result []int, operands ...*tileir.Value) *tileir.Value {
	t := tileir.Tile(c.result, result...)
	if c.body == nil {
		return b.one(c.in.Mnemonic, c.attrs, t, operands...)
	}
	s := tileir.Tile(c.types[0])
	region := &tileir.Block{Args: []*tileir.Value{{Type: s}, {Type: s}}}
	inner := &builder{block: region}
	args := slices.Clone(region.Args)
	if c.turned {
		slices.Reverse(args)
	}
	v := inner.one(c.body.in.Mnemonic, c.body.attrs, s, args...)
	inner.op("yield", [][]*tileir.Value{{v}}, nil, nil)
	return b.op(c.in.Mnemonic, [][]*tileir.Value{operands}, c.attrs, []*tileir.Block{region}, t)[0]
}

// shapeOf is the shape of operand i, or of the result behind them.
func (c *testCase) shapeOf(i int) []int {
	if c.shapes == nil {
		return []int{c.args[0].len()}
	}
	return c.shapes[i]
}

// module computes the case once, for all elements.
func (c *testCase) module() *tileir.Module {
	b, m := c.start()
	zero := b.constant(0)
	var operands []*tileir.Value
	for i, a := range c.args {
		operands = append(operands, b.load(b.entry.Params[i], a.elem, c.shapeOf(i), a.len(), zero))
	}
	shape := c.shapeOf(len(c.args))
	b.store(b.entry.Params[len(c.args)], c.compute(b, shape, operands...), size(shape), zero)
	b.op("return", nil, nil, nil)
	return m
}

// scalarModule computes every step-th element, one a block, as a tile of rank 0.
func (c *testCase) scalarModule(step int) *tileir.Module {
	b, m := c.start()
	s := tileir.Tile(tileir.I32)
	id := b.op("get_tile_block_id", nil, nil, nil, s, s, s)[0]
	id = b.one("muli", nil, s, id, b.constant(int32(step)))
	n := c.args[0].len()
	var operands []*tileir.Value
	for i, a := range c.args {
		operands = append(operands, b.reshape(b.load(b.entry.Params[i], a.elem, []int{1}, n, id), nil))
	}
	b.store(b.entry.Params[len(c.args)], c.compute(b, nil, operands...), n, id)
	b.op("return", nil, nil, nil)
	return m
}

// splatModule computes one edge value with each a block: the operand named by splat is one element for all. Blocks
// store one after the other.
func (c *testCase) splatModule(splat, edges int) *tileir.Module {
	b, m := c.start()
	s := tileir.Tile(tileir.I32)
	id := b.op("get_tile_block_id", nil, nil, nil, s, s, s)[0]
	n := c.args[0].len()
	// In the first operand each edge stands once a row of the second one, in the second they follow each other.
	every := b.load(b.entry.Params[1], c.types[1], []int{edges}, n, b.constant(0))
	alone := b.load(b.entry.Params[1], c.types[1], []int{1}, n, id)
	alone = b.one("broadcast", nil, tileir.Tile(c.types[1], edges), alone)
	operands := []*tileir.Value{every, alone}
	if splat == 0 {
		operands = []*tileir.Value{alone, every}
	}
	b.store(b.entry.Params[2], c.compute(b, []int{edges}, operands...), n, id)
	b.op("return", nil, nil, nil)
	return m
}
