package compile_test

import (
	"go/token"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
)

// TestResolveLiteral compares literals that are found by their place with the same ones found by their value, as a kernel
// and as a function argument.
func TestResolveLiteral(t *testing.T) {
	type v16 = tile.F32T1[tile.D16]
	kernel := func(x tile.In[v16], z tile.Out[v16], f func(v16) v16) {
		z.Store(f(x.Load(z.Index(0))) + 3)
	}
	argument := func(v v16) v16 {
		return 7 * v
	}
	want := facts(must(t)(compile.Resolve(kernel)))
	want.Args[2].Func = must(t)(compile.ResolveFunc(argument))
	k := must(t)(compile.ResolveLiteral(kernelsPath, must(t)(compile.Resolve(kernel)).Pos()))
	got := facts(k)
	got.Args[2].Func = must(t)(compile.ResolveFuncLiteral(kernelsPath, want.Args[2].Func.Pos()))
	if a, b := text(t, k, got), text(t, must(t)(compile.Resolve(kernel)), want); a != b {
		t.Errorf("by place\n%s\nby value\n%s", a, b)
	}
	if again := must(t)(compile.ResolveLiteral(kernelsPath, k.Pos())); again != k {
		t.Error("a literal is two kernels")
	}
	for _, c := range []struct {
		at   token.Position
		want string
	}{
		{want.Args[2].Func.Pos(), "a kernel must not have results, but TestResolveLiteral has 1"},
		{token.Position{Filename: k.Pos().Filename, Line: 1, Column: 1}, "no function literal of registered source is at literal_test.go:1"},
	} {
		if _, err := compile.ResolveLiteral(kernelsPath, c.at); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.at, err, c.want)
		}
	}
}

func must(t *testing.T) func(*compile.Kernel, error) *compile.Kernel {
	return func(k *compile.Kernel, err error) *compile.Kernel {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
}
