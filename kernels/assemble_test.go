package kernels_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// TestBytecode writes every kernel in each version of the bytecode.
func TestBytecode(t *testing.T) {
	for _, r := range table(t) {
		list, _ := r.targets()
		t.Run(fmt.Sprint(r.name, r.extents), func(t *testing.T) { export(t, r, list) })
	}
}

// TestAssembles gives every kernel to NVIDIA's assembler, which takes seconds: for one generation of architectures in turn or, with the flag archs, for
// each architecture.
func TestAssembles(t *testing.T) {
	testenv.Elsewhere(t)
	testenv.Tool(t, toolchain.Tileiras)
	for i, r := range table(t) {
		_, list := r.targets()
		if !*everyArch {
			list = list[i%len(list):][:1]
		}
		t.Run(fmt.Sprint(r.name, r.extents), func(t *testing.T) { export(t, r, list) })
	}
}

func export(t *testing.T, r row, targets []string) {
	t.Helper()
	dir := t.TempDir()
	if err := cutile.Export(t.Context(), dir, targets, cutile.Sized(r.kernel, r.extents...), r.args...); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Files []struct{ Target, Bytecode string }
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{} // a kernel may be there twice for a target: with masks, and for launches of whole tiles
	for _, f := range m.Files {
		if f.Target != "" {
			there[f.Target] = true
		} else {
			there[f.Bytecode] = true
		}
	}
	for _, target := range targets {
		if !there[target] {
			t.Errorf("the manifest has nothing for %s:\n%s", target, text)
		}
	}
}

// TestAllKernels holds the table against the kernels that the folders declare: exported functions without results that take a
// view or a pointer.
func TestAllKernels(t *testing.T) {
	var declared, tested []string
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && fn.Type.Results == nil && fn.Name.IsExported() && slices.ContainsFunc(fn.Type.Params.List, isView) {
				declared = append(declared, f.Name.Name+"."+fn.Name.Name)
			}
		}
	}
	for _, r := range table(t) {
		tested = append(tested, r.name)
	}
	slices.Sort(declared)
	slices.Sort(tested)
	if tested = slices.Compact(tested); !slices.Equal(declared, tested) {
		t.Errorf("declared\n%s\nin the table\n%s", strings.Join(declared, "\n"), strings.Join(tested, "\n"))
	}
}

func isView(p *ast.Field) bool {
	t := p.Type
	if list, ok := t.(*ast.ArrayType); ok {
		t = list.Elt
	}
	index, ok := t.(*ast.IndexExpr)
	if !ok {
		return false
	}
	sel, ok := index.X.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"In", "Out", "InOut", "Ptr"}, sel.Sel.Name)
}
