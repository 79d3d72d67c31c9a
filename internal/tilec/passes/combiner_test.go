package passes_test

import (
	"embed"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir/text"
)

//go:embed *_test.go
var source embed.FS
var _ = cutile.Module(source)

func sums(x tile.In[tile.F32T1[tile.D64]], y, z tile.Out[tile.F32T1[tile.D1]]) {
	y.Store(x.Load(0).Fold0(0, func(a, b tile.F32) tile.F32 { return b + a }))
	z.Store(x.Load(0).Fold0(0, func(a, b tile.F32) tile.F32 { return b - a }))
}

// TestCombiners: what may be swapped has the order that the assembler knows, what may not is left alone.
func TestCombiners(t *testing.T) {
	k, err := compile.Resolve(sums)
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Compile(t.Context(), compile.Facts{Args: make([]compile.ArgFacts, 3)})
	if err != nil {
		t.Fatal(err)
	}
	text := text.Sprint(c.Module)
	for _, want := range []string{"addf %reduce_lhs, %reduce_rhs", "subf %reduce_rhs, %reduce_lhs"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}
