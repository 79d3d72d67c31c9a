package cpu_test

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cutile-go/cutile/internal/engine/cpu"
)

// TestNoMoreCode: the same where Linux itself refuses it from some moment on, in a process of its own. Products have mappings
// of their own.
func TestNoMoreCode(t *testing.T) {
	const child = "CUTILE_CPU_NO_MORE_CODE"
	if !machineCode() {
		t.Skip("the machine has no machine code")
	}
	if os.Getenv(child) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNoMoreCode$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	d := newDevice(t, cpu.Options{})
	k := squareProduct(t, 16)
	if !cpu.HasCode(k.compile(d)) {
		t.Fatal("the kernel has no machine code")
	}
	const refuseExecGain = 1
	if err := unix.Prctl(unix.PR_SET_MDWE, refuseExecGain, 0, 0, 0); err != nil {
		t.Skip("Linux before 6.3: ", err)
	}
	checkMapped(t, d, false)
}
