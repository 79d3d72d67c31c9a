package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/toolbox/dump"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

const gemm = "Gemm[D64, tile.D64, D32]"

func TestDumpGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"dump-add.txt", []string{"Add[D1024]"}},
		{"dump-gemm.txt", []string{gemm, "-func", "epilogue=leak", "-stage", "source,types,ir", "-g"}},
		{"dump-facts.txt", []string{gemm, "-func", "epilogue=leak", "-stage", "types,ir", "-facts", "none,wide,a=align+stride.0+unit.1,b=all"}},
	} {
		golden(t, c.name, must(t, append([]string{"dump", kernelsDir}, c.args...)...))
	}
	for _, level := range []string{"avx512", "avx2"} {
		out := must(t, "dump", kernelsDir, "Add[D64]", "-stage", "native,asm", "-target", "cpu:"+level)
		before, entry, found := strings.Cut(out, "\nthe entry, ") // whose code is long
		if !found || strings.Count(entry, "\n") < 100 || !strings.Contains(entry, "kernels.go:22: addf") {
			t.Errorf("%s: the code of the entry is\n%s", level, entry)
		}
		golden(t, "dump-native-"+level+".txt", before)
	}
	golden(t, "dump-native-gemm.txt", must(t, "dump", kernelsDir, gemm, "-func", "epilogue=leak", "-stage", "native", "-target", "cpu:avx512"))
	golden(t, "dump-native-rows.txt", must(t, "dump", "./kernels/softmax", "Rows[float32, D1, D1024]", "-stage", "native", "-target", "cpu:avx512"))
	for _, arch := range []string{"sm_75", "sm_80"} {
		golden(t, "dump-own-"+arch+".txt", must(t, "dump", kernelsDir, "Add[D1024]", "-stage", "plan,threads,ptx", "-target", "own:"+arch))
	}
	golden(t, "dump-own-gemm.txt", must(t, "dump", kernelsDir, gemm, "-func", "epilogue=leak", "-stage", "layouts,plan", "-target", "own:sm_80"))
	reasons := ""
	for _, c := range []struct{ kernel, facts string }{{"Gemm[D8, D64, D32]", "all"}, {gemm, "none"}} {
		for _, arch := range []string{"sm_80", "sm_90a"} {
			reasons += arch + " " + must(t, "dump", kernelsDir, c.kernel, "-func", "epilogue=leak", "-facts", c.facts, "-stage", "plan", "-target", "own:"+arch)
		}
	}
	for _, arch := range []string{"sm_90", "sm_90a"} {
		reasons += arch + " " + must(t, "dump", "./kernels/moe", "Grouped[dtype.Float16, D64, D64, D64]", "-stage", "plan", "-target", "own:"+arch)
	}
	golden(t, "dump-own-reasons.txt", reasons)
	golden(t, "dump-own-gemm-sm_90a.txt", must(t, "dump", kernelsDir, gemm, "-func", "epilogue=leak", "-stage", "layouts,plan", "-target", "own:sm_90a"))
	golden(t, "dump-masks.txt", must(t, "dump", masksDir, "Masked[D16]", "-stage", "types,checks", "-facts", "wide,p=align"))
}

// TestDumpFiles reads the bytecode back, and compares it with the other stages.
func TestDumpFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	args := []string{"dump", kernelsDir, gemm, "-func", "epilogue=leak"}
	names := strings.Fields(must(t, append(args, "-o", dir)...))
	if i := slices.IndexFunc(dump.Stages(), func(s dump.Stage) bool { return s.Target != dump.AnyMachine }); len(names) != i {
		t.Fatalf("got files %q", names)
	}
	files := map[string]string{}
	for i, name := range names {
		if want := filepath.Join(dir, "kernels.Gemm_D64_D64_D32"+dump.Stages()[i].Ext); name != want {
			t.Errorf("got file %s, want %s", name, want)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[dump.Stages()[i].Name] = string(text)
	}
	for _, stage := range []string{"source", "types", "lowered", "ir"} {
		if out := must(t, append(args, "-stage", stage)...); out != files[stage] {
			t.Errorf("stage %s: %s", stage, firstDifference(out, files[stage]))
		}
	}
	data := []byte(files["bytecode"])
	code, out, errs := cutileWith(data, "disasm", "-")
	// Bytecode before 13.3 has no producer.
	if _, body, _ := strings.Cut(files["ir"], "\n"); code != exitOK || errs != "" || out != body {
		t.Errorf("disasm: exit code %d, %s, %s", code, errs, firstDifference(out, body))
	}
	if got := unhex(t, must(t, append(args, "-stage", "bytecode")...)); got != string(data) {
		t.Errorf("the hex dump has %d bytes that differ from the %d in the file", len(got), len(data))
	}
}

