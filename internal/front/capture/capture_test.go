package capture_test

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

//go:embed capture_test.go
var own embed.FS
var _ = cutile.Module(own)

const ownPath = "github.com/cutile-go/cutile/internal/front/capture_test"

func plain(int)            {}
func generic[T any](T) int { return 1 }

var atTop = func(x int) int { return x }

type held struct{ n int }

func (held) value(int)    {}
func (*held) pointer(int) {}

//go:noinline
func (h held) inMethod() func(int) int {
	return func(x int) int { return x + h.n }
}

//go:noinline
func (h *held) inPointerMethod() func(int) int {
	return func(x int) int { return x - h.n }
}

//go:noinline
func nested() func(int) int {
	outer := func() func(int) int {
		return func(x int) int {
			return x
		}
	}
	return outer()
}

//go:noinline
func sameLine() (a, b func(int) int) {
	return func(x int) int { return x }, func(x int) int { return x + 1 }
}

//go:noinline
func otherShapes() (a func(int), b func(int) int, c func(int, int) int) {
	return func(int) {}, func(x int) int { return x + 2 }, func(x, y int) int { return x + y }
}

//go:noinline
func named[T any]() func(T) int {
	return generic[T]
}

// TestFind: what a function value is, by its package and name, and the parameters of a literal.
func TestFind(t *testing.T) {
	a, b, c := otherShapes()
	for _, x := range []struct {
		fn     any
		name   string
		recv   string
		params int // of a literal
	}{
		{plain, "plain", "", 0},
		{generic[int], "generic", "", 0},
		{named[int](), "generic", "", 0},
		{besideFields[int](namesake{}), "generic", "", 0},
		{held.value, "held.value", "held", 0},
		{(*held).pointer, "held.pointer", "held", 0},
		{atTop, "atTop", "", 1},
		{nested(), "nested", "", 1},
		{held{}.inMethod(), "held.inMethod", "", 1},
		{new(held).inPointerMethod(), "held.inPointerMethod", "", 1},
		{a, "otherShapes", "", 1},
		{b, "otherShapes", "", 1},
		{c, "otherShapes", "", 2},
	} {
		r, err := capture.What{Noun: "a kernel", Methods: true}.Find(reflect.ValueOf(x.fn))
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		params := 0
		if r.Lit != nil {
			params = r.Lit.Type.Params.NumFields()
		}
		if r.Root != (world.Symbol{Path: ownPath, Name: x.name}) || r.Recv != x.recv || params != x.params {
			t.Errorf("%+v with %d parameters, want %s, %q, %d", r, params, x.name, x.recv, x.params)
		}
		w, err := describe.Language.Load([]world.Symbol{r.Root})
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		w.Lock()
		f, err := r.Bind(w)
		if err != nil || f.Sig == nil || (f.Lit == nil) == (params > 0) {
			t.Errorf("%s: bound to %+v, %v", x.name, f, err)
		} else if err := r.Unify(w, f, reflect.TypeOf(x.fn)); err != nil && r.Recv == "" && params == 0 {
			t.Errorf("%s: %v", x.name, err)
		}
		w.Unlock()
	}
}

// registered makes a package of the standard library one with source of the test's own.
func registered(importPath, text string) {
	langsrc.Register(&langsrc.Source{Path: importPath, Dir: "/" + importPath, FS: []fs.FS{fstest.MapFS{path.Base(importPath) + ".go": {Data: []byte(text)}}}})
}

// TestFindRefuses: function values whose source is not at hand, or not one function's.
func TestFindRefuses(t *testing.T) {
	registered("unicode/utf16", "package utf16\n\nconst RuneLen = 1\n")
	registered("unicode/utf8", "package utf8\n\nfunc {\n")
	registered("bytes", "package bytes\n\ntype Buffer struct{}\n\nfunc (*Buffer) Cap() {}\n")
	two, _ := sameLine()
	kernel, method := capture.What{Noun: "a kernel"}, capture.What{Noun: "a function", Methods: true}
	for _, c := range []struct {
		what capture.What
		fn   any
		want string
	}{
		{kernel, (func())(nil), "the Go runtime does not know this function"},
		{kernel, strings.ToUpper, "kernel ToUpper is in package strings, which has no registered source: add to that package\n\t//go:embed *.go"},
		{kernel, utf16.RuneLen, "kernel RuneLen is not in the registered source of package unicode/utf16: embed every file of the package (was it found in utf16.go?)"},
		{kernel, utf16.IsSurrogate, "kernel IsSurrogate is not in the registered source of package unicode/utf16"},
		{kernel, utf8.RuneLen, "/unicode/utf8/utf8.go:3:6: expected 'IDENT', found '{'"},
		{kernel, held{}.value, "held.value is a method value: a kernel must be a function"},
		{kernel, held.value, ownPath + ".held.value is a method: a kernel must be a function"},
		{method, held{}.value, "held.value is a method value: a function must be a function"},
		{method, (*strings.Builder).Len, "kernel Builder.Len is in package strings, which has no registered source"},
		{method, (*bytes.Buffer).Len, "method Buffer.Len is not in the registered source of package bytes: embed every file of the package"},
		{kernel, two, "the Go runtime identifies this function only by its line, and 2 functions with the same number of parameters are at capture_test.go:60: " +
			"put each function literal, and each generic function that generic code names, on a line of its own"},
	} {
		r, err := c.what.Find(reflect.ValueOf(c.fn))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %v; want %q", r, err, c.want)
		}
	}
}

// TestBindRefuses: one mistake of the type checker inside a function is enough.
func TestBindRefuses(t *testing.T) {
	registered("container/ring", "package ring\n\ntype Ring struct{ n int }\n\nfunc (r *Ring) Len() int { return r.none }\n\nfunc New(n int) *Ring { return missing }\n")
	for name, want := range map[string]string{
		"New":      "ring.go:7:32: undefined: missing",
		"Ring.Len": "ring.go:5:37: r.none undefined (type *Ring has no field or method none)",
	} {
		w, err := describe.Language.Load([]world.Symbol{{Path: "container/ring", Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		src := w.Pkgs["container/ring"].Src
		r := capture.Ref{Root: world.Symbol{Path: "container/ring", Name: name}, Decl: src.Decls[name]}
		if recv, m, ok := strings.Cut(name, "."); ok {
			r.Recv, r.Decl = recv, src.Methods[recv][m]
		}
		w.Lock()
		if f, err := r.Bind(w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, %v; want %q", f, err, want)
		}
		w.Unlock()
	}
}

// namesake has a field and a method that are called like generic functions.
type namesake struct{ another int }

func (namesake) further() int { return 0 }

func another[T any](T) int { return 2 }
func further[T any](T) int { return 3 }

//go:noinline
func besideFields[T any](n namesake) func(T) int {
	f, _, _, _ := generic[T], n.another, n.further(), namesake{another: 1}
	return f
}
