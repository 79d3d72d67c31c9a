package world_test

import (
	"go/types"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/simtc/eval"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tile"
)

// This package is its own example: its types are declared in ownSource, too.
type (
	number      float32
	pair[A any] struct {
		Left, right A
	}
	shaped interface{ Area() float64 }
)

const ownPath = "github.com/cutile-go/cutile/internal/front/world_test"

const ownSource = `package world_test

import "github.com/cutile-go/cutile/tile"

type number float32

type pair[A any] struct {
	Left, right A
}

type shaped interface{ Area() float64 }

var _ tile.D4
var total int

func host() int { return total + missing }

func kernel[D tile.Dim, A any, F func(A) A](x tile.In[tile.F32T1[D]], p pair[A], f F, l []A, a [2]A, s struct{ x A }, q *A, g func(int, A) (A, error), n number) {
	undefinedHere()
	tile.Nothing()
	other.Name()
}
`

// own is the world of ownSource.
func own(t *testing.T) *world.World {
	t.Helper()
	langsrc.Register(&langsrc.Source{Path: ownPath, Dir: "/src/own", FS: []fs.FS{fstest.MapFS{"own.go": {Data: []byte(ownSource)}}}})
	w, err := describe.Language.Load([]world.Symbol{{Path: ownPath, Name: "kernel"}, {Path: ownPath, Name: "number"}, {Path: ownPath, Name: "pair"},
		{Path: ownPath, Name: "shaped"}, {Path: describe.TilePath, Name: "D8"}, {Path: describe.TilePath, Name: "F16T2"}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func withPaths(t types.Type) string { return types.TypeString(t, (*types.Package).Path) }

// TestFromReflect: a type of the running program is the world's type of the same text.
func TestFromReflect(t *testing.T) {
	w := own(t)
	for _, c := range []struct {
		t    reflect.Type
		want string
	}{
		{reflect.TypeFor[int](), "int"},
		{reflect.TypeFor[uint8](), "uint8"},
		{reflect.TypeFor[error](), "error"},
		{reflect.TypeFor[any](), "interface{}"},
		{reflect.TypeFor[number](), ownPath + ".number"},
		{reflect.TypeFor[shaped](), ownPath + ".shaped"},
		{reflect.TypeFor[pair[number]](), ownPath + ".pair[" + ownPath + ".number]"},
		{reflect.TypeFor[pair[pair[int]]](), ownPath + ".pair[" + ownPath + ".pair[int]]"},
		{reflect.TypeFor[pair[[]*number]](), ownPath + ".pair[[]*" + ownPath + ".number]"},
		{reflect.TypeFor[pair[[3]func(int, number) (bool, error)]](), ownPath + ".pair[[3]func(int, " + ownPath + ".number) (bool, error)]"},
		{reflect.TypeFor[pair[func()]](), ownPath + ".pair[func()]"},
		{reflect.TypeFor[pair[func(int) number]](), ownPath + ".pair[func(int) " + ownPath + ".number]"},
		{reflect.TypeFor[pair[func(func() int) func(bool)]](), ownPath + ".pair[func(func() int) func(bool)]"},
		{reflect.TypeFor[tile.F16T2[tile.D8, tile.D8]](), describe.TilePath + ".FloatTile2[" + describe.DtypePath + ".Float16," + describe.TilePath + ".D8," + describe.TilePath + ".D8]"},
		{reflect.TypeFor[[]int](), "[]int"},
		{reflect.TypeFor[[5]number](), "[5]" + ownPath + ".number"},
		{reflect.TypeFor[*number](), "*" + ownPath + ".number"},
		{reflect.TypeFor[map[string]number](), "map[string]" + ownPath + ".number"},
		{reflect.TypeFor[chan int](), "chan int"},
		{reflect.TypeFor[<-chan int](), "<-chan int"},
		{reflect.TypeFor[chan<- number](), "chan<- " + ownPath + ".number"},
		{reflect.TypeFor[func()](), "func()"},
		{reflect.TypeFor[func(int, ...number) (bool, error)](), "func(int, ..." + ownPath + ".number) (bool, error)"},
		{reflect.TypeFor[struct {
			A int
			B []number
		}](), "struct{A int; B []" + ownPath + ".number}"},
		{reflect.TypeFor[struct {
			number
			x bool
		}](), "struct{" + ownPath + ".number; x bool}"},
	} {
		got, err := w.FromReflect(c.t)
		if err != nil {
			t.Errorf("%v: %v", c.t, err)
		} else if text := withPaths(got); strings.ReplaceAll(text, ", ", ",") != strings.ReplaceAll(c.want, ", ", ",") {
			t.Errorf("%v: %s, want %s", c.t, text, c.want)
		}
	}
}

// TestFromReflectRefuses: what no kernel can have, wherever it stands in a type.
func TestFromReflectRefuses(t *testing.T) {
	w := own(t)
	const builder = "type strings.Builder is of a package without registered source"
	type local int
	for _, c := range []struct {
		t    reflect.Type
		want string
	}{
		{reflect.TypeFor[strings.Builder](), builder},
		{reflect.TypeFor[[]strings.Builder](), builder},
		{reflect.TypeFor[[2]strings.Builder](), builder},
		{reflect.TypeFor[*strings.Builder](), builder},
		{reflect.TypeFor[map[int]strings.Builder](), builder},
		{reflect.TypeFor[func(int, strings.Builder)](), builder},
		{reflect.TypeFor[func() (int, strings.Builder)](), builder},
		{reflect.TypeFor[struct{ B strings.Builder }](), builder},
		{reflect.TypeFor[pair[strings.Builder]](), builder},
		{reflect.TypeFor[pair[func(strings.Builder)]](), builder},
		{reflect.TypeFor[pair[func() strings.Builder]](), builder},
		{reflect.TypeFor[pair[[]strings.Builder]](), builder},
		{reflect.TypeFor[interface{ Area() int }](), "a kernel cannot have a parameter of type interface { Area() int }"},
		{reflect.TypeFor[pair[map[int]int]](), "type map cannot be used in a kernel"},
		{reflect.TypeFor[pair[chan int]](), "type chan cannot be used in a kernel"},
		{reflect.TypeFor[pair[struct{ X int }]](), "type struct cannot be used in a kernel"},
		{reflect.TypeFor[local](), "type " + ownPath + ".local cannot be used in a kernel: it must be declared at package level in registered source"},
		{reflect.TypeFor[pair[local]](), "local"},
	} {
		if got, err := w.FromReflect(c.t); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, %v; want %q", c.t, got, err, c.want)
		}
	}
}

// TestTypeNames: the names inside types, each once, without extents and what Go has itself.
func TestTypeNames(t *testing.T) {
	own := func(names ...string) (out []world.Symbol) {
		for _, n := range names {
			out = append(out, world.Symbol{Path: ownPath, Name: n})
		}
		return out
	}
	for _, c := range []struct {
		t    reflect.Type
		want []world.Symbol
	}{
		{reflect.TypeFor[int](), nil},
		{reflect.TypeFor[number](), own("number")},
		{reflect.TypeFor[pair[number]](), own("pair", "number")},
		{reflect.TypeFor[pair[func(number, *shaped) [2]number]](), own("pair", "number", "shaped")},
		{reflect.TypeFor[func(number) shaped](), own("number", "shaped")},
		{reflect.TypeFor[map[number]shaped](), own("number", "shaped")},
		{reflect.TypeFor[[]*[3]chan number](), own("number")},
		{reflect.TypeFor[struct {
			A pair[int]
			B number
		}](), own("pair", "number")},
		{reflect.TypeFor[tile.D16](), nil},
		{reflect.TypeFor[tile.F32T1[tile.D16]](), []world.Symbol{{Path: describe.TilePath, Name: "FloatTile1"}}},
		{reflect.TypeFor[tile.Dim](), []world.Symbol{{Path: describe.TilePath, Name: "Dim"}}},
	} {
		if got := describe.Language.TypeNames(c.t); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.t, got, c.want)
		}
	}
	for text, want := range map[string][]world.Symbol{
		"a/b.C":                             {{Path: "a/b", Name: "C"}},
		"a/b%2ec.D[e.F,func(*g/h.I) []int]": {{Path: "a/b.c", Name: "D"}, {Path: "e", Name: "F"}, {Path: "g/h", Name: "I"}},
		describe.TilePath + ".D":            {{Path: describe.TilePath, Name: "D"}},
		describe.TilePath + ".D32":          nil,
		describe.TilePath + ".Dim":          {{Path: describe.TilePath, Name: "Dim"}},
		"other.D32":                         {{Path: "other", Name: "D32"}},
	} {
		if got := describe.Language.NamesIn(text); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestUnify binds the type parameters of the kernel by types of the running program, parameter by parameter.
func TestUnify(t *testing.T) {
	w := own(t)
	sig := w.Lookup(ownPath, "kernel").Pkg.Types.Scope().Lookup("kernel").Type().(*types.Signature)
	fail := func(want string, params map[int]reflect.Type) {
		t.Helper()
		env := world.NewEnv()
		var err error
		for _, i := range slices.Sorted(func(yield func(int) bool) {
			for i := range params {
				if !yield(i) {
					return
				}
			}
		}) {
			actual, e := w.FromReflect(params[i])
			if e != nil {
				t.Fatal(e)
			}
			if err == nil {
				err = w.Unify(sig.Params().At(i).Type(), actual, env)
			}
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v: %v, want %q", params, err, want)
		}
		if err == nil {
			names := env.Names()
			for name, want := range map[string]string{"D": describe.TilePath + ".D8", "A": "int"} {
				if got := names[name]; got != nil && withPaths(got) != want {
					t.Errorf("%v: %s is %v, want %s", params, name, got, want)
				}
			}
			if len(names) == 0 && len(params) > 0 && params[8] == nil {
				t.Errorf("%v: nothing is bound", params)
			}
		}
	}
	type m = map[int]reflect.Type
	fail("", m{0: reflect.TypeFor[tile.In[tile.F32T1[tile.D8]]](), 1: reflect.TypeFor[pair[int]]()})
	fail("", m{3: reflect.TypeFor[[]int](), 4: reflect.TypeFor[[2]int](), 5: reflect.TypeFor[struct{ x int }](), 6: reflect.TypeFor[*int](),
		7: reflect.TypeFor[func(int, int) (int, error)](), 8: reflect.TypeFor[number]()})
	fail("type parameter A is both int and bool", m{3: reflect.TypeFor[[]int](), 4: reflect.TypeFor[[2]bool]()})
	fail("type parameter A is both int and bool", m{7: reflect.TypeFor[func(int, int) (bool, error)]()})
	fail("type parameter A is both int and bool", m{3: reflect.TypeFor[[]int](), 7: reflect.TypeFor[func(int, bool) (bool, error)]()})
	fail("type parameter A is both int and bool", m{1: reflect.TypeFor[pair[int]](), 5: reflect.TypeFor[struct{ x bool }]()})
	for i, others := range map[int][]reflect.Type{
		0: {reflect.TypeFor[int](), reflect.TypeFor[number](), reflect.TypeFor[tile.In[tile.F16T1[tile.D8]]]()},
		1: {reflect.TypeFor[number](), reflect.TypeFor[struct{ Left, right int }]()},
		3: {reflect.TypeFor[[2]int](), reflect.TypeFor[number]()},
		4: {reflect.TypeFor[[3]int](), reflect.TypeFor[[]int]()},
		5: {reflect.TypeFor[struct{ y int }](), reflect.TypeFor[struct{ x, y int }](), reflect.TypeFor[int]()},
		6: {reflect.TypeFor[int](), reflect.TypeFor[[]int]()},
		7: {reflect.TypeFor[func(int) (int, error)](), reflect.TypeFor[func(int, int) int](), reflect.TypeFor[func(bool, int) (int, error)](), reflect.TypeFor[int]()},
		8: {reflect.TypeFor[int](), reflect.TypeFor[float32]()},
	} {
		for _, o := range others {
			fail("have ", m{i: o})
		}
	}
}

// TestErrorsOfPackage: the checker's mistakes between two places, with what is known of a name that is not there.
func TestErrorsOfPackage(t *testing.T) {
	w := own(t)
	p := w.Pkgs[ownPath]
	d := p.Src.Decls["kernel"].Node
	errs := p.Errors(d.Pos(), d.End())
	var got []string
	for _, e := range errs {
		got = append(got, e.Error())
	}
	for i, want := range []string{
		"/src/own/own.go:19:2: undefined: undefinedHere: package " + ownPath + " embeds only own.go\n        undefinedHere()\n        ^",
		"/src/own/own.go:20:7: undefined: tile.Nothing\n        tile.Nothing()\n             ^",
		"/src/own/own.go:21:2: undefined: other: package " + ownPath + " embeds only own.go\n        other.Name()\n        ^",
	} {
		if i >= len(got) || got[i] != want {
			t.Errorf("mistakes %q, want %q as number %d", got, want, i)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d mistakes, want 3: %q", len(got), got)
	}
	if errs := p.Errors(d.End(), d.End()+1000); len(errs) > 0 {
		t.Errorf("mistakes behind the kernel: %v", errs)
	}
	for name, want := range map[string]bool{"number": true, "kernel": true, "missing": false} {
		if w.Declares(ownPath, name) != want {
			t.Errorf("Declares(%s) is %v", name, !want)
		}
	}
	if w.Declares("nowhere", "number") {
		t.Error("an unknown package declares something")
	}
}

// TestWorlds: the same roots give the same world, in any order, others and other languages another; what is not there is
// a mistake that says why.
func TestWorlds(t *testing.T) {
	own(t)
	a := []world.Symbol{{Path: ownPath, Name: "number"}, {Path: ownPath, Name: "pair"}, {Path: ownPath, Name: "number"}}
	first, err := describe.Language.Load(a)
	if err != nil {
		t.Fatal(err)
	}
	if a[0].Name != "number" || a[1].Name != "pair" {
		t.Error("the roots have changed")
	}
	second, err := describe.Language.Load([]world.Symbol{{Path: ownPath, Name: "pair"}, {Path: ownPath, Name: "number"}})
	if err != nil || second != first {
		t.Errorf("the same roots give another world: %v", err)
	}
	other, err := describe.Language.Load([]world.Symbol{{Path: ownPath, Name: "pair"}})
	if err != nil || other == first {
		t.Errorf("other roots give the same world: %v", err)
	}
	if cute, err := eval.Language.Load(a); err != nil || cute == first {
		t.Errorf("another language gives the same world: %v", err)
	}
	for path, want := range map[string]string{"no/where": "package no/where has no registered source: add to it\n\t//go:embed *.go"} {
		if _, err := describe.Language.Load([]world.Symbol{{Path: path, Name: "x"}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
