// Package exampletest has what the tests of all examples share: that a program prints what its README says, and that
// NVIDIA's tools take every one of its kernels.
package exampletest

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	_ "github.com/cutile-go/cutile/internal/testing/levels" // each launch runs at each level
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// inexact matches a number with an exponent, which examples print for errors only.
var inexact = regexp.MustCompile(`\d\.\de[-+]\d+`)

// Output runs a program on the CPU, and on a GPU whose driver is a fake, and compares what it prints with the block of output in
// README.md, the one that starts with ```text. Numbers with an exponent are errors: they must be at most twice those of the README.
func Output(t *testing.T, run func(context.Context, io.Writer) error) {
	t.Run("cpu", func(t *testing.T) {
		t.Setenv("CUTILE_DEVICE", "cpu")
		output(t, run, "cpu")
	})
	t.Run("cuda", func(t *testing.T) {
		GPU(t)
		output(t, run, "cuda:0")
	})
}

// GPU lets programs open a GPU as they do by themselves, until the test ends: our own compiler makes PTX of their kernels, and the emulator
// runs it.
func GPU(t *testing.T) {
	t.Helper()
	t.Setenv("CUTILE_DEVICE", "cuda")
	t.Setenv("CUTILE_ASSEMBLER", cuda.AssemblerOwn) // the emulator reads no cubins
	gpu := simttest.GPU{Device: fake.Device{Name: "Fake GPU", Major: 9, Memory: 1 << 30, Multiprocessors: 4}, CUDA: 13040}
	drv := gpu.Driver()
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv})))
	t.Cleanup(func() {
		if left := slices.Concat(drv.Leaks(), gpu.Faults()); len(left) > 0 {
			t.Errorf("the program leaves on the GPU, or did there: %v", left)
		}
	})
}

// output compares what a program prints on a device with what README.md says of the CPU.
func output(t *testing.T, run func(context.Context, io.Writer) error, device string) {
	t.Helper()
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
	if err := compare(strings.ReplaceAll(out.String(), device, "cpu"), want); err != nil {
		t.Error(err)
	}
}

// compare holds an output against that of a README.
func compare(got, want string) error {
	if inexact.ReplaceAllString(got, "N") != inexact.ReplaceAllString(want, "N") {
		return fmt.Errorf("the output is not that of README.md\ngot\n%s\nwant\n%s", got, want)
	}
	limits := inexact.FindAllString(want, -1)
	for i, s := range inexact.FindAllString(got, -1) {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return err
		}
		limit, err := strconv.ParseFloat(limits[i], 64)
		if err != nil {
			return err
		}
		if n > 2*limit {
			return fmt.Errorf("an error of %s, README.md says %s", s, limits[i])
		}
	}
	return nil
}

// Kernels assembles the kernels of the package in the working directory for every target, with and without promises
// about the arguments, and reads them back. All of the package's kernels must be among them.
func Kernels(t *testing.T, cases ...assemble.Case) {
	t.Helper()
	tested := map[string]bool{}
	for _, c := range cases {
		k, err := compile.Resolve(c.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		name := functionName(k)
		tested[name] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := c.Code(t, true)
			data := assemble.Bytecode(t, code.Module)
			assemble.SameText(t, data, code.Module)
			for _, target := range assemble.Targets {
				assemble.Cubin(t, data, target)
			}
			plain := assemble.Bytecode(t, c.Code(t, false).Module)
			assemble.Cubin(t, plain, assemble.Targets[len(assemble.Targets)-1]) // the one that takes the least time
		})
	}
	declared, err := declaredKernels(".")
	if err != nil {
		t.Fatal(err)
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

// declaredKernels finds the functions of a folder that have no results and take a view or a pointer of package tile.
func declaredKernels(dir string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Type.Results == nil && slices.ContainsFunc(fn.Type.Params.List, isView) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no kernel in %s", dir)
	}
	return names, nil
}

// isView reports whether a parameter is a tile.In[…] or the like.
func isView(p *ast.Field) bool {
	index, ok := p.Type.(*ast.IndexExpr)
	return ok && slices.Contains([]string{"tile.In", "tile.Out", "tile.InOut", "tile.Persistent", "tile.Ptr"}, types.ExprString(index.X))
}