// unhex gives the bytes of a hex dump.
func unhex(t *testing.T, dumped string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(dumped) {
		if !strings.HasPrefix(line, "  ") {
			continue
		}
		digits := strings.Fields(strings.SplitN(line, "|", 2)[0])[1:]
		for _, d := range digits {
			const hex = "0123456789abcdef"
			b.WriteByte(byte(strings.IndexByte(hex, d[0])<<4 | strings.IndexByte(hex, d[1])))
		}
	}
	return b.String()
}

func TestDumpVersion(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		flag string
		want tileir.Version
	}{{"", tileir.V13_2}, {"13.1", tileir.V13_1}, {"13.3", tileir.V13_3}, {"13.4", tileir.V13_4}} {
		args := []string{"dump", kernelsDir, "Add[D64]", "-stage=bytecode", "-o", dir}
		if c.flag != "" {
			args = append(args, "-version", c.flag)
		}
		data, err := os.ReadFile(strings.TrimSpace(must(t, args...)))
		if err != nil {
			t.Fatal(err)
		}
		if _, v, err := bytecode.Read(data); err != nil || v != c.want {
			t.Errorf("-version %q: got version %v, %v, want %v", c.flag, v, err, c.want)
		}
	}
}

// TestDumpTools gives dumped bytecode to NVIDIA's tools.
func TestDumpTools(t *testing.T) {
	disassembler := testenv.Tool(t, toolchain.Tileirdisasm)
	tileiras, err := toolchain.Find(toolchain.Tileiras)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, kernel := range [][]string{{"Add[D1024]"}, {gemm, "-func", "epilogue=leak"}, {"Add[D64]", "-facts", "none,wide"}} {
		args := append([]string{"dump", kernelsDir, "-version", "13.4"}, kernel...)
		file := strings.TrimSpace(must(t, append(args, "-stage", "bytecode", "-o", dir)...))
		out, errs, err := toolchain.Command{Path: disassembler, Args: []string{file}}.Run(context.Background())
		if err != nil {
			t.Fatalf("%s: %v: %s", kernel[0], err, errs)
		}
		if text := must(t, append(args, "-stage", "ir")...); text != string(out) {
			t.Errorf("%s: tileirdisasm differs: %s", kernel[0], firstDifference(text, string(out)))
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if cubin, err := toolchain.Assemble(context.Background(), tileiras, data, "sm_90"); err != nil || !strings.HasPrefix(string(cubin), "\x7fELF") {
			t.Errorf("%s: tileiras: %v", kernel[0], err)
		}
	}
}

// TestDumpTargets shows what the assembler makes, by lines of the source.
func TestDumpTargets(t *testing.T) {
	testenv.Tool(t, toolchain.Tileiras)
	testenv.Tool(t, toolchain.Nvdisasm)
	dir := t.TempDir()
	args := []string{"dump", kernelsDir, gemm, "-func", "epilogue=leak", "-target", "sm_90"}
	names := strings.Fields(must(t, append(args, "-o", dir)...))
	stages := slices.DeleteFunc(dump.Stages(), func(s dump.Stage) bool { return s.Target != dump.AnyMachine && s.Target != dump.GPU })
	if !slices.EqualFunc(names, stages, func(name string, s dump.Stage) bool { return strings.HasSuffix(name, s.Ext) }) {
		t.Fatalf("got files %q", names)
	}
	if cubin, err := os.ReadFile(filepath.Join(dir, "kernels.Gemm_D64_D64_D32.cubin")); err != nil || !strings.HasPrefix(string(cubin), "\x7fELF") {
		t.Errorf("no cubin: %v", err)
	}
	for stage, want := range map[string]string{
		"remarks": `"cmd/cutile/testdata/kernels/kernels.go":36:9`,
		"sass":    `//## File "cmd/cutile/testdata/kernels/kernels.go", line 36`,
		"cubin":   " bytes for sm_90; -o writes them\n",
	} {
		if out := must(t, append(args, "-stage", stage, "-g")...); !strings.Contains(out, want) {
			t.Errorf("stage %s has no %s:\n%s", stage, want, out)
		}
	}
}

// TestDumpOwnTargets shows what ptxas makes of our own compiler's PTX, and hears what it spills.
func TestDumpOwnTargets(t *testing.T) {
	testenv.Tool(t, toolchain.Ptxas)
	testenv.Tool(t, toolchain.Nvdisasm)
	args := []string{"dump", "./examples/gemm", "gemm[D64, D64, D32]", "-target", "own:sm_90a"}
	for stage, want := range map[string]string{
		"sass":  `//## File "examples/gemm/main.go", line 27`,
		"cubin": " bytes for sm_90a; -o writes them\n",
	} {
		if code, out, errs := cutile(append(args, "-stage", stage, "-g")...); code != exitOK || errs != "" || !strings.Contains(out, want) {
			t.Errorf("stage %s: exit code %d, %q; it has no %s:\n%s", stage, code, errs, want, out)
		}
	}
	if code, _, errs := cutile(append(args, "-stage", "remarks")...); code != exitUsage || !strings.Contains(errs, "which -target own:sm_90a does without: the stage plan says") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	args[2] = "gemm[D256, D256, D32]"
	spills := regexp.MustCompile(`^note: kernel main_gemm_D256__D256__D32 spills registers to local memory, \d+ bytes by stores and \d+ bytes by loads in its code: smaller tiles need fewer registers\n$`)
	if code, _, errs := cutile(append(args, "-stage", "cubin,sass")...); code != exitOK || !spills.MatchString(errs) {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

func TestDumpErrors(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"./none", "Add"}, []string{"cutile dump: ", "none: no such file"}},
		{[]string{"go.mod", "Add"}, []string{"go.mod is not a folder: name the folder of a Go package"}},
		{[]string{empty, "Add"}, []string{"go list in " + empty, "go.mod"}},
		{[]string{kernelsDir, "Sub[D64]"}, []string{"testdata/kernels has no function Sub; its kernels are Add[B], Gemm[BM, BN, BK], Mixed[A, B], Unroll[A, B]"}},
		{[]string{kernelsDir + "/activation", "Sub"}, []string{"activation has no function Sub, and no kernel"}},
		{[]string{"./examples/cute/elementwise", "add"}, []string{"elementwise.go:26:1: add is a function of package cute, not a kernel of package tile: " +
			"cute.Jit makes a host function that runs, with the kernels it launches, and cute.Compile(…).Module() shows the compiled kernels"}},
		{[]string{"./examples/cute/elementwise", "addTile"}, []string{"elementwise.go:43:1: addTile is a function of package cute, not a kernel of package tile"}},
		{[]string{kernelsDir, "Add"}, []string{"kernels.go:20:1: Add: it takes type arguments for B, but 0 are given\n    func Add["}},
		{[]string{kernelsDir, "main.Add[D64]"}, []string{"the folder has package kernels (", "not package main of the kernel main.Add: name the folder of that one"}},
		{[]string{kernelsDir, "Add[D65]"}, []string{"D65 is declared neither in package"}},
		{[]string{kernelsDir, "Add[int]"}, []string{"int does not satisfy"}},
		{[]string{kernelsDir, gemm, "-func", "epilogue=swish"}, []string{"swish is declared neither in package"}},
		{[]string{kernelsDir, gemm, "-func", "epilogue=Add"}, []string{"it cannot be the parameter epilogue"}},
		{[]string{kernelsDir, gemm, "-func", "epilogue=unused"}, []string{"it cannot be the parameter epilogue"}},
		{[]string{kernelsDir, "Add[D64]", "-o", "go.mod"}, []string{"go.mod"}},
		{[]string{kernelsDir, "Unroll[D1, D1]", "-func", "f=leak"}, []string{"kernels.go:52:57: parameter z: tile.Quotient[tile.Product[tile.D1, tile.D1], tile.D2] is 1/2, which is not a whole number"}},
		{[]string{kernelsDir, "Unroll[D4, Quotient[D2, D4]]", "-func", "f=leak"}, []string{"kernels.go:52:28: parameter x: tile.Quotient[tile.D2, tile.D4] is 2/4, which is not a whole number"}},
	} {
		code, out, errs := cutile(append([]string{"dump"}, c.args...)...)
		for _, want := range c.want {
			if code != exitFailed || out != "" || !strings.Contains(errs, want) {
				t.Errorf("%q: exit code %d, %q, %q, want %q", c.args, code, out, errs, want)
			}
		}
	}
}

