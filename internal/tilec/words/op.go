package words

import (
	"fmt"
	"go/constant"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// get evaluates a path: a parameter, or a field of one or a value that belongs to one.
func (c *call) get(path string) (emit.Value, types.Type) {
	head, rest, dotted := strings.Cut(path, ".")
	// The first word of a path is a parameter, the second one a field or a value that belongs to
	// it.
	at := c.index(head)
	if at < 0 {
		c.Fail(c.pos, "the directive of %s names %s, which is not a parameter", c.fn.Name(), head)
	}
	v := c.args[at]
	if !dotted {
		return v, c.types[at]
	}
	switch x := v.(type) {
	case *emit.Tile:
		if companion := x.Meta[rest]; companion != nil {
			c.Read(companion)
			return companion.V, nil
		}
	case *emit.Struct:
		// A field of a parameter is one of Go, which its type names.
		st := c.types[at].Underlying().(*types.Struct)
		for i := range st.NumFields() {
			if st.Field(i).Name() == rest {
				return x.Fields[i], st.Field(i).Type()
			}
		}
	}
	c.Fail(c.pos, "the directive of %s: %s has no %s", c.fn.Name(), head, rest)
	return nil, nil
}

// operand gives the tiles of one operand. first is the first operand of the operation, whose shape
// a single truth value takes.
func (c *call) operand(e *decl.Expr, first *emit.Tile) []*emit.Tile {
	switch {
	case e.Name == "_":
		return nil
	case e.Name == "[":
		var out []*emit.Tile
		for _, a := range e.Args {
			out = append(out, c.operand(a, first)...)
		}
		return out
	}
	// dynamic(x) stands for the elements of a list that are not constants: the constants are part
	// of the type.
	dynamic := e.Name == "dynamic"
	if dynamic {
		e = e.Args[0]
	}
	v, t := c.get(e.Name)
	switch x := v.(type) {
	case emit.None:
		return nil
	case *emit.List:
		return c.listOperand(x, t, dynamic)
	case constant.Value:
		if x.Kind() == constant.Bool && first != nil && len(first.Desc.Shape) > 0 {
			// A known truth value fills a mask of the shape of the first operand.
			return []*emit.Tile{c.Constant(c.pos, x, c.maskOf(first))}
		}
	}
	// A value that belongs to another has no Go type, and needs no conversion.
	if t == nil {
		return []*emit.Tile{v.(*emit.Tile)}
	}
	return []*emit.Tile{c.As(c.pos, v, t)}
}

// operands gives the tiles of all operands. Single truth values come last, as they take the shape
// of the other operands.
func (c *call) operands(d *decl.Directive) [][]*emit.Tile {
	var first *emit.Tile
	var plain []int
	groups := make([][]*emit.Tile, len(d.Info.Operands))
	for i, e := range d.Operands {
		if at := c.index(e.Name); at >= 0 && emit.IsBool(c.args[at]) {
			plain = append(plain, i)
			continue
		}
		groups[i] = c.operand(e, first)
		if len(groups[i]) == 1 && first == nil {
			// The shape of the first operand is that of a mask among the operands.
			first = groups[i][0]
		}
	}
	for _, i := range plain {
		groups[i] = c.operand(d.Operands[i], first)
	}
	for i := range groups {
		// None stands for an operand that is not given, which the table must allow.
		if row := &d.Info.Operands[i]; !row.Variadic && !row.Optional && len(groups[i]) != 1 {
			c.Fail(c.pos, "%s: operand %s is missing", c.fn.Name(), row.Name)
		}
	}
	return groups
}

// listOperand gives the elements of a list. Of a dynamic list it gives only those that are not
// constants.
func (c *call) listOperand(list *emit.List, t types.Type, dynamic bool) []*emit.Tile {
	// A constant in the list becomes a tile of the element type.
	elem := emit.ElemType(t)
	var out []*emit.Tile
	for _, v := range list.Elems {
		if dynamic && emit.IsConst(v) {
			continue
		}
		out = append(out, c.As(c.pos, v, elem))
	}
	return out
}

// maskOf gives the type of a mask for x, which is the type that the language's comparison of such
// tiles gives.
func (c *call) maskOf(x *emit.Tile) types.Type {
	return c.Lang.Instance(c.pos, world.Symbol{Path: describe.OpPath, Name: "MaskOf"}, []types.Type{x.Type}).Results()[0]
}

// op emits the operation that a declaration names, as the table tells.
func (c *call) op() []emit.Value {
	d, in := c.fn.Directive(), c.fn.Directive().Info
	c.bind()
	groups := c.operands(d)
	results := c.fn.Results()
	attrs := c.attrs(d, groups, results)
	var regions []*tileir.Block
	for _, r := range d.Regions {
		// Regions are lowered before the operation is made, so that its operands come from outside
		// of them.
		regions = append(regions, c.combiner(r))
	}
	// Results are made before the checks, as rules are about operands and results together.
	out, flat := c.opResults(d, results)
	c.taken(in, groups, flat)
	for i := range in.Traits {
		c.related(c.called(), in, &in.Traits[i], groups, flat)
	}
	irGroups := make([][]*tileir.Value, len(groups))
	for i, g := range groups {
		irGroups[i] = emit.IRValues(g)
	}
	op := tileir.NewOp(in, irGroups, attrs, nil, regions, c.Loc())
	for _, r := range flat {
		r.V.Def = op
		op.Results = append(op.Results, r.V)
	}
	// Code around the operation must not move it or compute it speculatively.
	if d.Traps {
		c.Traps[op] = true
	}
	// An operation that is declared once, and whose operands are known in the prologue, is emitted
	// there for the whole kernel.
	if d.Once && c.shared(op, flat) {
		return out
	}
	c.Push(op)
	return out
}

// opResults makes the results of an operation: as the Go function returns them, and one after
// another.
func (c *call) opResults(d *decl.Directive, ts []types.Type) (out []emit.Value, flat []*emit.Tile) {
	for _, t := range ts {
		ds := c.Desc(t)
		if !(ds != nil) {
			c.Fail(c.pos, "%s: a result of type %s cannot live on the device", c.fn.Name(), t)
		}
		switch {
		// The number of results is part of the Go type, as the number of block coordinates is.
		case ds.Kind == describe.ListKind:
			list := &emit.List{}
			for range ds.N {
				x := c.NewTile(emit.ElemType(t))
				list.Elems, flat = append(list.Elems, x), append(flat, x)
			}
			out = append(out, list)
			continue
		// The type of a view depends on the arguments, so Go's type does not tell it.
		case ds.Kind.IsView():
			x := &emit.Tile{V: &tileir.Value{Type: c.viewType(ds, d.Result)}, Desc: &describe.Desc{Kind: ds.Kind, Elem: ds.Elem}, Type: t}
			out, flat = append(out, x), append(flat, x)
			continue
		}
		x := c.NewTile(t)
		if !(x != nil) {
			c.Fail(c.pos, "%s: a result of type %s cannot live on the device", c.fn.Name(), t)
		}
		out, flat = append(out, x), append(flat, x)
	}
	for _, x := range flat {
		x.Min = c.resultMin(d)
	}
	if d.Meta != nil {
		c.attach(d.Meta, flat[0])
	}
	return out, flat
}

// resultMin gives the lower bound that a declaration promises for the results.
func (c *call) resultMin(d *decl.Directive) *int64 {
	switch {
	case d.Bounds != "":
		if v, _ := c.get(d.Bounds); v != nil {
			if x, ok := v.(*emit.Tile); ok {
				// The result has the same lower bound as that argument.
				return x.Min
			}
		}
	case d.Min != nil:
		n := c.integer(d.Min)
		return &n
	}
	return nil
}

// attach gives a value the values that belong to it, such as the token of a view. One that already
// belongs to an argument is shared: views of the same memory must see the same token.
func (c *call) attach(meta *decl.Expr, x *emit.Tile) {
	x.Meta = map[string]*emit.Cell{}
	for i, k := range meta.Keys {
		path := meta.Args[i].Name
		if head, rest, dotted := strings.Cut(path, "."); dotted {
			// The cell itself is shared, so that a change by one view is seen by the others.
			if from, ok := c.args[c.index(head)].(*emit.Tile); ok && from.Meta[rest] != nil {
				x.Meta[k] = from.Meta[rest]
				continue
			}
		}
		v, _ := c.get(path)
		companion := c.NewCell(k, nil, v)
		// It lives as long as the value that it belongs to.
		companion.Keep = true
		x.Meta[k] = companion
	}
}

// shared puts an operation into the prologue if its operands are known there, or gives res the
// values of the same operation that is there already. Kernels ask for the number of a block or the
// extents of a tensor again and again, and the assembler needs the question once.
func (c *call) shared(op *tileir.Op, res []*emit.Tile) bool {
	var key strings.Builder
	key.WriteString(op.Info.Mnemonic)
	for _, o := range op.Operands {
		// The operand is computed in the kernel's code, behind the prologue.
		if !c.Early[o] {
			return false
		}
		// Operations without attributes are the same if their operands are.
		fmt.Fprintf(&key, " %p", o)
	}
	old, ok := c.Memo[key.String()]
	if !ok {
		c.Memo[key.String()] = op.Results
		c.InBlock(c.Prologue, func() { c.Push(op) })
		return true
	}
	for i, r := range res {
		// The results that were made for this operation stand for those of the first one.
		r.V = old[i]
	}
	return true
}
