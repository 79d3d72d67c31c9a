package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
)

// unread is why an expression is no constant layout.
type unread string

func (u unread) Error() string { return string(u) }

// value is a tuple or a layout.
type value struct {
	tuple  layout.Tuple
	layout *layout.Layout
	rows   bool // GenRowMajor, in the place of a stride
}

// expr is an expression that is read: C++'s types and calls, or Python's.
type expr struct {
	text string
	vars map[string]string
	deep int
}

func (e *expr) space() { e.text = strings.TrimLeft(e.text, " ") }

func (e *expr) accept(s string) bool {
	e.space()
	rest, ok := strings.CutPrefix(e.text, s)
	if ok {
		e.text = rest
	}
	return ok
}

// word takes a name or number.
func (e *expr) word() string {
	e.space()
	n := 0
	for n < len(e.text) && (e.text[n] == '_' || e.text[n] == ':' || e.text[n] >= '0' && e.text[n] <= '9' || e.text[n]|32 >= 'a' && e.text[n]|32 <= 'z') {
		n++
	}
	w := e.text[:n]
	e.text = e.text[n:]
	return w
}

// value takes an expression.
func (e *expr) value() (value, error) {
	if e.deep++; e.deep > 64 {
		return value{}, unread("it is nested too deep")
	}
	defer func() { e.deep-- }()
	if e.accept("(") {
		all, trailing, err := e.list(")")
		if err == nil && len(all) == 1 && !trailing {
			return all[0], nil
		}
		return tupleOf(all, err)
	}
	w := strings.TrimPrefix(e.word(), "cute::")
	if n, err := strconv.Atoi(strings.TrimPrefix(w, "_")); err == nil {
		if e.accept("{") && !e.accept("}") {
			return value{}, unread("braces")
		}
		return value{tuple: layout.Leaf(layout.N(n))}, nil
	}
	var args []value
	var err error
	called := true
	switch {
	case e.accept("<"):
		args, _, err = e.list(">")
		if err == nil && e.accept("{") && !e.accept("}") {
			return value{}, unread("braces")
		}
	case e.accept("("):
		args, _, err = e.list(")")
	default:
		called = false
		if e.accept("{") && !e.accept("}") {
			return value{}, unread("braces")
		}
	}
	if err != nil {
		return value{}, err
	}
	if text, ok := e.vars[w]; ok && !called {
		inner := &expr{text: text, vars: e.vars, deep: e.deep}
		v, err := inner.value()
		if inner.space(); err == nil && inner.text != "" {
			err = unread("what follows: " + inner.text)
		}
		return v, err
	}
	switch w {
	case "Layout", "make_layout":
		return layoutOf(args)
	case "Shape", "Stride", "Step", "Coord", "Tile", "make_shape", "make_stride", "make_step", "make_tuple", "make_coord":
		return tupleOf(args, nil)
	case "GenRowMajor", "LayoutRight":
		return value{rows: true}, nil
	case "GenColMajor", "LayoutLeft":
		return value{}, nil
	case "Int", "C":
		if len(args) == 1 {
			return args[0], nil
		}
	}
	return value{}, unread(fmt.Sprintf("%q is no constant", w))
}

// list takes values up to a closing bracket, and says whether a comma came before it.
func (e *expr) list(closing string) (all []value, trailing bool, err error) {
	for !e.accept(closing) {
		if len(all) > 0 && !e.accept(",") {
			return nil, false, unread("what follows: " + e.text)
		}
		if trailing = e.accept(closing); trailing {
			return all, trailing, nil
		}
		v, err := e.value()
		if err != nil {
			return nil, false, err
		}
		all = append(all, v)
	}
	return all, false, nil
}

func tupleOf(all []value, err error) (value, error) {
	if err != nil {
		return value{}, err
	}
	var modes []layout.Tuple
	for _, v := range all {
		if v.layout != nil {
			return value{}, unread("a tuple of layouts")
		}
		modes = append(modes, v.tuple)
	}
	return value{tuple: layout.T(modes...)}, nil
}

// layoutOf makes a layout of a shape and perhaps a stride, or joins layouts.
func layoutOf(args []value) (value, error) {
	if len(args) == 0 || len(args) > 2 || args[0].layout != nil {
		return value{}, unread("a layout of layouts")
	}
	var l layout.Layout
	var err error
	switch {
	case len(args) == 2 && args[1].rows:
		return rowMajor(args[0].tuple)
	case len(args) == 1 || args[1].tuple.Equal(layout.Tuple{}) && args[1].layout == nil && args[0].tuple.Rank() > 1:
		l, err = layout.Compact(args[0].tuple)
	case args[1].layout == nil:
		l, err = layout.New(args[0].tuple, args[1].tuple)
	}
	return value{layout: &l}, err
}

// rowMajor is a compact layout whose last mode is the fastest; a nested shape is none that tests here have.
func rowMajor(shape layout.Tuple) (value, error) {
	if shape.Depth() > 1 {
		return value{}, unread("a nested shape by rows")
	}
	modes := shape.Modes()
	strides := make([]layout.Tuple, len(modes))
	at := layout.N(1)
	for i := len(modes) - 1; i >= 0; i-- {
		strides[i] = layout.Leaf(at)
		n, _ := modes[i].IsLeaf()
		at = at.Mul(n)
	}
	l, err := layout.New(shape, layout.T(strides...))
	return value{layout: &l}, err
}
