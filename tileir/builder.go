package tileir

import (
	"errors"
	"fmt"
	"slices"
)

// Builder builds a module. It has a method for each operation that may be in a body, which appends it to the current block and
// returns the results. The operands come first, then the required attributes, then the result types that cannot be inferred,
// then functions that build regions, then options. A missing operand is a compile-time error; types are checked by
// [Builder.Build].
type Builder struct {
	Module *Module
	Loc    Loc // the source position of new operations

	block *Block
	errs  []error
}

// NewBuilder starts an empty module.
func NewBuilder() *Builder { return &Builder{Module: &Module{}} }

// Build checks the module for a version and returns it. The error has all faults: misused options and those found by [Verify].
func (b *Builder) Build(v Version) (*Module, error) {
	if err := errors.Join(errors.Join(b.errs...), Verify(b.Module, v)); err != nil {
		return nil, err
	}
	return b.Module, nil
}

// Entry appends a kernel with parameters of the given types. The function builds its body; a return at its end may be
// omitted.
func (b *Builder) Entry(name string, params []Type, body func(params []*Value)) *Entry {
	e := &Entry{Name: name, Loc: b.Loc}
	e.Body = b.region(params, OpReturn, body)
	e.Params, e.Body.Args = e.Body.Args, nil
	b.Module.Entries = append(b.Module.Entries, e)
	return e
}

// Global appends initialised memory and returns it, so that its other fields can be set.
func (b *Builder) Global(name string, value *Constant) *Global {
	g := &Global{Name: name, Value: value, Loc: b.Loc}
	b.Module.Globals = append(b.Module.Globals, g)
	return g
}

// region builds a block; where its terminator is left out, it gets the implied one.
func (b *Builder) region(args []Type, implied int, body func([]*Value)) *Block {
	outer := b.block
	defer func() { b.block = outer }()
	b.block = &Block{}
	for _, t := range args {
		b.block.Args = append(b.block.Args, &Value{Type: t})
	}
	body(b.block.Args)
	if n := len(b.block.Ops); n == 0 || !b.block.Ops[n-1].Info.Terminator {
		b.finish(b.begin(implied, nil, nil, nil), nil)
	}
	return b.block
}

// begin makes an operation without results and regions, with options added to what the caller gives.
func (b *Builder) begin(code int, groups [][]*Value, attrs []Attr, opts []Option) *Op {
	in := byOpcode[code]
	for _, opt := range opts {
		i, j := -1, -1
		for _, name := range opt.names {
			i, j = max(i, in.OperandIndex(name)), max(j, in.AttrIndex(name))
		}
		switch {
		case i >= 0 && in.Operands[i].Optional:
			groups[i] = []*Value{opt.value}
		case j >= 0:
			attrs[j] = opt.attr
		default:
			b.errs = append(b.errs, fmt.Errorf("tileir: %s takes no %s", in.Mnemonic, opt.names[0]))
		}
	}
	o := NewOp(in, groups, attrs, nil, nil, b.Loc)
	if len(in.Regions) > 0 {
		o.Regions = make([]*Block, len(in.Regions))
	}
	return o
}

// finish gives an operation its results and appends it. Types that are nil are inferred.
func (b *Builder) finish(o *Op, types []Type) []*Value {
	for i := range types {
		if types[i] == nil {
			types[i] = o.Inferred(i)
		}
	}
	o.setResults(types)
	if b.block == nil {
		b.errs = append(b.errs, fmt.Errorf("tileir: %s stands outside of an entry", o.Info.Mnemonic))
	} else {
		b.block.Ops = append(b.block.Ops, o)
	}
	return o.Results
}

// single wraps an operand.
func single(v *Value) []*Value { return []*Value{v} }

// typesOf gives the types of values; that of nil is nil.
func typesOf(vs []*Value) []Type {
	out := make([]Type, len(vs))
	for i := range vs {
		out[i] = typeAt(vs[i:i+1], 0)
	}
	return out
}

