package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// newCUDA makes a runner on the first GPU.
func newCUDA(t *testing.T) *Runner {
	t.Helper()
	var o cuda.Options
	if path := os.Getenv(cubinsEnv); path != "" {
		cubins, err := cuda.OpenCubins(path)
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv(cuda.AssemblerEnv) == cuda.AssemblerOwn {
			o.Choice, o.Cubins = cuda.AssemblerOwn, cubins
		} else {
			o.Assembler = &cuda.Prebuilt{FS: cubins}
		}
	}
	eng, err := cuda.Open(0, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := device.Open(eng, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return &Runner{Device: d}
}

// TestCUDA runs every case on a GPU.
func TestCUDA(t *testing.T) {
	if !strings.HasPrefix(os.Getenv("CUTILE_DEVICE"), "cuda") && !testenv.Required("gpu") {
		t.Skip("CUTILE_DEVICE=cuda runs the cases on a GPU")
	}
	testenv.NeedsGPU(t)
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	r := newCUDA(t)
	for _, c := range cases {
		if child := os.Getenv(childEnv); child != "" && child != c.Name {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			s := c.Setup(c.Seed())
			if s.Fault != nil && s.Fault.Text == "division by zero" && os.Getenv("CUTILE_ASSEMBLER") != "own" {
				t.Skip("code of tileiras does not look at divisors")
			}
			if os.Getenv(childEnv) == "" && (s.Fault != nil || s.Prints != nil) {
				inChild(t, &c, s)
			} else if err := r.Run(t.Context(), &c, Matrix["cuda"]); err != nil {
				t.Error(err)
			}
		})
	}
}

// inChild runs a case in a process of its own: one that ends the context, or prints on the process's standard output.
func inChild(t *testing.T, c *Case, s Setup) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCUDA$", "-test.v")
	cmd.Env = append(os.Environ(), childEnv+"="+c.Name)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := s.Prints
	if s.Fault != nil {
		want = []string{s.Fault.Text}
	}
	for _, line := range want {
		if !strings.Contains(string(out), line) {
			t.Errorf("the output lacks %q:\n%s", line, out)
		}
	}
	if !strings.Contains(string(out), fmt.Sprintf("--- PASS: TestCUDA/%s", c.Name)) {
		t.Errorf("the child did not run the case:\n%s", out)
	}
}
