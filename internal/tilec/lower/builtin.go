package lower

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// builtins lists the built-in functions of Go that kernels can call.
var builtins map[string]func(*lowerer, *frame, *ast.CallExpr) emit.Value

// init makes the table, since a literal of it would refer to itself.
func init() {
	builtins = map[string]func(*lowerer, *frame, *ast.CallExpr) emit.Value{
		"len":    (*lowerer).length,
		"cap":    (*lowerer).capacity,
		"min":    func(l *lowerer, fr *frame, e *ast.CallExpr) emit.Value { return l.extreme(fr, e, "min") },
		"max":    func(l *lowerer, fr *frame, e *ast.CallExpr) emit.Value { return l.extreme(fr, e, "max") },
		"make":   (*lowerer).makeSlice,
		"new":    func(l *lowerer, fr *frame, e *ast.CallExpr) emit.Value { return l.newVariable(fr, e) },
		"append": (*lowerer).appendTo,
		"copy":   (*lowerer).copyTo,
		"clear":  (*lowerer).clear,
		"panic": func(l *lowerer, fr *frame, e *ast.CallExpr) emit.Value {
			l.Fail(e.Pos(), "a kernel cannot panic: use Assert")
			return nil
		},
	}
}

// instead tells what kernels can use instead of a built-in function, for [goval.Instead].
var instead = map[string]string{
	"print": "use tile.Print", "println": "use tile.Print",
	"close":   "blocks synchronize with atomic operations",
	"recover": "a device does not panic, so test the condition before and branch",
}

// builtin lowers a call of a built-in function.
func (l *lowerer) builtin(fr *frame, e *ast.CallExpr, name string) emit.Value {
	f, ok := builtins[name]
	if !ok {
		l.Fail(e.Pos(), "a kernel cannot call the built-in %s: %s", name, goval.Instead(name, instead))
	}
	return f(l, fr, e)
}

// length is len, which is known for every value that has it: a kernel's slices have known lengths.
func (l *lowerer) length(fr *frame, e *ast.CallExpr) emit.Value {
	v := l.eval(fr, e.Args[0])
	if emit.Poisoned(v) {
		panic(emit.Bailout{})
	}
	// As in Go, the length of a text counts bytes.
	if k, ok := v.(constant.Value); ok && k.Kind() == constant.String {
		return emit.Int(len(constant.StringVal(k)))
	}
	elems, ok := l.List(v)
	l.Must(ok, e.Pos(), "len needs a slice or array of known length")
	return emit.Int(len(elems))
}

// capacity is cap.
func (l *lowerer) capacity(fr *frame, e *ast.CallExpr) emit.Value {
	v := l.eval(fr, e.Args[0])
	if s, ok := v.(*emit.Slice); ok {
		return emit.Int(s.Cap)
	}
	elems, ok := l.List(v)
	l.Must(ok, e.Pos(), "cap needs a slice or array of known length")
	return emit.Int(len(elems))
}

// makeSlice is make of a slice. Its elements are values of the compiler, so their number must be
// known.
func (l *lowerer) makeSlice(fr *frame, e *ast.CallExpr) emit.Value {
	t := l.typeOf(fr, e)
	_, ok := t.Underlying().(*types.Slice)
	l.Must(ok && len(e.Args) >= 2, e.Pos(), "a kernel can make only slices")
	size := func(i int, what string, lo int) int {
		return l.bound(fr, e.Args[i], what, emit.OfNumber, lo, emit.MaxLength, func(k constant.Value) {
			l.Fail(e.Args[i].Pos(), "%s is %s, outside [%d, %d]", what, k, lo, emit.MaxLength)
		})
	}
	n := size(1, "the length of a slice", 0)
	// Without a capacity it is the length.
	all := n
	if len(e.Args) == 3 {
		all = size(2, "the capacity of a slice", n)
	}
	// A kernel cannot use up the memory of the compiler with long slices.
	l.Spend(limit.Memory, int64(all)*emit.ElemBytes)
	elems := make([]emit.Value, all)
	for i := range elems {
		elems[i] = l.Zero(e.Pos(), emit.ElemType(t))
	}
	return l.NewSlice(emit.ElemType(t), elems, n)
}

// newVariable is new: a variable without a name.
func (l *lowerer) newVariable(fr *frame, e *ast.CallExpr) emit.Value {
	t := l.typeOf(fr, e).Underlying().(*types.Pointer).Elem()
	return l.Fresh(t, l.Zero(e.Pos(), t))
}

// appendTo is append. As in Go it writes behind the slice if the array has room, and else copies
// the slice; the copy has no room to spare.
func (l *lowerer) appendTo(fr *frame, e *ast.CallExpr) emit.Value {
	t := l.typeOf(fr, e)
	s := l.whole(fr, e.Args[0], t)
	var more []emit.Value
	for _, a := range e.Args[1:] {
		if e.Ellipsis.IsValid() {
			// append(s, t...) appends the elements that t has now.
			elems, ok := l.List(l.eval(fr, a))
			l.Must(ok, a.Pos(), "append needs a slice of known length")
			more = append(more, elems...)
			continue
		}
		more = append(more, l.valueFor(fr, a, emit.ElemType(t)))
	}
	switch {
	// Appending nothing gives the slice itself, nil included.
	case len(more) == 0:
		return s
	case s.Len+len(more) > s.Cap:
		l.Spend(limit.Memory, int64(s.Len+len(more))*emit.ElemBytes)
		all := slices.Concat(s.Elems(), more)
		return l.NewSlice(emit.ElemType(t), all, len(all))
	}
	for i, v := range more {
		s.At(s.Len + i).Set(v)
	}
	return &emit.Slice{Of: s.Of, Off: s.Off, Len: s.Len + len(more), Cap: s.Cap}
}

// copyTo is copy. It reads all elements before it sets the first one, since the slices may overlap.
func (l *lowerer) copyTo(fr *frame, e *ast.CallExpr) emit.Value {
	dst := l.whole(fr, e.Args[0], l.typeOf(fr, e.Args[0]))
	src, ok := l.List(l.eval(fr, e.Args[1]))
	l.Must(ok, e.Args[1].Pos(), "copy needs a slice of known length")
	// As in Go, the shorter slice decides.
	n := min(dst.Len, len(src))
	for i, v := range slices.Clone(src[:n]) {
		dst.At(i).Set(v)
	}
	return emit.Int(n)
}

// clear is clear of a slice.
func (l *lowerer) clear(fr *frame, e *ast.CallExpr) emit.Value {
	t := l.typeOf(fr, e.Args[0])
	s := l.whole(fr, e.Args[0], t)
	for i := range s.Len {
		s.At(i).Set(l.Zero(e.Pos(), emit.ElemType(t)))
	}
	return nil
}

// extreme is min or max. Known values are folded, so that a constant result stays one.
func (l *lowerer) extreme(fr *frame, e *ast.CallExpr, name string) emit.Value {
	t := l.typeOf(fr, e)
	v := l.eval(fr, e.Args[0])
	for _, a := range e.Args[1:] {
		w := l.eval(fr, a)
		if emit.IsConst(v) && emit.IsConst(w) {
			v = l.ExtremeFold(e.Pos(), v, w, t, name)
			continue
		}
		// A tile and a number give a tile: the number is taken for every element.
		x, y := l.Pair(e.Pos(), v, w, t)
		v = l.Operate(e.Pos(), name+" "+x.Desc.Elem.Family(), []types.Type{x.Type}, x, y)
	}
	return v
}
