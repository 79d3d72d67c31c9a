package profile

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

var codeRE = regexp.MustCompile(`/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d+\s+)?([A-Z0-9_.]+)`)

// copies is a kernel with n copies of an instruction, each with operands of its own: x is read and written, y and z are read.
func copies(name, op, args string, n int) string {
	words := strings.Split(op, ".")
	reg, typ, size := "%r", "b32", 4
	if last := words[len(words)-1]; strings.HasSuffix(last, "64") {
		reg, typ, size = "%d", "b64", 8
	}
	text := fmt.Sprintf(".visible .entry %s(.param .u64 p) {\n.reg .%s %s<40>; .reg .b64 %%a; .reg .b32 %%s;\n"+
		"ld.param.u64 %%a, [p];\nld.global.b32 %%s, [%%a+4000];\n", name, typ, reg)
	for i := range 40 {
		text += fmt.Sprintf("ld.global.%s %s%d, [%%a+%d];\n", typ, reg, i, i*size)
	}
	for i := range n {
		y, z := fmt.Sprint(reg, 2*i+1), fmt.Sprint(reg, 2*i+2)
		text += op + " " + strings.NewReplacer("x", reg+"0", "y", y, "z", z, "s", "%s").Replace(args) + ";\n"
	}
	return text + fmt.Sprintf("st.global.%s [%%a+8000], %s0;\nret;\n}\n", typ, reg)
}

// machineCode counts the instructions of machine code beside loads and stores, by kernel.
func machineCode(t *testing.T, text string) map[string]int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k")
	if err := os.WriteFile(file+".ptx", []byte(".version 8.0\n.target sm_80\n.address_size 64\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(testenv.Tool(t, "ptxas"), "-arch", "sm_80", "-o", file+".cubin", file+".ptx").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(testenv.Tool(t, "nvdisasm"), "-c", file+".cubin").Output()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for i, section := range strings.Split(string(out), "\t.section\t.text.") {
		name, code, _ := strings.Cut(section, ",")
		for _, m := range codeRE.FindAllStringSubmatch(code, -1) {
			if head, _, _ := strings.Cut(m[1], "."); i > 0 && !slices.Contains([]string{"LDG", "STG", "NOP", "BRA", "EXIT"}, head) {
				count[name]++
			}
		}
	}
	return count
}

// TestWork compares the work of instructions with the machine code that ptxas makes of them: to a third of it and half an instruction.
func TestWork(t *testing.T) {
	testenv.Tool(t, "ptxas")
	list := map[string]string{
		"mul.lo.s32": "x, x, y", "mul.lo.s64": "x, x, y", "min.s64": "x, x, y", "shl.b64": "x, x, s", "bfe.u32": "x, x, y, z", "popc.b32": "x, x",
		"clz.b32": "x, x", "div.u32": "x, x, y", "div.s32": "x, x, y", "rem.s32": "x, x, y", "mul24.lo.s32": "x, x, y", "dp4a.s32.s32": "x, x, y, z",
		"prmt.b32": "x, x, y, z", "rcp.approx.f32": "x, x", "rsqrt.approx.ftz.f32": "x, x", "sqrt.approx.f32": "x, x", "div.full.f32": "x, x, y",
		"div.approx.f32": "x, x, y", "div.rn.f32": "x, x, y", "rcp.rn.f32": "x, x", "sqrt.rn.f32": "x, x", "ex2.approx.ftz.f32": "x, x",
		"lg2.approx.f32": "x, x", "sin.approx.f32": "x, x", "fma.rn.f64": "x, x, y, z", "div.rn.f64": "x, x, y", "rcp.rn.f64": "x, x", "sqrt.rn.f64": "x, x",
		"fma.rn.f16x2": "x, x, y, z", "tanh.approx.f16x2": "x, x",
	}
	text := ""
	name := func(op string, n int) string { return strings.ReplaceAll(op, ".", "_") + fmt.Sprintf("_%d", n) }
	for op, args := range list {
		for _, n := range []int{1, 9} {
			text += copies(name(op, n), op, args, n)
		}
	}
	count := machineCode(t, text)
	for op := range list {
		got := float64(count[name(op, 9)]-count[name(op, 1)]) / 8
		if want := classOf(op).issued; count[name(op, 1)] == 0 || math.Abs(got-want) > want/3+0.5 {
			t.Errorf("%s: %.1f instructions of machine code, %v in the table", op, got, want)
		}
	}
}
