package capture_test

import (
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/source"
)

var kernelWhat = capture.What{Noun: "a kernel"}

// TestLiteralAt: a literal is found by its place as by its value, and refused where its value is.
func TestLiteralAt(t *testing.T) {
	a, b, c := otherShapes()
	var at token.Position
	for _, fn := range []any{atTop, nested(), held{}.inMethod(), new(held).inPointerMethod(), a, b, c} {
		want, err := capture.What{Noun: "a kernel"}.Find(reflect.ValueOf(fn))
		if err != nil {
			t.Fatal(err)
		}
		at = source.Fset.Position(want.Lit.Pos())
		if got, err := kernelWhat.LiteralAt(ownPath, at); err != nil || got != want {
			t.Errorf("%v: %+v, %v; want %+v", at, got, err, want)
		}
	}
	moved := func(lines, columns int) token.Position {
		p := at
		p.Line, p.Column = p.Line+lines, p.Column+columns
		return p
	}
	line := func(text string) int { // of the first one with the text
		before, _, _ := strings.Cut(string(must(own.ReadFile("capture_test.go"))), text)
		return strings.Count(before, "\n") + 1
	}
	same := moved(line("return x }, func(x int) int")-at.Line, 0)
	same.Column = len("\treturn f")
	multi := moved(line("outer := func()")-at.Line, 0)
	multi.Column = len("\touter := f")
	if r, err := kernelWhat.LiteralAt(ownPath, multi); err != nil || r.Lit == nil {
		t.Errorf("%+v, %v; want a literal of several lines", r, err)
	}
	for _, x := range []struct {
		pkg  string
		at   token.Position
		want string
	}{
		{ownPath, moved(0, 1), "no function literal of registered source is at capture_test.go:"},
		{ownPath, token.Position{Filename: "/none/other_test.go", Line: 1, Column: 1}, "no function literal of registered source is at other_test.go:1: embed every file of the package"},
		{"net/http", token.Position{Filename: "/none/http.go", Line: 7, Column: 1}, "the function literal at http.go:7 is in package net/http, which has no registered source: add to that package"},
		{ownPath, same, "2 functions with the same number of parameters are at capture_test.go:"},
	} {
		r, err := kernelWhat.LiteralAt(x.pkg, x.at)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v: %+v, %v; want %q", x.at, r, err, x.want)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
