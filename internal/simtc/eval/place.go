package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// one is the 1 of ++ and --.
func one(*frame, types.Type) value { return constant.MakeInt64(1) }

// place evaluates an expression that can be assigned to.
func (ev *evaluator) place(fr *frame, e ast.Expr) *pointer {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o := fr.pkg.Info.Uses[e]
		if o == nil {
			panic(bailout{})
		}
		if c := fr.find(o); c != nil {
			return &pointer{cell: c}
		}
		ev.Fail(e.Pos(), "%s is a variable of the package: it cannot be set in compiled code, as its value is not part of the source", e.Name)
	case *ast.StarExpr:
		return ev.deref(e.Pos(), ev.eval(fr, e.X))
	case *ast.SelectorExpr:
		sel := fr.pkg.Info.Selections[e]
		ev.Must(sel != nil && sel.Kind() == types.FieldVal, e.Pos(), "this cannot be assigned to")
		return ev.fieldPlace(fr, e, sel)
	case *ast.IndexExpr:
		return ev.elemPlace(fr, e)
	}
	ev.Fail(e.Pos(), "this cannot be assigned to")
	return nil
}

// fieldPlace is a field of a variable, or of what a pointer points to.
func (ev *evaluator) fieldPlace(fr *frame, e *ast.SelectorExpr, sel *types.Selection) *pointer {
	var p *pointer
	t := ev.typeOf(fr, e.X)
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		p, t = ev.deref(e.Pos(), ev.eval(fr, e.X)), ptr.Elem()
	} else {
		p = ev.place(fr, e.X)
	}
	for _, i := range sel.Index() {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			p, t = ev.deref(e.Pos(), ev.load(p)), ptr.Elem()
		}
		p = &pointer{p.cell, append(slices.Clip(p.path), i)}
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	return p
}

// elemPlace is an element of an array or slice.
func (ev *evaluator) elemPlace(fr *frame, e *ast.IndexExpr) *pointer {
	i := ev.staticInt(e.Index.Pos(), ev.eval(fr, e.Index), "an index of an array or slice")
	switch t := ev.typeOf(fr, e.X).Underlying().(type) {
	case *types.Array:
		ev.inRange(e.Index.Pos(), i, int(t.Len()))
		p := ev.place(fr, e.X)
		return &pointer{p.cell, append(slices.Clip(p.path), i)}
	case *types.Pointer:
		ev.inRange(e.Index.Pos(), i, int(t.Elem().Underlying().(*types.Array).Len()))
		p := ev.deref(e.Pos(), ev.eval(fr, e.X))
		return &pointer{p.cell, append(slices.Clip(p.path), i)}
	case *types.Slice:
		s, ok := ev.eval(fr, e.X).(*sliceVal)
		ev.Must(ok, e.Pos(), "this slice is nil")
		ev.inRange(e.Index.Pos(), i, s.to-s.from)
		return &pointer{s.arr.cell, append(slices.Clip(s.arr.path), s.from+i)}
	}
	ev.Fail(e.Pos(), "an element of this cannot be set in compiled code")
	return nil
}

func (ev *evaluator) inRange(pos token.Pos, i, n int) {
	ev.Must(0 <= i && i < n, pos, "index %d is out of range: there are %d elements", i, n)
}

// deref is what a pointer points to.
func (ev *evaluator) deref(pos token.Pos, v value) *pointer {
	if poisoned(v) {
		panic(bailout{})
	}
	p, ok := v.(*pointer)
	ev.Must(ok, pos, "this pointer is nil")
	return p
}

// load is the value at a place.
func (ev *evaluator) load(p *pointer) value {
	if poisoned(p.cell.v) {
		panic(bailout{})
	}
	if len(p.path) == 0 {
		return ev.get(p.cell)
	}
	v := p.cell.v
	for _, i := range p.path {
		v = part(v, i)
	}
	return ev.get(&cell{v: v, mut: p.cell.mut})
}

// part is a field or element.
func part(v value, i int) value {
	switch v := v.(type) {
	case *structVal:
		return v.fields[i]
	case *arrayVal:
		return v.elems[i]
	case poison:
		panic(bailout{})
	}
	panic("BUG: eval: a value without parts")
}

// store changes the value at a place.
func (ev *evaluator) store(p *pointer, v value) {
	if poisoned(p.cell.v) && len(p.path) > 0 {
		return
	}
	ev.set(p.cell, replace(p.cell.v, p.path, v))
}

// replace is a value with another part.
func replace(v value, path []int, to value) value {
	if len(path) == 0 {
		return to
	}
	i := path[0]
	switch v := v.(type) {
	case *structVal:
		fields := slices.Clone(v.fields)
		fields[i] = replace(fields[i], path[1:], to)
		return &structVal{v.typ, fields}
	case *arrayVal:
		elems := slices.Clone(v.elems)
		elems[i] = replace(elems[i], path[1:], to)
		return &arrayVal{elems}
	}
	panic("BUG: eval: a value without parts")
}

// zero is the zero value of a type.
func (ev *evaluator) zero(t types.Type) value {
	if e := ElemOf(t); e != nil {
		if e == boolElem {
			return constant.MakeBool(false)
		}
		return constant.MakeInt64(0)
	}
	if v, ok := ev.zeroOpaque(t); ok {
		return v
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return constant.MakeString("")
		}
	case *types.Struct:
		s := &structVal{typ: u}
		for i := range u.NumFields() {
			s.fields = append(s.fields, ev.zero(u.Field(i).Type()))
		}
		return s
	case *types.Array:
		ev.Must(u.Len() <= maxArray, ev.pos, "an array of %d elements is too long for registers: allocate shared memory, or register memory with cute.MakeRmem", u.Len())
		a := &arrayVal{elems: make([]value, u.Len())}
		for i := range a.elems {
			a.elems[i] = ev.zero(u.Elem())
		}
		return a
	}
	return none{}
}

// maxArray bounds arrays of variables.
const maxArray = 4096

// staticInt is an integer that must be known now.
func (ev *evaluator) staticInt(pos token.Pos, v value, what string) int {
	switch c := v.(type) {
	case constant.Value:
		if n, ok := constant.Int64Val(constant.ToInt(c)); ok {
			return int(n)
		}
	case poison:
		panic(bailout{})
	case *num:
		ev.Fail(pos, "%s must be known when the function is compiled, but this is dynamic: loop with cute.Unroll, or pass it as a cute.Constexpr", what)
	}
	ev.Fail(pos, "%s must be an integer, not %s", what, ev.describe(v))
	return 0
}
