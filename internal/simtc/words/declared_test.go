package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// declared calls f with every function of package cute that has a directive, or is exported in one of the files of words.
func declared(t *testing.T, f func(file string, d *ast.FuncDecl, directive []string)) {
	t.Helper()
	paths, err := filepath.Glob("../../../cute/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("package cute is missing")
	}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			var words []string
			if fn.Doc != nil {
				for _, line := range fn.Doc.List {
					if text, ok := strings.CutPrefix(line.Text, "//cutile:"); ok {
						words = strings.Fields(text)
					}
				}
			}
			f(filepath.Base(p), fn, words)
		}
	}
}

// TestDeclarations holds the directives of package cute against what the evaluator knows.
func TestDeclarations(t *testing.T) {
	used := map[string]bool{}
	typ := regexp.MustCompile(`\{\w+(\.b)?\}`)
	declared(t, func(file string, d *ast.FuncDecl, words []string) {
		switch {
		case len(words) > 1 && words[0] == "intrinsic":
			used[words[1]] = true
			if intrinsics[words[1]] == nil {
				t.Errorf("%s: %s is the intrinsic %q, which does not exist", file, d.Name.Name, words[1])
			}
		case len(words) > 1 && words[0] == "ptx":
			found := false
			for _, suffix := range []string{"u32", "s32", "b32", "f32", "u64"} {
				_, ok := simt.FormOf(typ.ReplaceAllString(words[1], suffix))
				found = found || ok
			}
			if !found {
				t.Errorf("%s: %s is the instruction %s, which does not exist", file, d.Name.Name, words[1])
			}
		}
	})
	for _, table := range []map[string]intrinsic{mathWords, warpWords, atomicWords, copyWords, tiledWords, mmaWords, bulkWords, wgmmaWords, tensorMemWords} {
		for name := range table {
			if !used[name] {
				t.Errorf("no function of package cute is the intrinsic %q", name)
			}
		}
	}
}

// wordFiles are the files of package cute of which every exported function must be in a kernel of a test.
var wordFiles = []string{
	"math.go", "bits.go", "warp.go", "reduce.go", "atomic.go", "sync.go", "copy.go", "tiled.go", "mma.go", "mbarrier.go", "cluster.go", "bulk.go",
	"wgmma.go", "tensormem.go", "pipeline.go", "tuple.go", "layout.go", "tensor.go", "thread.go", "smem.go", "program.go", "types.go",
}

// TestEveryWordIsTested finds exported functions of package cute that no kernel of a test calls, here or in package cute.
func TestEveryWordIsTested(t *testing.T) {
	kernels := ""
	paths, err := filepath.Glob("../eval/*kernels_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		kernels += string(text)
	}
	declared(t, func(file string, d *ast.FuncDecl, _ []string) {
		for _, f := range wordFiles {
			if f == file && d.Name.IsExported() && !regexp.MustCompile(`\.`+d.Name.Name+`\b`).MatchString(kernels) {
				t.Errorf("%s: no test calls %s", file, d.Name.Name)
			}
		}
	})
}
