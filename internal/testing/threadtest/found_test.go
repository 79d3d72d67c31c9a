package threadtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestFound runs the modules of testdata/found, which random modules are too small for, on the emulator and on the CPU engine's interpreter.
func TestFound(t *testing.T) {
	files, err := filepath.Glob("testdata/found/*.tileir")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, on := range []struct {
		arch    string
		tensors bool
	}{{"sm_75", false}, {"sm_80", false}, {"sm_90a", false}, {"sm_90a", true}, {"sm_100a", false}, {"sm_100a", true}} {
		r, err := nativefuzz.NewEngineRunner(10*time.Second, threadtest.Emulator(on.arch, threads.Options{Exact: true, Tensors: on.tensors}))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, name := range files {
			t.Run(fmt.Sprintf("%s,%v/%s", on.arch, on.tensors, filepath.Base(name)), func(t *testing.T) {
				src, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				p, err := nativefuzz.Parse(string(src))
				if err != nil {
					t.Fatal(err)
				}
				rep, err := r.Run(p)
				if err != nil || rep.Diff != "" || rep.Why != "" || rep.Refused || rep.Fault {
					t.Errorf("error %v, difference %q, refused by ours for %q, by the interpreter %v, fault %v", err, rep.Diff, rep.Why, rep.Refused, rep.Fault)
				}
			})
		}
	}
}
