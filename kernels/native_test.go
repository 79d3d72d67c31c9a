package kernels_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/nativecount"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

var update = flag.Bool("update", false, "write testdata/native.txt")

// TestNative compares what becomes machine code on the CPU with the list in testdata.
func TestNative(t *testing.T) {
	if testing.Short() {
		t.Skip("every kernel is compiled")
	}
	var b strings.Builder
	for _, r := range table(t) {
		b.WriteString(nativecount.Line(t, fmt.Sprint(r.name, r.extents), exported(t, r)))
	}
	nativecount.Compare(t, "testdata/native.txt", b.String(), *update)
}

// exported is a kernel's module for the newest bytecode: of several, the one whose file comes first.
func exported(t testing.TB, r row) *tileir.Module {
	t.Helper()
	dir := t.TempDir()
	if err := cutile.Export(t.Context(), dir, []string{"13.4"}, cutile.Sized(r.kernel, r.extents...), r.args...); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tileirbc"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no bytecode, %v", r.name, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := bytecode.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
