package lower

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// get evaluates a path: a parameter, or a field or companion of one.
func (c *call) get(path string) (value, types.Type) {
	head, rest, dotted := strings.Cut(path, ".")
	at := c.index(head)
	if at < 0 {
		c.Fail(c.pos, "the directive of %s names %s, which is no parameter", c.fn.Name(), head)
	}
	v := c.args[at]
	if !dotted {
		return v, c.types[at]
	}
	switch x := v.(type) {
	case *tile:
		if companion := x.meta[rest]; companion != nil {
			c.read(companion)
			return companion.v, nil
		}
	case *structVal:
		st := c.types[at].Underlying().(*types.Struct)
		for i := range st.NumFields() {
			if st.Field(i).Name() == rest {
				return x.fields[i], st.Field(i).Type()
			}
		}
	}
	c.Fail(c.pos, "the directive of %s: %s has no %s", c.fn.Name(), head, rest)
	return nil, nil
}

// operand gives the tiles of one operand; first is the first operand of all, whose shape a plain truth value takes.
func (c *call) operand(e *decl.Expr, first *tile) []*tile {
	switch {
	case e.Name == "_":
		return nil
	case e.Name == "[":
		var out []*tile
		for _, a := range e.Args {
			out = append(out, c.operand(a, first)...)
		}
		return out
	}
	dynamic := e.Name == "dynamic"
	if dynamic {
		e = e.Args[0]
	}
	v, t := c.get(e.Name)
	switch x := v.(type) {
	case noneVal:
		return nil
	case *listVal:
		return c.listOperand(x, t, dynamic)
	case constant.Value:
		if x.Kind() == constant.Bool && first != nil && len(first.desc.Shape) > 0 {
			return []*tile{c.constant(c.pos, x, c.maskOf(first))}
		}
	}
	if t == nil {
		return []*tile{v.(*tile)}
	}
	return []*tile{c.as(c.pos, v, t)}
}

// operands gives the tiles of all operands. Plain truth values come last, as they take the shape of the others.
func (c *call) operands(d *decl.Directive) [][]*tile {
	var first *tile
	var plain []int
	groups := make([][]*tile, len(d.Info.Operands))
	for i, e := range d.Operands {
		if at := c.index(e.Name); at >= 0 && isBool(c.args[at]) {
			plain = append(plain, i)
			continue
		}
		groups[i] = c.operand(e, first)
		if len(groups[i]) == 1 && first == nil {
			first = groups[i][0]
		}
	}
	for _, i := range plain {
		groups[i] = c.operand(d.Operands[i], first)
	}
	for i := range groups {
		if row := &d.Info.Operands[i]; !row.Variadic && !row.Optional && len(groups[i]) != 1 {
			c.Fail(c.pos, "%s: operand %s is missing", c.fn.Name(), row.Name)
		}
	}
	return groups
}

// listOperand gives the elements of a list; of a dynamic one only those that are not constant.
func (c *call) listOperand(list *listVal, t types.Type, dynamic bool) []*tile {
	elem := elemType(t)
	var out []*tile
	for _, v := range list.elems {
		if dynamic && isConst(v) {
			continue
		}
		out = append(out, c.as(c.pos, v, elem))
	}
	return out
}

// maskOf is the type of a mask for x: what the language's comparison of integers gives.
func (c *call) maskOf(x *tile) types.Type {
	return c.lang.Instance(c.pos, world.Operator{Path: describe.OpPath, Name: "MaskOf"}, []types.Type{x.typ}).Results()[0]
}

// op emits the operation that a declaration names, by the table.
func (c *call) op() []value {
	d, in := c.fn.Directive(), c.fn.Directive().Info
	c.bind()
	groups := c.operands(d)
	results := c.fn.Results()
	attrs := c.attrs(d, groups, results)
	var regions []*tileir.Block
	for _, r := range d.Regions {
		regions = append(regions, c.combiner(r))
	}
	out, flat := c.opResults(d, results)
	c.taken(in, groups, flat)
	for i := range in.Traits {
		c.related(c.called(), in, &in.Traits[i], groups, flat)
	}
	irGroups := make([][]*tileir.Value, len(groups))
	for i, g := range groups {
		irGroups[i] = irValues(g)
	}
	op := tileir.NewOp(in, irGroups, attrs, nil, regions, c.loc())
	for _, r := range flat {
		r.v.Def = op
		op.Results = append(op.Results, r.v)
	}
	if d.Traps {
		c.traps[op] = true
	}
	if d.Once && c.shared(op, flat) {
		return out
	}
	c.push(op)
	return out
}

// opResults makes the results of an operation: as the Go function gives them, and one after another.
func (c *call) opResults(d *decl.Directive, ts []types.Type) (out []value, flat []*tile) {
	for _, t := range ts {
		ds := c.desc(t)
		if !(ds != nil) {
			c.Fail(c.pos, "%s: a result of type %s cannot live on the device", c.fn.Name(), t)
		}
		switch {
		case ds.Kind == describe.ListKind:
			list := &listVal{}
			for range ds.N {
				x := c.newTile(elemType(t))
				list.elems, flat = append(list.elems, x), append(flat, x)
			}
			out = append(out, list)
			continue
		case ds.Kind.IsView():
			x := &tile{v: &tileir.Value{Type: c.viewType(ds, d.Result)}, desc: &describe.Desc{Kind: ds.Kind, Elem: ds.Elem}, typ: t}
			out, flat = append(out, x), append(flat, x)
			continue
		}
		x := c.newTile(t)
		if !(x != nil) {
			c.Fail(c.pos, "%s: a result of type %s cannot live on the device", c.fn.Name(), t)
		}
		out, flat = append(out, x), append(flat, x)
	}
	for _, x := range flat {
		x.min = c.resultMin(d)
	}
	if d.Meta != nil {
		c.attach(d.Meta, flat[0])
	}
	return out, flat
}

// resultMin is the lower bound that a declaration promises.
func (c *call) resultMin(d *decl.Directive) *int64 {
	switch {
	case d.Bounds != "":
		if v, _ := c.get(d.Bounds); v != nil {
			if x, ok := v.(*tile); ok {
				return x.min
			}
		}
	case d.Min != nil:
		n := c.integer(d.Min)
		return &n
	}
	return nil
}

// attach gives a value its companions. One that is another's companion is shared with it.
func (c *call) attach(meta *decl.Expr, x *tile) {
	x.meta = map[string]*cell{}
	for i, k := range meta.Keys {
		path := meta.Args[i].Name
		if head, rest, dotted := strings.Cut(path, "."); dotted {
			if from, ok := c.args[c.index(head)].(*tile); ok && from.meta[rest] != nil {
				x.meta[k] = from.meta[rest]
				continue
			}
		}
		v, _ := c.get(path)
		companion := c.newCell(k, nil, v)
		companion.keep = true
		x.meta[k] = companion
	}
}
