package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// builtin evaluates a call of one of Go's built-in functions.
func (ev *evaluator) builtin(fr *frame, e *ast.CallExpr, name string) emit.Value {
	switch name {
	case "min", "max":
		return ev.minmaxCall(fr, e, name)
	case "len", "cap":
		return ev.length(fr, e, name)
	case "append":
		return ev.appendCall(fr, e)
	case "make":
		t := ev.typeOf(fr, e)
		s, ok := t.Underlying().(*types.Slice)
		// Maps and channels have no representation on a device.
		ev.Must(ok, e.Pos(), "a %s cannot be made in compiled code", t)
		return ev.makeSlice(fr, e, s.Elem())
	case "new":
		t := ev.typeOf(fr, e).Underlying().(*types.Pointer).Elem()
		return &emit.Pointer{Cell: ev.NewCell("", t, ev.Zero(t))}
	case "print", "println":
		args := make([]emit.Value, len(e.Args))
		for i, a := range e.Args {
			// Arguments become interfaces, so that they print by their types.
			args[i] = ev.Coerce(ev.eval(fr, a), ev.typeOf(fr, a), anyType)
		}
		ev.Print(args, name == "println")
		return emit.Tuple{}
	case "panic":
		ev.panicCall(fr, e)
		return emit.Tuple{}
	case "clear":
		ev.clearCall(fr, e)
		return emit.Tuple{}
	case "copy":
		dst, src := ev.eval(fr, e.Args[0]), ev.elemsOf(e.Args[1].Pos(), ev.eval(fr, e.Args[1]))
		d, _ := dst.(*emit.Slice)
		n := 0
		// The elements of src were read before, so the slices may overlap.
		for d != nil && n < len(src) && n < d.To-d.From {
			ev.Store(d.Elem(n), src[n])
			n++
		}
		return constant.MakeInt64(int64(n))
	}
	ev.Fail(e.Pos(), "%s cannot be compiled: %s", name, goval.Instead(name, instead))
	return nil
}

// instead tells what kernels can use instead of a built-in function, for [goval.Instead].
var instead = map[string]string{
	"close":   "threads wait for each other at cute.SyncThreads and at barriers",
	"recover": "a panic ends the kernel, so test the condition before and branch",
}

// clearCall sets the elements of a slice to zero, as Go does.
func (ev *evaluator) clearCall(fr *frame, e *ast.CallExpr) {
	t := ev.typeOf(fr, e.Args[0])
	u, ok := t.Underlying().(*types.Slice)
	ev.Must(ok, e.Pos(), "clear of a %s cannot be compiled: %s", t, goval.Instead("delete", instead))
	s, _ := ev.eval(fr, e.Args[0]).(*emit.Slice)
	for i := 0; s != nil && i < s.To-s.From; i++ {
		ev.Store(s.Elem(i), ev.Zero(u.Elem()))
	}
}

// makeSlice is make([]T, length, capacity). The array of the slice has as many elements as the
// capacity tells.
func (ev *evaluator) makeSlice(fr *frame, e *ast.CallExpr, elem types.Type) emit.Value {
	n := ev.StaticInt(e.Args[1].Pos(), ev.eval(fr, e.Args[1]), "the length of a slice")
	room := n
	if len(e.Args) > 2 {
		room = ev.StaticInt(e.Args[2].Pos(), ev.eval(fr, e.Args[2]), "the capacity of a slice")
	}
	ev.Must(n >= 0 && n <= room, e.Pos(), "a slice of length %d cannot have capacity %d", n, room)
	elems := make([]emit.Value, room)
	for i := range elems {
		// Elements behind the length are zero as well, as an append or a slice expression can reach
		// them.
		elems[i] = ev.Zero(elem)
	}
	s := ev.NewSlice(elem, elems)
	s.To = n
	return s
}

// anyType is the type any.
var anyType = types.NewInterfaceType(nil, nil)

