package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
)

// held is what a variable of an interface type holds where the value itself does not know its type: a constant, a
// pointer, a slice, a function or nil. Tiles, structs and arrays know theirs.
type held struct {
	typ types.Type
	v   value
}

// held is a value of type from as a variable of type to takes it: with its type where to is an interface.
func (l *lowerer) held(v value, from, to types.Type) value {
	if !isInterface(to) || isInterface(from) || poisoned(v) || v == (unset{}) || from == types.Typ[types.UntypedNil] {
		return v
	}
	if goval.IsUntyped(from) {
		from = types.Default(from)
	}
	switch x := v.(type) {
	case *held:
		return x
	case *tile:
		if d := l.tileDesc(from); x.typ == nil || types.Identical(x.typ, from) || d == nil || x.desc.Shape == nil || !d.Same(x.desc) {
			return x // Go forgets the shape of a comparison
		}
		y := *x
		y.typ = from
		return &y
	case *structVal:
		return &structVal{from, x.fields}
	case *listVal:
		if _, ok := from.Underlying().(*types.Array); ok {
			return &listVal{from, x.elems}
		}
	case constant.Value, nonFinite:
		return &held{from, l.coerce(l.at, x, from)}
	}
	return &held{from, v}
}

// content is a value without the type that an interface has for it.
func content(v value) value {
	if h, ok := v.(*held); ok {
		return h.v
	}
	return v
}

// valueFor evaluates an expression for a variable of type to.
func (l *lowerer) valueFor(fr *frame, e ast.Expr, to types.Type) value {
	v := l.eval(fr, e)
	if isInterface(to) {
		v = l.held(v, l.typeOf(fr, e), to)
	}
	return l.coerce(e.Pos(), v, to)
}

// heldList is evalList for variables, whose types to gives.
func (l *lowerer) heldList(fr *frame, es []ast.Expr, want int, to func(i int) types.Type) []value {
	vs := l.evalList(fr, es, want)
	for i, v := range vs {
		t := to(i)
		if !isInterface(t) {
			continue
		}
		if len(es) == len(vs) {
			vs[i] = l.held(v, l.typeOf(fr, es[i]), t)
		} else if all, ok := l.typeOf(fr, es[0]).(*types.Tuple); ok {
			vs[i] = l.held(v, l.w.Subst(all.At(i).Type(), fr.env), t)
		}
	}
	return vs
}

// heldType is the type of what an interface holds: nil where there is nothing yet.
func heldType(v value) types.Type {
	switch v := v.(type) {
	case *held:
		return v.typ
	case *tile:
		return v.typ
	case noneVal:
		return types.Typ[types.UntypedNil]
	}
	return typeOfParts(v)
}

// sameHeld fails where two values of a variable of an interface type, on two ways, are of different types.
func (l *lowerer) sameHeld(pos token.Pos, p *place, a, b value) {
	t, u := heldType(a), heldType(b)
	if t != nil && u != nil && !types.Identical(t, u) {
		l.wanted = true
		l.Fail(pos, "%s is an interface that holds %s on one way and %s on the other: it cannot change its type inside a loop or branch", p, t, u)
	}
}

// isText reports whether a value is a string.
func isText(v value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.String
}

// isInterface reports whether a type is an interface whose variables hold values of other types.
func isInterface(t types.Type) bool {
	if t == nil || isTypeParam(t) {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		t = n.Origin() // go/types makes what is beneath an instance where somebody asks, which takes long
	}
	return types.IsInterface(t)
}
