package reftest_test

import (
	"archive/zip"
	"context"
	"io/fs"
	"path"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/reftest"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

const (
	texts     = "../../../tileir/testdata" // the folder of ref.zip and refg.zip
	casesFile = "testdata/cases.zip"
)

// cannot has the kernels that do not run on the CPU engine, and why.
var cannot = map[string]string{}

// inOrder has the files whose tokens do not keep the order that they need, and why.
var inOrder = map[string]string{
	"ms_print.13.1": "between its prints it locks a mutex with atomics, none of which has a token",
}

const (
	seed  = 20          // that of the other order in which each kernel runs
	limit = time.Minute // of a run; a second is plenty
)

// TestReferenceKernels runs the committed kernels in each version that is committed, and compares with NumPy.
func TestReferenceKernels(t *testing.T) {
	z, err := zip.OpenReader(casesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	cases := readCases(t, z)
	for _, f := range reftest.Committed(t, texts) {
		if testing.Short() && f.In != tileir.Newest {
			continue
		}
		t.Run(f.Name(), func(t *testing.T) { runFile(t, cases[f.Kernel], f) })
	}
}

// readCases reads all cases of a folder, by kernel.
func readCases(t *testing.T, dir fs.FS) map[string][]*reftest.Case {
	t.Helper()
	names, err := fs.Glob(dir, "*/case.json")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]*reftest.Case{}
	for _, name := range names {
		c, err := reftest.ReadCase(dir, path.Dir(name))
		if err != nil {
			t.Fatal(err)
		}
		out[c.Kernel] = append(out[c.Kernel], c)
	}
	return out
}

// runFile runs a kernel's cases, in the order of its operations and in another one. There must be one, or a known reason
// that there is none.
func runFile(t *testing.T, cases []*reftest.Case, f *reftest.File) {
	if why := cannot[f.Kernel]; (len(cases) == 0) == (why == "") {
		t.Errorf("%d cases, reason for none: %q", len(cases), why)
	}
	m, _, err := bytecode.Read(f.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, seed := range []uint64{0, seed} {
			if seed != 0 && inOrder[f.Name()] != "" {
				continue
			}
			ctx, stop := context.WithTimeout(t.Context(), limit)
			if err := c.Run(ctx, m, seed); err != nil {
				t.Errorf("%s in %v, case %s, seed %d of the order: %v", c.Kernel, f.In, c.Name, seed, err)
			}
			stop()
		}
	}
}