// shapeOfValue is the shape of a tile; other values have none.
func shapeOfValue(v *Value) []int {
	if v == nil {
		return nil
	}
	return shapeOf(v.Type)
}

// elemType is the type of elements e, or of pointers to them, in the shape of a value.
func elemType(like *Value, e Elem, pointer bool) Type {
	return &TileType{Elem: e, Pointer: pointer, Shape: slices.Clone(shapeOfValue(like))}
}

// shapeType is the type of a value's elements in another shape.
func shapeType(like *Value, shape []int) Type {
	t := &TileType{Shape: shape}
	if like != nil {
		if from, ok := like.Type.(*TileType); ok {
			t.Elem, t.Pointer, t.PtrAttr = from.Elem, from.Pointer, from.PtrAttr
		}
	}
	return t
}

// rankTypes are scalars of e, one for each dimension of a view.
func rankTypes(view *Value, e Elem) []Type {
	n := 0
	if view != nil {
		switch t := view.Type.(type) {
		case *TensorViewType:
			n = len(t.Shape)
		case ViewType:
			n = len(t.TensorView().Shape)
		}
	}
	out := make([]Type, n)
	for i := range out {
		out[i] = Tile(e)
	}
	return out
}

// pairTypes are the types of the block arguments of a reduction: two scalars for each operand.
func pairTypes(operands []*Value) []Type {
	var out []Type
	for _, v := range operands {
		t := &TileType{}
		if from, ok := typeAt(single(v), 0).(*TileType); ok {
			t = scalar(from)
		}
		out = append(out, t, t)
	}
	return out
}

// Option is an optional operand or attribute of an operation. The comment of each method of [Builder] lists the options of its
// operation; [Builder.Build] reports others as errors.
type Option struct {
	names []string // as the table has it
	attr  Attr
	value *Value
}

// WithMask limits an access to the elements where the mask is true.
func WithMask(mask *Value) Option { return Option{names: []string{"mask"}, value: mask} }

// WithPadding sets the elements of a load where the mask is false.
func WithPadding(padding *Value) Option {
	return Option{names: []string{"paddingValue"}, value: padding}
}

// WithToken orders an operation after the operations that the token stands for.
func WithToken(token *Value) Option { return Option{names: []string{"token"}, value: token} }

// WithScope sets the threads with which an access that is not weak is ordered: [ScopeTileBlock] and so on.
func WithScope(scope Int) Option { return Option{names: []string{"memory_scope"}, attr: scope} }

// WithHints sets optimisation hints.
func WithHints(hints Hints) Option {
	return Option{names: []string{"optimization_hints"}, attr: hints}
}

// WithInBounds promises, for each index of a view with a true argument, that the tile lies inside (13.4).
func WithInBounds(inside ...bool) Option {
	return Option{names: []string{"inbounds"}, attr: Bools(inside)}
}

// WithRounding sets a rounding mode other than the operation's default.
func WithRounding(mode Int) Option {
	return Option{names: []string{"rounding_mode", "rounding"}, attr: mode}
}

// WithOverflow promises that no integer overflows: [OverflowNoSignedWrap] and so on.
func WithOverflow(promise Int) Option { return Option{names: []string{"overflow"}, attr: promise} }

// WithFlushToZero replaces denormal operands and results by zero.
func WithFlushToZero() Option { return flagOption("flush_to_zero") }

// WithPropagateNaN makes the result NaN if an operand is NaN.
func WithPropagateNaN() Option { return flagOption("propagate_nan") }

// WithSaturation limits results to the range of the integer (13.4).
func WithSaturation() Option { return flagOption("saturating") }

// WithFastAcc allows less exact accumulation of a product (13.3).
func WithFastAcc() Option { return flagOption("fast_acc") }

// WithUnsigned compares the bounds of a loop as unsigned numbers (13.2).
func WithUnsigned() Option { return flagOption("unsignedCmp") }

// WithGlobalMemory makes an allocation use global memory.
func WithGlobalMemory() Option { return flagOption("global") }

func flagOption(name string) Option { return Option{names: []string{name}, attr: Bool(true)} }
