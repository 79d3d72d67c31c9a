package describe_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// declared is the world of one file of a package of its own, around its function kernel.
func declared(t *testing.T, number int, text string) (*describe.World, string, error) {
	t.Helper()
	path := fmt.Sprintf("example.com/declared/%s/p%d", strings.ToLower(t.Name()), number)
	text = "package p\n\nimport \"github.com/cutile-go/cutile/tile\"\n\nvar _ tile.D1\n\n" + text
	langsrc.Register(&langsrc.Source{Path: path, Dir: "/" + path, FS: []fs.FS{fstest.MapFS{"a.go": {Data: []byte(text)}}}})
	w, err := describe.Load([]world.Symbol{{Path: path, Name: "kernel"}})
	return w, path, err
}

// TestWrongDirectives: mistakes in the directives of a package that is not the language's, each at its line.
func TestWrongDirectives(t *testing.T) {
	const use = "\nfunc kernel(x vec[tile.D16]) { f(x) }\n\nfunc f(x any) {}\n"
	const vec = "type vec[D tile.Dim] struct{ x D }"
	for i, c := range []struct{ text, want string }{
		{"//cutile:type list\n" + vec + use, "a.go:7:1: directive //cutile:type: column 5: list has 0 arguments, want 1"},
		{"//cutile:type enum\n" + vec + use, "a.go:7:1: directive //cutile:type: column 5: enum has 0 arguments, want 1"},
		{"//cutile:type extent\n" + vec + use, "a.go:7:1: directive //cutile:type: column 7: extent has 0 arguments, want 1"},
		{"//cutile:type tile(shape: [D], elem: ptr())\n" + vec + use, "ptr has 0 arguments, want 1"},
		{vec + "\n\n//cutile:op absf(y)" + use, "a.go:9:1: directive of kernel: operand \"y\" is not a parameter"},
		{vec + "\n\n//cutile:op absf(x" + use, "a.go:9:1: directive //cutile:op: column 7: want \",\", have \"\""},
		{vec + "\n\n//cutile:op absf(x) min" + use, "a.go:9:1: directive //cutile:op: column 12: min takes one argument"},
		{vec + "\n\n//cutile:param sideways\nfunc make[D tile.Dim]() vec[D] { panic(0) }" + use, "a.go:10:1: make: want //cutile:param in, out, inout, persistent or ptr\n"},
		{vec + "\n\n//cutile:param\nfunc make[D tile.Dim]() vec[D] { panic(0) }" + use, "a.go:10:1: make: want //cutile:param in, out, inout, persistent or ptr\n"},
		{vec + "\n\n//cutile:param in out\nfunc make[D tile.Dim]() vec[D] { panic(0) }" + use, "a.go:10:1: make: want //cutile:param in, out, inout, persistent or ptr\n"},
		{vec + "\n\n//cutile:type odd(\n//cutile:param in\nfunc make[D tile.Dim]() vec[D] { panic(0) }" + use, "a.go:9:1: directive //cutile:type: column 5: want Ident, have \"\""},
	} {
		if _, _, err := declared(t, i, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestDeclaredTypes: what types mean that a package declares, and where they mean nothing.
func TestDeclaredTypes(t *testing.T) {
	for i, c := range []struct{ text, want string }{
		{"//cutile:type tile(shape: without(T, 0), elem: T)\ntype of[T tile.Tile] struct{ t T }", "shape [32] elem f32"},
		{"//cutile:type tile(shape: without(T, 1), elem: T)\ntype of[T tile.Tile] struct{ t T }", "shape [16] elem f32"},
		{"//cutile:type tile(shape: without(T, 2), elem: T)\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"//cutile:type tile(shape: without(T, -1), elem: T)\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"//cutile:type tile(shape: flat(T), elem: ptr(T))\ntype of[T tile.Tile] struct{ t T }", "shape [512] elem f32 pointer"},
		{"//cutile:type tile(shape: lead(T, T), elem: i1)\ntype of[T tile.Tile] struct{ t T }", "shape [16 32] elem i1"},
		{"//cutile:type tile(shape: odd(T), elem: T)\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"//cutile:type tile(shape: [T], elem: f32)\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"//cutile:type tile(shape: shape(T), elem: odd)\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"//cutile:type list(rank(T))\ntype of[T tile.Tile] struct{ t T }", "kind 7 n 2"},
		{"//cutile:type list(shape(T))\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"//cutile:type list(sign(T))\ntype of[T tile.Tile] struct{ t T }", "kind 7 n 0"},
		{"//cutile:type extent(24)\ntype of[T tile.Tile] struct{ t T }", "kind 9 n 24"},
		{"//cutile:type extent(odd)\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"//cutile:type extent(product(T, T))\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"//cutile:type enum(RoundingMode)\ntype of[T tile.Tile] struct{ t T }", "kind 10 enum RoundingMode"},
		{"//cutile:type index\ntype of[T tile.Tile] struct{ t T }", "shape [] elem i32 index"},
		{"//cutile:type none\ntype of[T tile.Tile] struct{ t T }", "kind 8"},
		{"//cutile:type odd\ntype of[T tile.Tile] struct{ t T }", "nothing"},
		{"type of[T tile.Tile] struct{ t T }", "nothing"},
		{"type of[T tile.Tile] uint16", "shape [] elem i16"},
	} {
		w, path, err := declared(t, i, c.text+"\n\nfunc kernel(x of[tile.F32T2[tile.D16, tile.D32]]) {}\n")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		w.Lock()
		d := w.Desc(w.Lookup(path, "kernel").Pkg.Info.Defs[w.Lookup(path, "kernel").Decl.Type.Params.List[0].Names[0]].Type())
		w.Unlock()
		if got := descText(d); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

func descText(d *describe.Desc) string {
	if d == nil {
		return "nothing"
	}
	if d.Kind != describe.TileKind {
		s := fmt.Sprint("kind ", d.Kind)
		switch d.Kind {
		case describe.ListKind, describe.ExtentKind:
			s += fmt.Sprint(" n ", d.N)
		case describe.EnumKind:
			s += " enum " + d.Enum
		}
		return s
	}
	s := fmt.Sprint("shape ", d.Shape, " elem ", d.Elem.IR)
	if d.Pointer {
		s += " pointer"
	}
	if d.Index {
		s += " index"
	}
	return s
}
