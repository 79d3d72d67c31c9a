package lower

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
)

// builtins are the functions of Go itself that kernels may call.
var builtins map[string]func(*lowerer, *frame, *ast.CallExpr) value

func init() { // a literal would refer to itself
	builtins = map[string]func(*lowerer, *frame, *ast.CallExpr) value{
		"len":    (*lowerer).length,
		"cap":    (*lowerer).capacity,
		"min":    func(l *lowerer, fr *frame, e *ast.CallExpr) value { return l.extreme(fr, e, "min") },
		"max":    func(l *lowerer, fr *frame, e *ast.CallExpr) value { return l.extreme(fr, e, "max") },
		"make":   (*lowerer).makeSlice,
		"new":    func(l *lowerer, fr *frame, e *ast.CallExpr) value { return l.newVariable(fr, e) },
		"append": (*lowerer).appendTo,
		"copy":   (*lowerer).copyTo,
		"clear":  (*lowerer).clear,
		"panic": func(l *lowerer, fr *frame, e *ast.CallExpr) value {
			l.Fail(e.Pos(), "a kernel cannot panic: use Assert")
			return nil
		},
	}
}

// instead says what tiles have in the place of a built-in function, for [goval.Instead].
var instead = map[string]string{
	"print": "use tile.Print", "println": "use tile.Print",
	"close":   "blocks meet at atomic operations",
	"recover": "nothing panics on a device; test the condition before, and branch",
}

func (l *lowerer) builtin(fr *frame, e *ast.CallExpr, name string) value {
	f, ok := builtins[name]
	if !ok {
		l.Fail(e.Pos(), "a kernel cannot call the built-in %s: %s", name, goval.Instead(name, instead))
	}
	return f(l, fr, e)
}

func (l *lowerer) length(fr *frame, e *ast.CallExpr) value {
	v := l.eval(fr, e.Args[0])
	if poisoned(v) {
		panic(bailout{})
	}
	if k, ok := v.(constant.Value); ok && k.Kind() == constant.String {
		return number(len(constant.StringVal(k)))
	}
	elems, ok := l.list(v)
	l.Must(ok, e.Pos(), "len needs a slice or array of known length")
	return number(len(elems))
}

func (l *lowerer) capacity(fr *frame, e *ast.CallExpr) value {
	v := l.eval(fr, e.Args[0])
	if s, ok := v.(*sliceVal); ok {
		return number(s.cap)
	}
	elems, ok := l.list(v)
	l.Must(ok, e.Pos(), "cap needs a slice or array of known length")
	return number(len(elems))
}

func (l *lowerer) makeSlice(fr *frame, e *ast.CallExpr) value {
	t := l.typeOf(fr, e)
	_, ok := t.Underlying().(*types.Slice)
	l.Must(ok && len(e.Args) >= 2, e.Pos(), "a kernel can make only slices")
	size := func(i int, what string, lo int) int {
		return l.bound(fr, e.Args[i], what, ofNumber, lo, maxLength, func(k constant.Value) {
			l.Fail(e.Args[i].Pos(), "%s is %s, outside [%d, %d]", what, k, lo, maxLength)
		})
	}
	n := size(1, "the length of a slice", 0)
	all := n
	if len(e.Args) == 3 {
		all = size(2, "the capacity of a slice", n)
	}
	l.Spend(limit.Memory, int64(all)*elemBytes)
	elems := make([]value, all)
	for i := range elems {
		elems[i] = l.zero(e.Pos(), elemType(t))
	}
	return l.newSlice(elemType(t), elems, n)
}

func (l *lowerer) newVariable(fr *frame, e *ast.CallExpr) value {
	t := l.typeOf(fr, e).Underlying().(*types.Pointer).Elem()
	return l.fresh(t, l.zero(e.Pos(), t))
}

// appendTo appends in place as far as there is room, as Go does, else to a copy that has none to spare.
func (l *lowerer) appendTo(fr *frame, e *ast.CallExpr) value {
	t := l.typeOf(fr, e)
	s := l.whole(fr, e.Args[0], t)
	var more []value
	for _, a := range e.Args[1:] {
		if e.Ellipsis.IsValid() {
			elems, ok := l.list(l.eval(fr, a))
			l.Must(ok, a.Pos(), "append needs a slice of known length")
			more = append(more, elems...)
			continue
		}
		more = append(more, l.valueFor(fr, a, elemType(t)))
	}
	switch {
	case len(more) == 0:
		return s
	case s.n+len(more) > s.cap:
		l.Spend(limit.Memory, int64(s.n+len(more))*elemBytes)
		all := slices.Concat(s.elems(), more)
		return l.newSlice(elemType(t), all, len(all))
	}
	for i, v := range more {
		s.at(s.n + i).set(v)
	}
	return &sliceVal{of: s.of, off: s.off, n: s.n + len(more), cap: s.cap}
}

func (l *lowerer) copyTo(fr *frame, e *ast.CallExpr) value {
	dst := l.whole(fr, e.Args[0], l.typeOf(fr, e.Args[0]))
	src, ok := l.list(l.eval(fr, e.Args[1]))
	l.Must(ok, e.Args[1].Pos(), "copy needs a slice of known length")
	n := min(dst.n, len(src))
	for i, v := range slices.Clone(src[:n]) {
		dst.at(i).set(v)
	}
	return number(n)
}

func (l *lowerer) clear(fr *frame, e *ast.CallExpr) value {
	t := l.typeOf(fr, e.Args[0])
	s := l.whole(fr, e.Args[0], t)
	for i := range s.n {
		s.at(i).set(l.zero(e.Pos(), elemType(t)))
	}
	return nil
}

func (l *lowerer) extreme(fr *frame, e *ast.CallExpr, name string) value {
	t := l.typeOf(fr, e)
	v := l.eval(fr, e.Args[0])
	for _, a := range e.Args[1:] {
		w := l.eval(fr, a)
		if isConst(v) && isConst(w) {
			v = l.extremeFold(e.Pos(), v, w, t, name)
			continue
		}
		x, y := l.pair(e.Pos(), v, w, t)
		v = l.operate(e.Pos(), name+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x, y)
	}
	return v
}
