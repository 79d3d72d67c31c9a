package reftest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/reftest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

var update = flag.Bool("update", false, "write the committed slice of the files that TestExport makes")

// TestExport exports every kernel in every version, and compares all of it: bytes, texts and results. What is committed
// must be a slice of it.
func TestExport(t *testing.T) {
	python, tool := testenv.Oracle(t), testenv.Tool(t, "tileirdisasm")
	dir := t.TempDir()
	script(t, python, tool, "export.py", filepath.Join(dir, "ref"))
	script(t, python, tool, "cases.py", filepath.Join(dir, "cases"))
	kernels := exported(t, filepath.Join(dir, "ref"))
	all := os.DirFS(filepath.Join(dir, "cases"))
	cases := readCases(t, all)
	checkCannot(t, all)

	t.Run("kernels", func(t *testing.T) {
		for name, files := range kernels {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, f := range files {
					t.Run(f.In.String(), func(t *testing.T) {
						f.Debug = disassembleDebug(t, tool, filepath.Join(dir, "ref", f.Name()+".tileirbc"))
						reftest.Check(t, f)
						runFile(t, cases[name], f)
					})
				}
			})
		}
	})
	switch {
	case t.Failed():
	case *update:
		writeSlice(t, kernels, all)
	default:
		checkSlice(t, kernels, all)
	}
}

// TestOracle checks the reference itself, against ml_dtypes and plain formulas.
func TestOracle(t *testing.T) {
	script(t, testenv.Oracle(t), "", "check.py")
}

// script runs a program of the folder oracle. It finds NVIDIA's tools beside the given one.
func script(t *testing.T, python, tool, name string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), python, append([]string{filepath.Join("oracle", name)}, args...)...)
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "ORACLE_TOOLS="+filepath.Dir(tool))
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
}

// exported reads what export.py wrote, by kernel. It must list no file that is missing, and none that was refused.
func exported(t *testing.T, dir string) map[string][]*reftest.File {
	t.Helper()
	var index struct {
		Kernels int
		Files   []struct {
			Kernel, Version, Refused string
			Error                    string `json:"disasm_error"`
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, f := range index.Files {
		if listed[f.Kernel+"."+f.Version] = true; f.Refused+f.Error != "" {
			t.Errorf("%s in %s: %s%s", f.Kernel, f.Version, f.Refused, f.Error)
		}
	}
	kernels, files := map[string][]*reftest.File{}, reftest.ReadFiles(t, os.DirFS(dir))
	for _, f := range files {
		if kernels[f.Kernel] = append(kernels[f.Kernel], f); !listed[f.Name()] {
			t.Errorf("%s is not listed", f.Name())
		}
	}
	for name, files := range kernels {
		for i, v := range tileir.Versions()[len(tileir.Versions())-len(files):] {
			if files[i].In != v {
				t.Errorf("%s has %d files, of which number %d is of version %v; expected all up to the newest", name, len(files), i, files[i].In)
			}
		}
	}
	if len(kernels) != index.Kernels || len(files) != len(listed) || len(kernels) < 130 || len(files) < 479 {
		t.Errorf("%d kernels and %d files, listed are %d and %d; expected 130 and 479 at least", len(kernels), len(files), index.Kernels, len(listed))
	}
	return kernels
}

// checkCannot compares the reasons that kernels have no case with those that are known.
func checkCannot(t *testing.T, dir fs.FS) {
	t.Helper()
	text, err := fs.ReadFile(dir, "cannot.json")
	if err != nil {
		t.Fatal(err)
	}
	var reasons map[string]string
	if err := json.Unmarshal(text, &reasons); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(reasons, cannot) {
		t.Errorf("without case are\n%q, expected\n%q", reasons, cannot)
	}
}

// disassembleDebug runs tileirdisasm -g.
func disassembleDebug(t *testing.T, tool, path string) string {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), tool, "-g", path)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("tileirdisasm -g: %v\n%s", err, stderr.Bytes())
	}
	return string(out)
}
