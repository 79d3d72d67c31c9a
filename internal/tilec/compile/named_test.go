package compile_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

const kernelsPath = "github.com/cutile-go/cutile/internal/tilec/compile_test"

// text compiles a kernel with every promise, and prints it with its places.
func text(t *testing.T, k *compile.Kernel, f compile.Facts) string {
	t.Helper()
	c, err := k.Compile(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := irtext.Print(&b, c.Module, irtext.PrintOptions{Debug: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestResolveNamed compares kernels that are found by name with the same ones found by their value.
func TestResolveNamed(t *testing.T) {
	for _, c := range []struct {
		fn   any
		name string
		args []string
	}{
		{vecAdd[tile.D1024], "vecAdd", []string{"D1024"}},
		{gemm[tile.D128, tile.D64, tile.D32], "gemm", []string{"D128", "tile.D64", "(D32)"}},
		{softmax[tile.D16, tile.D64], "softmax", []string{"D16", "D64"}},
		{histogram[tile.D128], "histogram", []string{"D128"}},
	} {
		want, err := compile.Resolve(c.fn)
		if err != nil {
			t.Fatal(err)
		}
		got, err := compile.ResolveNamed(kernelsPath, c.name, c.args...)
		if err != nil {
			t.Errorf("%s%v: %v", c.name, c.args, err)
			continue
		}
		if got.Name() != want.Name() || got.Pos() != want.Pos() || len(got.Params()) != len(want.Params()) {
			t.Errorf("got %s at %v, want %s at %v", got.Name(), got.Pos(), want.Name(), want.Pos())
		}
		if a, b := text(t, got, facts(got)), text(t, want, facts(want)); a != b {
			t.Errorf("%s: by name\n%s\nby value\n%s", c.name, a, b)
		}
	}
}

// TestResolvePrinted: a kernel is found by what Name says, in which types have no packages.
func TestResolvePrinted(t *testing.T) {
	for _, fn := range []any{halfOf[dtype.BFloat16, tile.D16], halfOf[float32, tile.D16], halfOf[dtype.Float16, tile.Product[tile.D2, tile.D16]]} {
		want, err := compile.Resolve(fn)
		if err != nil {
			t.Fatal(err)
		}
		name, args, _ := strings.Cut(strings.TrimSuffix(want.Name(), "]"), "[")
		first, second, _ := strings.Cut(args, ", ")
		got, err := compile.ResolveNamed(kernelsPath, strings.TrimPrefix(name, "compile_test."), first, second)
		if err != nil {
			t.Errorf("%s: %v", want.Name(), err)
			continue
		}
		if a, b := text(t, got, facts(got)), text(t, want, facts(want)); a != b || got.Name() != want.Name() {
			t.Errorf("by name %s\n%s\nby value %s\n%s", got.Name(), a, want.Name(), b)
		}
	}
}

// TestResolveAmbiguous: a name without its package may be that of one package that the file imports, but not of two.
func TestResolveAmbiguous(t *testing.T) {
	for path, text := range map[string]string{
		"two/a": "package a\ntype E = float32\ntype F = float32", "two/b": "package b\ntype E = float32\ntype f = float32",
		"two/user": "package user\nimport (\n\t\"two/a\"\n\t\"two/b\"\n\t\"github.com/cutile-go/cutile/tile\"\n)\nvar _ a.E\nvar _ b.E\n" +
			"func K[T tile.FloatElem](x tile.In[tile.FloatTile1[T, tile.D16]]) {}\n",
	} {
		langsrc.Register(&langsrc.Source{Path: path, Dir: path, FS: []fs.FS{fstest.MapFS{"x.go": {Data: []byte(text)}}}})
	}
	for arg, want := range map[string]string{
		"E": "E may be that of package two/a or of package two/b: write the package, too, as in a.E", "F": "", "a.E": "", "b.E": "", "f": "f is declared neither",
	} {
		_, err := compile.ResolveNamed("two/user", "K", arg)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
}

// TestNamedFunc does so for a function as an argument, whose type arguments follow from the parameter.
func TestNamedFunc(t *testing.T) {
	byValue, err := compile.Resolve(gemmAct[tile.D64, tile.D64, tile.D32])
	if err != nil {
		t.Fatal(err)
	}
	byName, err := compile.ResolveNamed(kernelsPath, "gemmAct", "D64", "D64", "D32")
	if err != nil {
		t.Fatal(err)
	}
	want, got := facts(byValue), facts(byName)
	if want.Args[3].Func, err = compile.ResolveFunc(relu[tile.F32T2[tile.D64, tile.D64]]); err != nil {
		t.Fatal(err)
	}
	if got.Args[3].Func, err = byName.NamedFunc(3, "relu"); err != nil {
		t.Fatal(err)
	}
	if a, b := text(t, byName, got), text(t, byValue, want); a != b {
		t.Errorf("by name\n%s\nby value\n%s", a, b)
	}
	for _, c := range []struct {
		param      int
		name, want string
	}{
		{0, "relu", "gemmAct[D64, D64, D32] has no function as parameter 0"},
		{9, "relu", "has no function as parameter 9"},
		{3, "gone", "gone is declared neither in package " + kernelsPath},
		{3, "vecAdd", "it cannot be the parameter epilogue: have func("},
		{3, "int", "int is not a function that is declared in Go"},
		{3, "In", "function In is not in the registered source of package"},
		{3, "relu(", `function "relu(": `},
	} {
		_, err := byName.NamedFunc(c.param, c.name)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d %s: got %v, want %q", c.param, c.name, err, c.want)
		}
	}
}

func TestResolveNamedErrors(t *testing.T) {
	langsrc.Register(&langsrc.Source{Path: "wrong/empty", Dir: "wrong/empty", FS: []fs.FS{fstest.MapFS{}}})
	for _, c := range []struct {
		path, name string
		args       []string
		want       string
	}{
		{"example.com/none", "f", nil, "package example.com/none has no registered source"},
		{"wrong/empty", "f", nil, "package wrong/empty registered a file system without its Go files"},
		{kernelsPath, "none", nil, "function none is not in the registered source of package " + kernelsPath + ": embed every file of the package"},
		{kernelsPath, "vecAdd", nil, "vecAdd: it takes type arguments for B, but 0 are given"},
		{kernelsPath, "gemm", []string{"D64", "D64"}, "gemm: it takes type arguments for BM, BN, BK, but 2 are given"},
		{kernelsPath, "plain", []string{"D7"}, "function plain is not in the registered source of package " + kernelsPath},
		{kernelsPath, "vecAdd", []string{"D7"}, "D7 is declared neither in package"},
		{kernelsPath, "vecAdd", []string{"int"}, "int does not satisfy"},
		{kernelsPath, "vecAdd", []string{"relu"}, "relu is not a type"},
		{kernelsPath, "vecAdd", []string{"D64[D64]"}, "D64 takes no type arguments"},
		{kernelsPath, "vecAdd", []string{"F32T2[D64]"}, "F32T2[A, B github.com/cutile-go/cutile/tile.Dim] has 2 type parameters"},
		{kernelsPath, "vecAdd", []string{"*D64"}, "*D64 is not a type that can be named here"},
		{kernelsPath, "vecAdd", []string{"D64]"}, `type argument "D64]" of vecAdd: `},
		{kernelsPath, "relu", []string{"F32T1[D64]"}, "a kernel must not have results"},
	} {
		_, err := compile.ResolveNamed(c.path, c.name, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%v: got %v, want %q", c.name, c.args, err, c.want)
		}
	}
}
