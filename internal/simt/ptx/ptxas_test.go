package ptx_test

import (
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

// TestEveryForm gives every instruction of the table, with every sort of operand, to NVIDIA's assembler: all to the part
// that reads, and some to the part that makes code, which takes longer. Of targets that hardly differ, one has all.
func TestEveryForm(t *testing.T) {
	testenv.Tool(t, "ptxas")
	all := map[string]bool{"sm_80": true, "sm_89": true, "sm_90a": true, "sm_100a": true, "sm_121a": true}
	for _, name := range ptx.Targets() {
		t.Run(name, func(t *testing.T) {
			arch, _ := simt.TargetOf(name)
			every := 11
			if all[name] {
				every = 1
			}
			for _, m := range everything(arch, every) {
				text, err := ptx.Write(m, name)
				if err != nil {
					t.Fatal(err)
				}
				assemble(t, text, name, strings.Replace(name, "sm", "compute", 1))
			}
			for _, m := range everything(arch, 97) {
				text, err := ptx.Write(m, name)
				if err != nil {
					t.Fatal(err)
				}
				assemble(t, text, name, name, "-O0")
			}
		})
	}
}