// TestDumpPrinted takes the names of kernels as messages have them: with the package, and types without theirs.
func TestDumpPrinted(t *testing.T) {
	for _, c := range []struct {
		folder, printed, typed string
		more                   []string
	}{
		{kernelsDir, "kernels.Gemm[D64, D64, D32]", gemm, []string{"-func", "epilogue=leak"}},
		{kernelsDir, "kernels.Unroll[D8, Quotient[D16, D4]]", "Unroll[D8, tile.Quotient[D16, tile.D4]]", []string{"-func", "f=leak"}},
		{"./kernels/moe", "Grouped[Float16, D64, D64, D64]", "Grouped[dtype.Float16, D64, D64, D64]", nil},
		{"./kernels/moe", "moe.Grouped[BFloat16, D64, D64, D64]", "Grouped[dtype.BFloat16, D64, D64, D64]", nil},
	} {
		got := must(t, append([]string{"dump", c.folder, c.printed, "-stage", "ir"}, c.more...)...)
		if want := must(t, append([]string{"dump", c.folder, c.typed, "-stage", "ir"}, c.more...)...); got != want {
			t.Errorf("%s: %s", c.printed, firstDifference(got, want))
		}
	}
}

// TestDumpMistake has a kernel with a mistake that only the compiler finds: what comes before it is shown all the same.
func TestDumpMistake(t *testing.T) {
	code, out, errs := cutile("dump", kernelsDir, "Mixed[D64, D32]")
	if code != exitFailed || !strings.Contains(out, "tile<64xi1>") || strings.Contains(out, "entry @") {
		t.Errorf("exit code %d, %s", code, out)
	}
	if want := "cmd/cutile/testdata/kernels/kernels.go:45:"; !strings.Contains(errs, want) || !strings.Contains(errs, "[64]") {
		t.Errorf("got %s, want %s", errs, want)
	}
}

