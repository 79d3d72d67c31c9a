package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simt"
)

// builtin evaluates a call of one of Go's own functions.
func (ev *evaluator) builtin(fr *frame, e *ast.CallExpr, name string) value {
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
		ev.Must(ok, e.Pos(), "a %s cannot be made in compiled code", t)
		return ev.makeSlice(fr, e, s.Elem())
	case "new":
		t := ev.typeOf(fr, e).Underlying().(*types.Pointer).Elem()
		return &pointer{cell: ev.newCell("", t, ev.zero(t))}
	case "print", "println":
		args := make([]value, len(e.Args))
		for i, a := range e.Args {
			args[i] = ev.coerce(ev.eval(fr, a), ev.typeOf(fr, a), anyType)
		}
		ev.print(args, name == "println")
		return tuple{}
	case "panic":
		ev.panicCall(fr, e)
		return tuple{}
	case "clear":
		ev.clearCall(fr, e)
		return tuple{}
	case "copy":
		dst, src := ev.eval(fr, e.Args[0]), ev.elemsOf(e.Args[1].Pos(), ev.eval(fr, e.Args[1]))
		d, _ := dst.(*sliceVal)
		n := 0
		for d != nil && n < len(src) && n < d.to-d.from {
			ev.store(d.elem(n), src[n])
			n++
		}
		return constant.MakeInt64(int64(n))
	}
	ev.Fail(e.Pos(), "%s cannot be compiled: %s", name, goval.Instead(name, instead))
	return nil
}

// instead says what threads have in the place of a built-in function, for [goval.Instead].
var instead = map[string]string{
	"close":   "threads meet at cute.SyncThreads and barriers",
	"recover": "a panic ends the kernel; test the condition before, and branch",
}

// clearCall sets the elements of a slice to zero, as Go does.
func (ev *evaluator) clearCall(fr *frame, e *ast.CallExpr) {
	t := ev.typeOf(fr, e.Args[0])
	u, ok := t.Underlying().(*types.Slice)
	ev.Must(ok, e.Pos(), "clear of a %s cannot be compiled: %s", t, goval.Instead("delete", instead))
	s, _ := ev.eval(fr, e.Args[0]).(*sliceVal)
	for i := 0; s != nil && i < s.to-s.from; i++ {
		ev.store(s.elem(i), ev.zero(u.Elem()))
	}
}

// makeSlice is make([]T, length, capacity): the array behind it has room for the capacity.
func (ev *evaluator) makeSlice(fr *frame, e *ast.CallExpr, elem types.Type) value {
	n := ev.staticInt(e.Args[1].Pos(), ev.eval(fr, e.Args[1]), "the length of a slice")
	room := n
	if len(e.Args) > 2 {
		room = ev.staticInt(e.Args[2].Pos(), ev.eval(fr, e.Args[2]), "the capacity of a slice")
	}
	ev.Must(n >= 0 && n <= room, e.Pos(), "a slice of length %d cannot have capacity %d", n, room)
	elems := make([]value, room)
	for i := range elems {
		elems[i] = ev.zero(elem)
	}
	s := ev.newSlice(elem, elems)
	s.to = n
	return s
}

var anyType = types.NewInterfaceType(nil, nil)

func (ev *evaluator) minmaxCall(fr *frame, e *ast.CallExpr, name string) value {
	t := ev.typeOf(fr, e)
	el, _ := numbers(t)
	r := ev.operandOf(fr, e.Args[0], t)
	for _, a := range e.Args[1:] {
		y := ev.operandOf(fr, a, t)
		if poisoned(r) || poisoned(y) {
			panic(bailout{})
		}
		xs, ys, many := ev.pair(r, y)
		if !many {
			r = ev.minmax(name, r, y, el)
			continue
		}
		v := &vec{elem: el, shape: ev.vecShape(r, y)}
		for i := range xs {
			v.elems = append(v.elems, ev.minmax(name, xs[i], ys[i], el))
		}
		r = v
	}
	return r
}

func (ev *evaluator) length(fr *frame, e *ast.CallExpr, name string) value {
	n := 0
	switch x := ev.eval(fr, e.Args[0]).(type) {
	case *sliceVal:
		n = map[string]int{"len": x.to - x.from, "cap": x.cap - x.from}[name]
	case *arrayVal:
		n = len(x.elems)
	case *pointer:
		n = len(ev.load(x).(*arrayVal).elems)
	case constant.Value:
		n = len(constant.StringVal(x))
	}
	return constant.MakeInt64(int64(n))
}

// appendCall writes behind a slice where its array has room, and else makes a new array of the very length: how much room
// Go leaves there is nothing that a program may count on.
func (ev *evaluator) appendCall(fr *frame, e *ast.CallExpr) value {
	first := ev.eval(fr, e.Args[0])
	t := ev.typeOf(fr, e).Underlying().(*types.Slice).Elem()
	var more []value
	if e.Ellipsis.IsValid() {
		more = ev.elemsOf(e.Args[1].Pos(), ev.eval(fr, e.Args[1]))
	} else {
		for _, a := range e.Args[1:] {
			more = append(more, ev.operandOf(fr, a, t))
		}
	}
	s, ok := first.(*sliceVal)
	switch {
	case len(more) == 0:
		return first
	case ok && s.to+len(more) <= s.cap:
		r := *s
		r.to += len(more)
		for i, v := range more {
			ev.store(r.elem(s.to-s.from+i), v)
		}
		return &r
	}
	return ev.newSlice(t, append(ev.sliceElems(first), more...))
}

// elemsOf is the elements of a slice that Go could also take from a text.
func (ev *evaluator) elemsOf(pos token.Pos, v value) []value {
	_, text := v.(constant.Value)
	ev.Must(!text, pos, "the bytes of a text cannot be copied in compiled code")
	return ev.sliceElems(v)
}

// panicCall is a mistake that the function's author found, where it is reached while compiling, and a device assertion
// where it is reached in a dynamic part.
func (ev *evaluator) panicCall(fr *frame, e *ast.CallExpr) {
	text := "panic"
	if v, ok := ev.eval(fr, e.Args[0]).(*iface); ok {
		text = ev.display(v)
	} else if c, ok := ev.eval(fr, e.Args[0]).(constant.Value); ok && c.Kind() == constant.String {
		text = constant.StringVal(c)
	}
	if ev.cur.up == nil || ev.cur.up.fn != ev.cur.fn {
		ev.Fail(e.Pos(), "%s", text)
	}
	never := ev.inReg(constant.MakeBool(false), boolElem)
	ev.b.Emit(simt.OpAssert, nil, never).Text = text
}
