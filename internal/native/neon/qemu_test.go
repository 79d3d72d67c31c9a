//go:build !arm64

package neon_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestQemu runs TestMachine in a program for arm64: the short one, unless CUTILE_REQUIRE asks for slow ones.
func TestQemu(t *testing.T) {
	qemu := testenv.Qemu(t)
	binary := filepath.Join(t.TempDir(), "neon.test")
	build := exec.Command("go", "test", "-c", "-tags", "nocuda,novulkan", "-o", binary, ".") // without both drivers programs are static
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	short := "-test.short=" + strconv.FormatBool(!testenv.Required("slow"))
	out, err := exec.Command(qemu, binary, "-test.run=^TestMachine$", "-test.v", short).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
