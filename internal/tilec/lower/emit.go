package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// bound is a directive's view of a call: parameters and type parameters by name.
type bound struct {
	fv    *funcVal
	names []string
	vals  []value
	types []types.Type
	env   map[string]types.Type
}

// index is the place of a parameter: -1 where there is none of this name.
func (b *bound) index(name string) int { return slices.Index(b.names, name) }

// bind names the arguments of a declaration; a receiver is the first of them.
func (l *lowerer) bind(fv *funcVal, args []value) *bound {
	n := len(args)
	b := &bound{fv: fv, names: make([]string, 0, n), vals: args, types: make([]types.Type, 0, n), env: fv.env.Names()}
	if fv.recv != nil {
		b.names, b.types = append(b.names, "_"), append(b.types, nil)
		for _, id := range fv.recv.List[0].Names {
			b.names[0], b.types[0] = id.Name, l.w.Subst(fv.pkg.Info.Defs[id].Type(), fv.env)
		}
	}
	for _, f := range fv.typ.Params.List {
		t := l.paramType(fv, f)
		for _, id := range f.Names {
			b.names, b.types = append(b.names, id.Name), append(b.types, t)
		}
	}
	return b
}

// get evaluates a path: a parameter, or a field or companion of one.
func (l *lowerer) get(pos token.Pos, b *bound, path string) (value, types.Type) {
	head, rest, dotted := strings.Cut(path, ".")
	at := b.index(head)
	if at < 0 {
		l.Fail(pos, "the directive of %s names %s, which is no parameter", b.fv.name, head)
	}
	v := b.vals[at]
	if !dotted {
		return v, b.types[at]
	}
	switch x := v.(type) {
	case *tile:
		if c := x.meta[rest]; c != nil {
			l.read(c)
			return c.v, nil
		}
	case *structVal:
		st := b.types[at].Underlying().(*types.Struct)
		for i := range st.NumFields() {
			if st.Field(i).Name() == rest {
				return x.fields[i], st.Field(i).Type()
			}
		}
	}
	l.Fail(pos, "the directive of %s: %s has no %s", b.fv.name, head, rest)
	return nil, nil
}

// operand gives the tiles of one operand; first is the first operand of all, whose shape a plain truth value takes.
func (l *lowerer) operand(pos token.Pos, b *bound, e *decl.Expr, first *tile) []*tile {
	switch {
	case e.Name == "_":
		return nil
	case e.Name == "[":
		var out []*tile
		for _, a := range e.Args {
			out = append(out, l.operand(pos, b, a, first)...)
		}
		return out
	}
	dynamic := e.Name == "dynamic"
	if dynamic {
		e = e.Args[0]
	}
	v, t := l.get(pos, b, e.Name)
	switch x := v.(type) {
	case noneVal:
		return nil
	case *listVal:
		return l.listOperand(pos, x, t, dynamic)
	case constant.Value:
		if x.Kind() == constant.Bool && first != nil && len(first.desc.Shape) > 0 {
			return []*tile{l.constant(pos, x, l.maskOf(pos, first))}
		}
	}
	if t == nil {
		return []*tile{v.(*tile)}
	}
	return []*tile{l.as(pos, v, t)}
}

// operands gives the tiles of all operands. Plain truth values come last, as they take the shape of the others.
func (l *lowerer) operands(pos token.Pos, b *bound, d *decl.Directive) [][]*tile {
	var first *tile
	var plain []int
	groups := make([][]*tile, len(d.Info.Operands))
	for i, e := range d.Operands {
		if at := b.index(e.Name); at >= 0 && isBool(b.vals[at]) {
			plain = append(plain, i)
			continue
		}
		groups[i] = l.operand(pos, b, e, first)
		if len(groups[i]) == 1 && first == nil {
			first = groups[i][0]
		}
	}
	for _, i := range plain {
		groups[i] = l.operand(pos, b, d.Operands[i], first)
	}
	for i := range groups {
		if row := &d.Info.Operands[i]; !row.Variadic && !row.Optional && len(groups[i]) != 1 {
			l.Fail(pos, "%s: operand %s is missing", b.fv.name, row.Name)
		}
	}
	return groups
}

// listOperand gives the elements of a list; of a dynamic one only those that are not constant.
func (l *lowerer) listOperand(pos token.Pos, list *listVal, t types.Type, dynamic bool) []*tile {
	elem := elemType(t)
	var out []*tile
	for _, v := range list.elems {
		if dynamic && isConst(v) {
			continue
		}
		out = append(out, l.as(pos, v, elem))
	}
	return out
}

