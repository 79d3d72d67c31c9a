// Package exampletest has what the tests of all examples share: that a program prints what its README says, and that
// NVIDIA's tools take every one of its kernels.
package exampletest

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/compile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
)

// inexact matches a number with an exponent, which examples print for errors only.
var inexact = regexp.MustCompile(`\d\.\de[-+]\d+`)

// Output runs a program on the CPU and compares what it prints with the block of output in README.md, the one that
// starts with ```text. Numbers with an exponent are errors: they must be at most twice those of the README.
func Output(t *testing.T, run func(context.Context, io.Writer) error) {
	t.Helper()
	t.Setenv("CUTILE_DEVICE", "cpu")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```text\n")
	want, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("README.md has no block of output: ```text")
	}
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if inexact.ReplaceAllString(got, "N") != inexact.ReplaceAllString(want, "N") {
		t.Fatalf("the output is not that of README.md\ngot\n%s\nwant\n%s", got, want)
	}
	limits := inexact.FindAllString(want, -1)
	for i, s := range inexact.FindAllString(got, -1) {
		n, _ := strconv.ParseFloat(s, 64)
		limit, _ := strconv.ParseFloat(limits[i], 64)
		if !(n <= 2*limit) {
			t.Errorf("an error of %s, README.md says %s", s, limits[i])
		}
	}
}

// Kernels assembles the kernels of the package in the working directory for every target, with and without promises
// about the arguments, and reads them back. All of the package's kernels must be among them.
func Kernels(t *testing.T, cases ...assemble.Case) {
	t.Helper()
	complete(t, cases)
	for _, c := range cases {
		k, err := compile.Resolve(c.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(functionName(k), func(t *testing.T) {
			t.Parallel()
			code := c.Code(t, true)
			data := assemble.Bytecode(t, code.Module)
			assemble.SameText(t, data, code.Module)
			for _, target := range assemble.Targets {
				assemble.Cubin(t, data, target)
			}
			plain := c.Code(t, false)
			assemble.Cubin(t, assemble.Bytecode(t, plain.Module), assemble.Targets[len(assemble.Targets)-1]) // the fastest
		})
	}
}

// complete checks that every kernel of the working directory is in the table.
func complete(t *testing.T, cases []assemble.Case) {
	t.Helper()
	tested := map[string]bool{}
	for _, c := range cases {
		k, err := compile.Resolve(c.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		tested[functionName(k)] = true
	}
	declared := declaredKernels(t)
	if len(declared) == 0 {
		t.Error("there is no kernel in this folder")
	}
	for _, name := range declared {
		if !tested[name] {
			t.Errorf("kernel %s is not in the table of exampletest.Kernels", name)
		}
	}
}

// functionName is the name that is declared, of a kernel called main.add[D16].
func functionName(k *compile.Kernel) string {
	name, _, _ := strings.Cut(k.Name(), "[")
	return name[strings.LastIndex(name, ".")+1:]
}

// declaredKernels finds the functions without results that take a view or a pointer of package tile.
func declaredKernels(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Type.Results == nil && takesViews(fn.Type) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

func takesViews(f *ast.FuncType) bool {
	for _, p := range f.Params.List {
		x := p.Type
		if index, ok := x.(*ast.IndexExpr); ok {
			x = index.X
		}
		sel, ok := x.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		pkg, ok := sel.X.(*ast.Ident)
		if ok && pkg.Name == "tile" && (sel.Sel.Name == "In" || sel.Sel.Name == "Out" || sel.Sel.Name == "InOut" || sel.Sel.Name == "Ptr") {
			return true
		}
	}
	return false
}
