package processtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestEmptyChroot runs the static program where there is no other file.
func TestEmptyChroot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("chroot needs root")
	}
	bin := build(t, ".", []string{"CGO_ENABLED=0"}, "-tags=nocuda", "-trimpath", "-ldflags=-s -w")
	dir := t.TempDir()
	text, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "program"), text, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/program")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir}
	check(t, cmd, true)
}