// maskOf is the type of a mask for x: what the language's comparison of integers gives.
func (l *lowerer) maskOf(pos token.Pos, x *tile) types.Type {
	fv := l.language(pos, world.Operator{Path: describe.OpPath, Name: "MaskOf"}, []types.Type{x.typ})
	return l.w.Subst(fv.pkg.Info.Types[fv.typ.Results.List[0].Type].Type, fv.env)
}

// emitOp emits the operation that a declaration names, by the table.
func (l *lowerer) emitOp(pos token.Pos, fv *funcVal, args []value) []value {
	d, b, in := fv.dir, l.bind(fv, args), fv.dir.Info
	groups := l.operands(pos, b, d)
	results := l.resultTypes(fv)
	attrs := l.attrs(pos, b, d, groups, results)
	var regions []*tileir.Block
	for _, r := range d.Regions {
		regions = append(regions, l.combiner(pos, b, r, groups))
	}
	out, flat := l.opResults(pos, b, d, results)
	l.taken(pos, in, groups, flat)
	for i := range in.Traits {
		l.related(pos, l.called(fv), in, &in.Traits[i], groups, flat)
	}
	irGroups := make([][]*tileir.Value, len(groups))
	for i, g := range groups {
		irGroups[i] = irValues(g)
	}
	op := tileir.NewOp(in, irGroups, attrs, nil, regions, l.loc())
	for _, r := range flat {
		r.v.Def = op
		op.Results = append(op.Results, r.v)
	}
	if d.Traps {
		l.traps[op] = true
	}
	if d.Once && l.shared(op, flat) {
		return out
	}
	l.push(op)
	return out
}

func (l *lowerer) resultTypes(fv *funcVal) (out []types.Type) {
	if fv.typ.Results == nil {
		return nil
	}
	for _, f := range fv.typ.Results.List {
		for range max(1, len(f.Names)) {
			out = append(out, l.paramType(fv, f))
		}
	}
	return out
}

// opResults makes the results of an operation: as the Go function gives them, and one after another.
func (l *lowerer) opResults(pos token.Pos, b *bound, d *decl.Directive, ts []types.Type) (out []value, flat []*tile) {
	for _, t := range ts {
		ds := l.desc(t)
		if !(ds != nil) {
			l.Fail(pos, "%s: a result of type %s cannot live on the device", b.fv.name, t)
		}
		switch {
		case ds.Kind == describe.ListKind:
			list := &listVal{}
			for range ds.N {
				x := l.newTile(elemType(t))
				list.elems, flat = append(list.elems, x), append(flat, x)
			}
			out = append(out, list)
			continue
		case ds.Kind.IsView():
			x := &tile{v: &tileir.Value{Type: l.viewType(pos, b, ds, d.Result)}, desc: &describe.Desc{Kind: ds.Kind, Elem: ds.Elem}, typ: t}
			out, flat = append(out, x), append(flat, x)
			continue
		}
		x := l.newTile(t)
		if !(x != nil) {
			l.Fail(pos, "%s: a result of type %s cannot live on the device", b.fv.name, t)
		}
		out, flat = append(out, x), append(flat, x)
	}
	for _, x := range flat {
		x.min = l.resultMin(pos, b, d)
	}
	if d.Meta != nil {
		l.attach(pos, b, d.Meta, flat[0])
	}
	return out, flat
}

// resultMin is the lower bound that a declaration promises.
func (l *lowerer) resultMin(pos token.Pos, b *bound, d *decl.Directive) *int64 {
	switch {
	case d.Bounds != "":
		if v, _ := l.get(pos, b, d.Bounds); v != nil {
			if x, ok := v.(*tile); ok {
				return x.min
			}
		}
	case d.Min != nil:
		n := l.integer(pos, b, d.Min)
		return &n
	}
	return nil
}

// attach gives a value its companions. One that is another's companion is shared with it.
func (l *lowerer) attach(pos token.Pos, b *bound, meta *decl.Expr, x *tile) {
	x.meta = map[string]*cell{}
	for i, k := range meta.Keys {
		path := meta.Args[i].Name
		if head, rest, dotted := strings.Cut(path, "."); dotted {
			if from, ok := b.vals[b.index(head)].(*tile); ok && from.meta[rest] != nil {
				x.meta[k] = from.meta[rest]
				continue
			}
		}
		v, _ := l.get(pos, b, path)
		c := l.newCell(k, nil, v)
		c.keep = true
		x.meta[k] = c
	}
}