// TestDumpDerived has extents that follow from others, also in the type arguments that are given.
func TestDumpDerived(t *testing.T) {
	for kernel, want := range map[string]string{
		"Unroll[D4, D8]": "Unroll_D4__D8(", "Unroll[Product[D2, tile.D2], D8]": "Unroll_Product_D2__D2___D8(",
	} {
		out := must(t, "dump", kernelsDir, kernel, "-func", "f=leak", "-stage", "types,ir")
		for _, part := range []string{want, "tile<4x8xf32>", "tile<4x4xf32>", "tile<16xf32>"} {
			if !strings.Contains(out, part) {
				t.Errorf("%s lacks %s:\n%s", kernel, part, out)
			}
		}
	}
}

// TestDumpWithoutGo has no go command in the PATH.
func TestDumpWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, _, errs := cutile("dump", kernelsDir, "Add[D64]")
	if want := "is not in the PATH: install Go"; code != exitFailed || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, %q, want %q", code, errs, want)
	}
}

// TestDumpAlias: a package that calls cutile.Alias is read as the other one, as in the program.
func TestDumpAlias(t *testing.T) {
	out := must(t, "dump", "./cmd/cutile/testdata/aliased", "Relu[D16]", "-stage", "ir")
	if n := strings.Count(out, "= maxf "); n != 2 {
		t.Errorf("%d maxima, want 2, in\n%s", n, out)
	}
}

