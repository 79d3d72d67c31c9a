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
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestNeeds asks NVIDIA's assembler whether targets really lack what the table says they lack: of each instruction that a
// target has not, it must refuse the line.
func TestNeeds(t *testing.T) {
	testenv.Tool(t, "ptxas")
	for _, name := range []string{"sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120a"} {
		t.Run(name, func(t *testing.T) {
			arch, _ := simt.TargetOf(name)
			lacks(t, arch)
		})
	}
	for _, v := range versions {
		t.Run(fmt.Sprintf("%s/%d", v.target, v.ptx), func(t *testing.T) { lacks(t, older(t, v.target, v.ptx)) })
	}
}

// lacks demands that the assembler refuses each instruction that the table denies an architecture.
func lacks(t *testing.T, arch simt.Arch) {
	t.Helper()
	lines := lacking(arch)
	refused := refusals(t, lines, arch)
	for i, line := range lines {
		if !refused[i] {
			t.Errorf("%s with PTX %d takes %s", arch.Name, arch.PTX, line)
		}
	}
	t.Logf("%d instructions", len(lines))
}

// lacking gives each instruction that a target has not, as text.
func lacking(arch simt.Arch) []string {
	c := newCorpus(false)
	c.open()
	start := len(c.b.Body)
	for f := range simt.Forms() {
		for i := range f.Sigs {
			s := &f.Sigs[i]
			if reads, _ := s.Texture(); s.Since.In(arch) || reads && arch.PTX < 71 { // their dates are those of the newest operand
				continue
			}
			var ops []simt.Operand
			for i := range s.Dst {
				ops = append(ops, c.choices(&s.Dst[i], true, i, arch)[0])
			}
			for i := range s.Src {
				ops = append(ops, c.choices(&s.Src[i], false, i, arch)[0])
			}
			n := len(s.Dst)
			c.b.Emit(f.Op, ops[:n:n], ops[n:]...)
		}
	}
	syntax := simt.NewSyntax(c.b.Func)
	var lines []string
	for i := start; i < len(c.b.Body); i++ {
		lines = append(lines, syntax.Instr(&c.b.Body[i]))
	}
	return lines
}

// refusals says which instructions the assembler refuses. An instruction stands in a line of its own. After what it calls
// fatal the assembler reads no further, so that it gets the rest once more; a syntax error, which it does not call so, would
// show as lines that it takes.
func refusals(t *testing.T, lines []string, arch simt.Arch) map[int]bool {
	head := fmt.Sprintf(".version %d.%d\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n.visible .entry k()\n{\n"+
		".reg .pred %%p<16>;\n.reg .b16 %%rs<16>;\n.reg .b32 %%r<136>;\n.reg .b64 %%rd<16>;\n", arch.PTX/10, arch.PTX%10, arch.Name)
	file := filepath.Join(t.TempDir(), "k.ptx")
	refused := map[int]bool{}
	for start := 0; start < len(lines); {
		if err := os.WriteFile(file, []byte(head+strings.Join(lines[start:], ";\n")+";\nret;\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command(testenv.Tool(t, "ptxas"), "-arch", strings.Replace(arch.Name, "sm", "compute", 1), "-o", file+".cubin", file).CombinedOutput()
		first, end := start-strings.Count(head, "\n")-1, len(lines)
		for _, m := range regexp.MustCompile(`line (\d+); (error|fatal)`).FindAllStringSubmatch(string(out), -1) {
			n, _ := strconv.Atoi(m[1])
			refused[first+n] = true
			if m[2] == "fatal" && first+n >= start {
				end = first + n + 1
			}
		}
		start = end
	}
	return refused
}
