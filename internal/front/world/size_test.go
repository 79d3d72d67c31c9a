package world_test

import (
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

const gemmPath = "example.com/size/gemm"

const gemmSource = `package gemm

import "github.com/cutile-go/cutile/tile"

func gemm[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Out[tile.F16T2[M, N]]) {
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
	}
	c.Store(tile.F16T2[M, N](sum))
}
`

// more declares methods of the types that a GEMM uses, and functions.
func more(n int) string {
	var b strings.Builder
	b.WriteString("package tile\n\nimport \"github.com/cutile-go/cutile/tile/op\"\n")
	for i := range n {
		fmt.Fprintf(&b, "\nfunc (x FloatTile2[E, A, B]) More%d() FloatTile2[E, A, B] { return op.AbsF(x) }\n", i)
		fmt.Fprintf(&b, "\n// More%d does more.\nfunc (v In[T]) More%d(at ...int) T {\n\treturn op.AbsF(v.Load(at...))\n}\n", i, i)
		fmt.Fprintf(&b, "\nfunc MoreOf%d[T Tile](x T) T { return op.AbsF(x) }\n", i)
	}
	return b.String()
}

// TestSizeDoesNotShow: what is parsed and checked for a GEMM does not grow with package tile.
func TestSizeDoesNotShow(t *testing.T) {
	langsrc.Register(&langsrc.Source{Path: gemmPath, Dir: gemmPath, FS: []fs.FS{fstest.MapFS{"gemm.go": {Data: []byte(gemmSource)}}}})
	// A world with another root is another world, and every dimension is part of each.
	measure := func(root string, files fs.FS) (parsed int, checked map[string]int) {
		if files != nil {
			langsrc.Register(&langsrc.Source{Path: describe.TilePath, FS: []fs.FS{files}, Lang: true})
		}
		before := source.Fset.Base()
		w, err := describe.Language.Load([]world.Symbol{{Path: gemmPath, Name: "gemm"}, {Path: describe.TilePath, Name: root}})
		if err != nil {
			t.Fatal(err)
		}
		checked = map[string]int{}
		for path, p := range w.Pkgs {
			checked[path] = len(p.Info.Defs) + len(p.Info.Types)
		}
		return source.Fset.Base() - before, checked
	}
	measure("D1", nil) // reads the other packages
	few, fewChecked := measure("D2", fstest.MapFS{"more_0.go": {Data: []byte(more(0))}})
	many, manyChecked := measure("D4", fstest.MapFS{"more_1000.go": {Data: []byte(more(1000))}})
	if p, err := source.Load(describe.TilePath); err != nil || p.Methods["FloatTile2"]["More999"] == nil || p.Decls["MoreOf999"] == nil {
		t.Fatalf("package tile did not grow: %v", err)
	}
	if few < 10_000 || many != few {
		t.Errorf("%d bytes are parsed with 3,000 more declarations, %d without", many, few)
	}
	if len(fewChecked) < 4 || fewChecked[describe.TilePath] < 500 || !maps.Equal(fewChecked, manyChecked) {
		t.Errorf("with 3,000 more declarations %v names and expressions are checked, without %v", manyChecked, fewChecked)
	}
}

// TestLateOperators: every function for an operator can join a world that is as small as worlds are, alone and after all
// others.
func TestLateOperators(t *testing.T) {
	load := func(roots ...world.Symbol) *world.World {
		w, err := describe.Language.Load(roots)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	d := func(i int) world.Symbol { return world.Symbol{Path: describe.TilePath, Name: fmt.Sprintf("D%d", 1<<i)} }
	all := load(d(0))
	operators := maps.Clone(all.Operators)
	if len(operators) < 40 {
		t.Fatalf("%d operators, want at least 40", len(operators))
	}
	i, late := 0, 0
	for name, o := range operators {
		alone := load(d(i/16), d(i%16), d(16))
		i++
		if alone.Pkgs[o.Path].Types.Scope().Lookup(o.Name) == nil {
			late++
		}
		for _, w := range []*world.World{alone, all} {
			w.Lock()
			if f := w.Lookup(o.Path, o.Name); f == nil || f.Decl.Name.Name != o.Name {
				t.Errorf("operator %s: %v is not found", name, o)
			}
			w.Unlock()
		}
	}
	if late < 35 {
		t.Errorf("%d operators join late, want at least 35", late)
	}
}
