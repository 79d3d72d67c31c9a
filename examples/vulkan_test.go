package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
)

// varying is what the examples print that is another text at each run or on each device.
var varying = regexp.MustCompile(`trained in .*|\b(cpu|vulkan:0)\b`)

// TestVulkan: examples print the same on a Vulkan device as on the CPU.
func TestVulkan(t *testing.T) {
	testenv.Elsewhere(t)
	threadtest.NeedsVulkan(t)
	for _, name := range []string{"vectoradd", "histogram", "softmax", "layernorm", "attention", "gemm", "digits"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "digits" {
				t.Skip("short runs take one example")
			}
			program := filepath.Join(t.TempDir(), name)
			if out, err := exec.Command("go", "build", "-o", program, "./"+name).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var texts [2]string
			for i, device := range []string{"cpu", "vulkan:0"} {
				cmd := exec.Command(program)
				cmd.Env = append(os.Environ(), "CUTILE_DEVICE="+device)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", device, err, out)
				}
				texts[i] = varying.ReplaceAllString(string(out), "…")
			}
			if texts[0] != texts[1] {
				t.Errorf("on the CPU\n%s\non Vulkan\n%s", texts[0], texts[1])
			}
		})
	}
}
