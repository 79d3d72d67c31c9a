//go:build !arm64

package neon_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestQemu runs the tests of this package as a program for arm64, on fewer random functions unless CUTILE_RANDOM says more.
func TestQemu(t *testing.T) {
	qemu := testenv.Qemu(t)
	binary := filepath.Join(t.TempDir(), "neon.test")
	build := exec.Command("go", "test", "-c", "-tags", "nocuda", "-o", binary, ".") // with nocuda programs are static
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(qemu, binary, "-test.v")
	run.Env = os.Environ()
	if os.Getenv("CUTILE_RANDOM") == "" {
		run.Env = append(run.Env, "CUTILE_RANDOM=60")
	}
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