// TestDumpStages: loops in a loop leave the room that the tile takes which is stored as boxes beside them, so that both are done.
func TestDumpStages(t *testing.T) {
	for _, c := range []struct{ arch, tiles, want string }{
		{"sm_120a", "D128, D128, D32", "by a warp of its own, 2 stages\n"}, {"sm_90a", "D128, D256, D64", "by a warp of its own, 2 stages\n"},
		{"sm_90a", "D128, D128, D64", "by a warp of its own, 3 stages\n"},
	} {
		out := must(t, "dump", "./kernels/gemm", "Persistent[Float16, float32, float32, "+c.tiles+"]", "-func", "f=Identity", "-stage", "plan", "-target", "own:"+c.arch)
		if strings.Count(out, c.want) != 2 || !strings.Contains(out, "; stored as a box\n") || strings.Contains(out, " turns ahead") {
			t.Errorf("%s, %s: want %q in\n%s", c.arch, c.tiles, c.want, out)
		}
	}
}

// TestDumpVulkan prints SPIR-V for a device that has everything, without a driver.
func TestDumpVulkan(t *testing.T) {
	out := must(t, "dump", kernelsDir, "Add[D1024]", "-stage", "spirv", "-target", "vulkan")
	for _, want := range []string{"OpMemoryModel PhysicalStorageBuffer64 Vulkan\n", `OpEntryPoint GLCompute %7 "kernels_Add_D1024" `, "OpExecutionMode %7 LocalSize 32 1 1\n",
		"OpExecutionMode %7 RoundingModeRTE 32\n", "= OpFAdd "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "= OpFAdd "); n != 32 { // elements of a thread
		t.Errorf("%d sums", n)
	}
	if !strings.Contains(out, " = OpTypeInt 64 0\n") || !strings.Contains(out, "= OpConvertUToPtr ") {
		t.Errorf("a device with integers of 64 bits does not get any in\n%s", out)
	}
	out = must(t, "dump", kernelsDir, "Add[D1024]", "-stage", "spirv", "-target", "vulkan:-shaderInt64,-shaderFloat64")
	if strings.Contains(out, "OpTypeInt 64") || strings.Contains(out, "OpCapability Int64") || !strings.Contains(out, "= OpBitcast ") {
		t.Errorf("a device without integers of 64 bits gets them in\n%s", out)
	}
	for target, want := range map[string]bool{"vulkan": true, "vulkan:-cooperativeMatrix": false, "vulkan:-shaderFloat16": false} {
		out := must(t, "dump", "./examples/gemm", "gemm[D128, D64, D32]", "-stage", "spirv", "-target", target)
		if strings.Contains(out, "= OpCooperativeMatrixMulAddKHR ") != want {
			t.Errorf("-target %s: there are matrices: %t\n%s", target, !want, out)
		}
	}
	code, _, errs := cutile("dump", "./examples/gemm", "gemm[D128, D64, D32]", "-stage", "spirv", "-target", "vulkan:-shaderInt16,-cooperativeMatrix")
	if code != exitFailed || !strings.Contains(errs, "examples/gemm/main.go:34:1: the device has no integers of 16 bits\n") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	for _, c := range [][2]string{{"", "the stage spirv needs -target, such as -target vulkan"}, {"vulkan:x", ""}, {"vulkan:-Int65", `there is no feature "-Int65"`},
		{"vulkan:-shaderInt64,shaderFloat64", `there is no feature "shaderFloat64"`}} {
		args := []string{"dump", kernelsDir, "Add[D1024]", "-stage", "spirv"}
		if c[0] != "" {
			args = append(args, "-target", c[0])
		}
		if code, _, errs := cutile(args...); code == exitOK || !strings.Contains(errs, c[1]) {
			t.Errorf("%v: exit code %d, %s", args, code, errs)
		}
	}
}
