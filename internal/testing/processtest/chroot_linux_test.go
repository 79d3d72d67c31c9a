package processtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestEmptyChroot runs static programs where there is no other file: the program of this package, and an example.
func TestEmptyChroot(t *testing.T) {
	testenv.Slow(t)
	if os.Getuid() != 0 {
		if testenv.Required("root") {
			t.Fatal("CUTILE_REQUIRE asks for root, which chroot needs")
		}
		t.Skip("chroot needs root")
	}
	static := func(pkg string) *exec.Cmd {
		bin := buildPackage(t, pkg, ".", []string{"CGO_ENABLED=0"}, "-tags=nocuda,novulkan", "-trimpath", "-ldflags=-s -w")
		text, err := os.ReadFile(bin)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "program"), text, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/program")
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir}
		return cmd
	}
	check(t, static(program), true)
	example := static("github.com/cutile-go/cutile/examples/vectoradd")
	example.Env = []string{}
	if out, err := example.CombinedOutput(); err != nil || !strings.Contains(string(out), "relative error") {
		t.Errorf("example vectoradd: %v\n%s", err, out)
	}
}
