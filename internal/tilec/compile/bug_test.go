package compile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
)

// TestKeepsBugs: a panic of the compiler, here of facts that are not for the kernel's parameters, is an error at the kernel that says it is
// a bug and how to report it. Where that is asked for, a folder has the source, the facts and the command that compiles the kernel.
func TestKeepsBugs(t *testing.T) {
	k, err := compile.Resolve(vecAdd[tile.D16])
	if err != nil {
		t.Fatal(err)
	}
	f := compile.Facts{Args: make([]compile.ArgFacts, len(k.Params())+1)}
	f.Args[0].Align16 = true
	_, err = k.Compile(t.Context(), f)
	for _, want := range []string{"kernels_test.go:", "BUG: compiling compile_test.vecAdd[D16]: runtime error: index out of range", " (CUTILE_DEBUG=backtrace shows the stack)",
		"; CUTILE_DEBUG=bundle=FOLDER keeps what is needed to report it"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	dir := t.TempDir()
	t.Setenv("CUTILE_DEBUG", "backtrace,bundle="+dir)
	_, err = k.Compile(t.Context(), f)
	for _, want := range []string{"goroutine ", "; the files to reproduce it are in " + dir} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	folders, err := filepath.Glob(filepath.Join(dir, "compile_test_vecAdd_D16-*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("the folders are %q, %v", folders, err)
	}
	for name, want := range map[string]string{"source-kernels_test.go": "func vecAdd[", "facts.txt": "argument 0: base a multiple of 16: true", "output.txt": "compile.(*Kernel).input",
		"repeat.sh": "cutile dump -stage ir -facts 'none,x=align' '", "README.txt": "BUG: compiling"} {
		if text, err := os.ReadFile(filepath.Join(folders[0], name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is %q, %v, want %q", name, text, err, want)
		}
	}
}
