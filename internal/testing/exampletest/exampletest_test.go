package exampletest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDeclaredKernels(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package main\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a_test.go", "func inTest(x tile.Out[T]) {}")
	if _, err := declaredKernels(dir); err == nil || !strings.HasPrefix(err.Error(), "there is no kernel in ") {
		t.Errorf("a folder without kernels: %v", err)
	}
	write("b.go", `
func plain(x int) {}
func helper[B tile.Dim](x tile.In[tile.F32T1[B]]) tile.F32T1[B] { return x.Load(0) }
func reads[B tile.Dim](n int, x, y tile.In[tile.F32T1[B]]) {}
func writes(y tile.Out[T]) {}
func (layer) method(y tile.Out[T]) {}`)
	write("c.go", "func both(y tile.InOut[T]) {}\nfunc raw(p tile.Ptr[int32]) {}")
	got, err := declaredKernels(dir)
	if want := []string{"reads", "writes", "both", "raw"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func TestCompare(t *testing.T) {
	const readme = "on cpu\nerror 2.0e-07\n"
	for _, c := range []struct{ got, want string }{
		{"on cpu\nerror 2.0e-07\n", ""},
		{"on cpu\nerror 3.9e-07\n", ""},
		{"on cpu\nerror 0.0e+00\n", ""},
		{"on cpu\nerror 4.1e-07\n", "an error of 4.1e-07, README.md says 2.0e-07"},
		{"on cpu\nerror NaN\n", "the output is not that of README.md"},
		{"on gpu\nerror 2.0e-07\n", "the output is not that of README.md"},
	} {
		err := compare(c.got, readme)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.got, err, c.want)
		}
	}
}