// minmaxCall is min or max of numbers and vectors.
func (ev *evaluator) minmaxCall(fr *frame, e *ast.CallExpr, name string) emit.Value {
	t := ev.typeOf(fr, e)
	el, _ := emit.Numbers(t)
	r := ev.operandOf(fr, e.Args[0], t)
	for _, a := range e.Args[1:] {
		y := ev.operandOf(fr, a, t)
		if emit.Poisoned(r) || emit.Poisoned(y) {
			panic(emit.Bailout{})
		}
		xs, ys, many := ev.Pair(r, y)
		if !many {
			r = ev.Minmax(name, r, y, el)
			continue
		}
		v := &emit.Vec{Elem: el, Shape: ev.VecShape(r, y)}
		for i := range xs {
			v.Elems = append(v.Elems, ev.Minmax(name, xs[i], ys[i], el))
		}
		r = v
	}
	return r
}

// length is len or cap, which are static for every value that has them.
func (ev *evaluator) length(fr *frame, e *ast.CallExpr, name string) emit.Value {
	n := 0
	switch x := ev.eval(fr, e.Args[0]).(type) {
	case *emit.Slice:
		n = map[string]int{"len": x.To - x.From, "cap": x.Cap - x.From}[name]
	case *emit.Array:
		n = len(x.Elems)
	case *emit.Pointer:
		n = len(ev.Load(x).(*emit.Array).Elems)
	case constant.Value:
		n = len(constant.StringVal(x))
	}
	return constant.MakeInt64(int64(n))
}

// appendCall writes behind a slice if its array has room, and else makes a new array that is
// exactly as long as needed. How much more room Go makes is not specified, so no program may depend
// on it.
func (ev *evaluator) appendCall(fr *frame, e *ast.CallExpr) emit.Value {
	first := ev.eval(fr, e.Args[0])
	t := ev.typeOf(fr, e).Underlying().(*types.Slice).Elem()
	var more []emit.Value
	if e.Ellipsis.IsValid() {
		more = ev.elemsOf(e.Args[1].Pos(), ev.eval(fr, e.Args[1]))
	} else {
		for _, a := range e.Args[1:] {
			more = append(more, ev.operandOf(fr, a, t))
		}
	}
	s, ok := first.(*emit.Slice)
	switch {
	// Appending nothing gives the slice itself, nil included.
	case len(more) == 0:
		return first
	case ok && s.To+len(more) <= s.Cap:
		r := *s
		r.To += len(more)
		for i, v := range more {
			ev.Store(r.Elem(s.To-s.From+i), v)
		}
		return &r
	}
	return ev.NewSlice(t, append(ev.SliceElems(first), more...))
}

// elemsOf gives the elements of a slice, where Go would also take the bytes of a string.
func (ev *evaluator) elemsOf(pos token.Pos, v emit.Value) []emit.Value {
	_, text := v.(constant.Value)
	ev.Must(!text, pos, "the bytes of a text cannot be copied in compiled code")
	return ev.SliceElems(v)
}

// panicCall reports a panic as a mistake if evaluation certainly reaches it: the function's author
// found the arguments wrong. In code that may not run it writes a device assertion that fails.
func (ev *evaluator) panicCall(fr *frame, e *ast.CallExpr) {
	text := "panic"
	if v, ok := ev.eval(fr, e.Args[0]).(*emit.Iface); ok {
		text = ev.Display(v)
	} else if c, ok := ev.eval(fr, e.Args[0]).(constant.Value); ok && c.Kind() == constant.String {
		text = constant.StringVal(c)
	}
	// The outermost region of a function runs exactly once.
	if ev.Cur.Up == nil || ev.Cur.Up.Fn != ev.Cur.Fn {
		ev.Fail(e.Pos(), "%s", text)
	}
	// An assertion that is always false fails whenever a thread reaches it.
	never := ev.InReg(constant.MakeBool(false), emit.Bool)
	ev.B.Emit(simt.OpAssert, nil, never).Text = text
}
