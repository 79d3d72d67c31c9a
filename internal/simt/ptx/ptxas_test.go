package ptx_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// assemble gives PTX to ptxas, which makes code for an architecture, reports each line that it refuses.
func assemble(t *testing.T, text []byte, target, code string, options ...string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-arch", code, "-o", filepath.Join(dir, "k.cubin"), file}, options...)
	out, err := exec.Command(testenv.Tool(t, "ptxas"), args...).CombinedOutput()
	if err == nil {
		return
	}
	lines := strings.Split(string(text), "\n")
	for _, m := range regexp.MustCompile(`line (\d+); (error|fatal) *: (.*)`).FindAllStringSubmatch(string(out), 100) {
		if n, _ := strconv.Atoi(m[1]); n <= len(lines) {
			t.Errorf("%s: line %d: %s: %s", target, n, strings.TrimSpace(lines[n-1]), m[3])
		}
	}
	if !t.Failed() {
		t.Errorf("%s: %v: %s", target, err, out)
	}
}

// versions are architectures with versions of PTX that are older than the usual ones: the oldest of some targets, and of the
// drivers' those that came with many instructions.
var versions = []struct {
	target string
	ptx    int
}{
	{"sm_75", 63}, {"sm_75", 74}, {"sm_80", 70}, {"sm_80", 74}, {"sm_89", 78}, {"sm_90", 78}, {"sm_90a", 80}, {"sm_90a", 87}, {"sm_120a", 92},
}

// older gives an architecture with another version of PTX.
func older(t *testing.T, target string, version int) simt.Arch {
	t.Helper()
	arch, err := simt.TargetOf(target)
	if err == nil {
		arch, err = arch.ForPTX(version)
	}
	if err != nil {
		t.Fatal(err)
	}
	return arch
}

// TestEveryForm gives every instruction of the table, with every sort of operand, to NVIDIA's assembler: all to the part
// that reads, and some to the part that makes code, which takes longer. Of targets that hardly differ, one has all.
func TestEveryForm(t *testing.T) {
	testenv.Tool(t, "ptxas")
	all := map[string]bool{"sm_75": true, "sm_80": true, "sm_89": true, "sm_90a": true, "sm_100a": true, "sm_121a": true}
	for _, name := range ptx.Targets() {
		t.Run(name, func(t *testing.T) {
			arch, _ := simt.TargetOf(name)
			every := 11
			if all[name] {
				every = 1
			}
			assembles(t, arch, every, strings.Replace(name, "sm", "compute", 1))
			assembles(t, arch, 97, name, "-O0")
		})
	}
	for _, v := range versions {
		t.Run(fmt.Sprintf("%s/%d", v.target, v.ptx), func(t *testing.T) {
			assembles(t, older(t, v.target, v.ptx), 13, strings.Replace(v.target, "sm", "compute", 1))
		})
	}
}

// assembles gives one in every so many instructions of an architecture to NVIDIA's assembler.
func assembles(t *testing.T, arch simt.Arch, every int, code string, options ...string) {
	t.Helper()
	for _, m := range everything(arch, every) {
		text, err := ptx.WriteArch(m, arch, false)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(".version %d.%d\n.target %s", arch.PTX/10, arch.PTX%10, arch.Name); !strings.HasPrefix(string(text), want) {
			t.Fatalf("the text begins with %.40q, want %q", text, want)
		}
		assemble(t, text, arch.Name, code, options...)
	}
}
