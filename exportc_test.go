//go:build !nocuda && linux && (amd64 || arm64)

package cutile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tile"
)

var strict = []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-Itestdata/export"}

// compileC makes a program of C, or with flags for no output only checks it.
func compileC(t *testing.T, cc string, args ...string) {
	t.Helper()
	if out, err := exec.Command(cc, append(slices.Clone(strict), args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", cc, args, err, out)
	}
}

// TestExportC runs an exported kernel by a program of C, which a C library serves in place of the driver, beside the same launch in Go.
func TestExportC(t *testing.T) {
	cc, dir := testenv.CC(t), t.TempDir()
	spec := cutile.SpecOf[float32](64)
	must(t, cutile.Export(t.Context(), dir, []string{"own:sm_75"}, doubled[tile.D16], spec, spec))
	compileC(t, cc, "-Wno-unused-parameter", "-Wno-pedantic", "-shared", "-fPIC", "-DDOUBLE", "-o", filepath.Join(dir, "libcuda.so.1"), "internal/driver/cudrv/testdata/driver.c")
	program := filepath.Join(dir, "double")
	compileC(t, cc, "-std=c99", "-I"+dir, "-o", program, "testdata/export/double.c", filepath.Join(dir, "libcuda.so.1"), "-Wl,-rpath,"+dir)
	out, err := exec.Command(program, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	dev := open(t)
	x, z := must1(cutile.Arange[float32](dev, 0, 64, 1))(t), zeros[float32](t, dev, 64)
	must(t, cutile.Launch(t.Context(), dev, doubled[tile.D16], x, z))
	want := ""
	for _, v := range must1(z.Slice())(t) {
		want += fmt.Sprintf("%g ", v)
	}
	if want += "\n1 1 1 1 1 1 0\n"; string(out) != want {
		t.Errorf("the program prints\n%s, want\n%s", out, want)
	}
}

// described is what a test needs of the manifest.
type described struct {
	Version int
	Kernels []engine.Interface
	Files   []cuda.ManifestFile
}

func (d *described) kernel(t *testing.T, symbol string, exact bool) *engine.Interface {
	t.Helper()
	i := slices.IndexFunc(d.Kernels, func(k engine.Interface) bool { return k.Symbol == symbol && (k.ExactGrid != nil) == exact })
	if i < 0 {
		t.Fatalf("the manifest has no kernel %s", symbol)
	}
	return &d.Kernels[i]
}

// TestExportHeader exports many kernels, and calls each from C with the arguments that a driver gets of a launch in Go: the C side passes
// the same grid, block and bits.
func TestExportHeader(t *testing.T) {
	cc, dir := testenv.CC(t), t.TempDir()
	var got []*fake.Launch
	gpu := &simttest.GPU{Device: fake.Device{Major: 7, Minor: 5}, CUDA: 11040, After: func(l *fake.Launch) {
		kept := *l
		kept.Args = slices.Clone(l.Args) // which the driver uses again
		got = append(got, &kept)
	}}
	ptxGPU(t, gpu)
	dev, err := cutile.Open("cuda")
	must(t, err)
	defer dev.Close()
	x, z := ramp(t, dev, 100), zeros[float32](t, dev, 100)
	m, n := ramp(t, dev, 6, 8), zeros[float32](t, dev, 6, 8)
	half := must1(cutile.NewTensor[float32](dev, 100))(t).Narrow(0, 3, 70)
	four, out4 := ramp(t, dev, 3, 2, 5, 7), zeros[float32](t, dev, 3, 2, 5, 7)
	bins := zeros[int32](t, dev, 200)
	ints := must1(cutile.Arange[int32](dev, 0, 64, 1))(t)
	for _, c := range []struct {
		on     cutile.Target
		kernel any
		args   []any
	}{
		{dev, scale[tile.D16], []any{x, float32(2.5), z}},
		{dev, scale[tile.D16], []any{x.Narrow(0, 1, 71), float32(-2), half.Narrow(0, 0, 67)}}, // other facts
		{dev, addMatrix[tile.D4, tile.D8], []any{m, m, n}},
		{dev, addMatrix[tile.D2, tile.D2], []any{m.T(), m.T(), n.T()}},
		{dev, extents, []any{four, out4}},
		{dev, twoOuts[tile.D16], []any{x, half, half2(t, dev)}},
		{dev, addSame, []any{m, m, n}},
		{dev, reserved[tile.D16], []any{x, int16(-3), uint64(1) << 40, limits{1.5, -7, [2]bool{true, false}, 3}, 2.25, z}},
		{dev, doubled[tile.D16], []any{x.Narrow(0, 0, 64), z.Narrow(0, 0, 64)}},
		{dev.Grid(16), countTo, []any{ints, bins, int32(-2)}},
		{dev.Grid(3), countBlocks[tile.D4], []any{bins}},
	} {
		must(t, cutile.Export(t.Context(), dir, []string{"own:sm_75", "13.4"}, c.kernel, c.args...))
		must(t, cutile.Launch(t.Context(), c.on, c.kernel, c.args...))
		must(t, dev.Sync(t.Context()))
	}
	var d described
	text := must1(os.ReadFile(filepath.Join(dir, "manifest.json")))(t)
	must(t, json.Unmarshal(text, &d))
	if strings.Contains(string(text), "null") || strings.Contains(string(text), `\u00`) {
		t.Errorf("the manifest says null, or escapes signs:\n%s", text)
	}

	if d.kernel(t, "cutile_test_doubled_D16", true).Grids == nil || d.kernel(t, "cutile_test_countTo", false).Grids != nil {
		t.Errorf("the grids are wrong:\n%s", text)
	}
	if n := len(d.kernel(t, "cutile_test_addSame", false).Equal); n != 4 {
		t.Errorf("addSame wants %d numbers to be equal, want 4", n)
	}
	for _, f := range d.Files {
		if !slices.ContainsFunc(d.Kernels, func(k engine.Interface) bool { return k.Code == f.Code && k.Symbol == f.Kernel }) {
			t.Errorf("nothing says how %s is launched", f.File)
		}
	}
	var body, want strings.Builder
	header := string(must1(os.ReadFile(filepath.Join(dir, "kernels.h")))(t))
	if len(got) != 11 {
		t.Fatalf("%d launches", len(got))
	}
	for i, l := range got {
		callC(t, &d, header, i, l, &body, &want)
	}
	source := filepath.Join(dir, "calls.c")
	must(t, os.WriteFile(source, []byte(strings.Replace(callsC, "CALLS", body.String(), 1)), 0o644))
	program := filepath.Join(dir, "calls")
	compileC(t, cc, "-std=c99", "-I"+dir, "-o", program, source)
	out, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != want.String() {
		t.Errorf("C passes\n%s, want\n%s", out, want.String())
	}
	if cxx, err := exec.LookPath("g++"); err == nil {
		plain := filepath.Join(dir, "plain.cc")
		must(t, os.WriteFile(plain, []byte("#include \"kernels.h\"\n#include \"kernels.h\"\nint main() { return 0; }\n"), 0o644))
		compileC(t, cxx, "-std=c++11", "-I"+dir, "-fsyntax-only", plain)
	}
}

// half2 is a tensor of 67 elements.
func half2(t *testing.T, dev *cutile.Device) *cutile.Tensor[float32] {
	return must1(cutile.NewTensor[float32](dev, 67))(t)
}

// callsC is a program whose cuLaunchKernel prints what it gets.
const callsC = `
#include <stdio.h>
#include <string.h>
#include "kernels.h"

static const int *sizes;

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s,
                        void **params, void **extra)
{
	int i;
	printf("%d %d grid %u %u %u block %u %u %u shared %u:", f != NULL && s == NULL, extra == NULL, gx, gy, gz, bx, by, bz, shared);
	for (i = 0; params[i]; i++) {
		unsigned long long v = 0;
		memcpy(&v, params[i], (size_t)sizes[i]);
		printf(" %llx", v);
	}
	printf("\n");
	return CUDA_SUCCESS;
}

int main(void)
{
CALLS
	return 0;
}
`

// callC writes the call of C for a launch, and what it has to print: the launch, and a refusal for each value that is changed.
func callC(t *testing.T, d *described, header string, n int, l *fake.Launch, body, want *strings.Builder) {
	t.Helper()
	found := false
	for i := range d.Kernels {
		k := &d.Kernels[i]
		if k.Symbol != l.Kernel || len(k.Params) != len(l.Args) || !fitsArgs(k, l) {
			continue
		}
		name := k.Symbol
		if !strings.Contains(header, "CUresult "+name+"_launch(") {
			name += "_" + k.Code[:8]
		}
		if k.ExactGrid != nil {
			name = k.Symbol + "_exact_" + k.Code[:8]
		}
		grid := ""
		if len(k.Grids) == 0 {
			grid = fmt.Sprintf("(unsigned[3]){%d, %d, %d}, ", l.Grid[0], l.Grid[1], l.Grid[2])
		}
		on := func(grid string) string {
			return fmt.Sprintf("%s_launch((CUfunction)&sizes, %[1]s_code(NULL), NULL, %s&a)", name, grid)
		}
		call := on(grid)
		fmt.Fprintf(body, "\t{\n\t\tstatic const int s[] = {")
		for _, p := range k.Params {
			fmt.Fprintf(body, "%d, ", p.Size)
		}
		fmt.Fprintf(body, "0};\n\t\t%s_args a;\n\t\tunsigned long long v;\n\t\tsizes = s;\n", name)
		set := func(p *engine.CallParam, bits uint64) {
			fmt.Fprintf(body, "\t\tv = %#xull;\n\t\tmemcpy(&a.%s, &v, sizeof a.%[2]s);\n", bits, p.Name)
		}
		for j := range k.Params {
			set(&k.Params[j], l.Args[j])
		}
		fmt.Fprintf(body, "\t\tprintf(\"%d %%d\\n\", %s);\n", n, call)
		fmt.Fprintf(want, "1 1 grid %d %d %d block %d %d %d shared %d:", l.Grid[0], l.Grid[1], l.Grid[2], l.Block[0], l.Block[1], l.Block[2], l.Shared)
		for j, p := range k.Params {
			fmt.Fprintf(want, " %x", l.Args[j]&(1<<(8*p.Size)-1))
		}
		fmt.Fprintf(want, "\n%d 0\n", n)
		for range k.Persistent { // which takes grids of one axis
			for _, grid := range []string{"(unsigned[3]){3, 2, 1}, ", "(unsigned[3]){3, 1, 2}, ", "(unsigned[3]){0, 1, 1}, "} {
				fmt.Fprintf(body, "\t\tprintf(\"grid %%d\\n\", %s);\n", on(grid))
				fmt.Fprintf(want, "grid 1\n")
			}
		}
		for j := range k.Params {
			p := &k.Params[j]
			wrong := uint64(0)
			switch exact := k.ExactGrid != nil && p.Kind != engine.PointerParam && p.C[0] != 'f' && p.C[0] != 'd'; {
			case p.Type == "bool":
				wrong = 2
			case p.Equals != nil || exact: // by so much that it stays a multiple
				wrong = l.Args[j] + 16
			case p.Multiple > 1:
				wrong = l.Args[j] + 1
			case p.Nonnegative:
				wrong = 1 << (8*p.Size - 1)
			default:
				continue
			}
			set(p, wrong)
			fmt.Fprintf(body, "\t\tprintf(\"%s %%d\\n\", %s);\n", p.Name, call)
			fmt.Fprintf(want, "%s 1\n", p.Name)
			set(p, l.Args[j])
		}
		for _, q := range k.Equal {
			j := slices.IndexFunc(k.Params, func(p engine.CallParam) bool { return p.Name == q.Params[0] })
			set(&k.Params[j], l.Args[j]+16)
			fmt.Fprintf(body, "\t\tprintf(\"equal %%d\\n\", %s);\n", call)
			fmt.Fprintf(want, "equal 1\n")
			set(&k.Params[j], l.Args[j])
		}
		fmt.Fprintf(body, "\t}\n")
		found = true
	}
	if found {
		return
	}
	t.Errorf("nothing of the manifest fits launch %d, of %s", n, l.Kernel)
}

// fitsArgs reports whether the arguments of a launch are as the manifest wants them, and its code was the last that was described for it.
func fitsArgs(k *engine.Interface, l *fake.Launch) bool {
	for i, p := range k.Params {
		unused := 64 - 8*p.Size
		v := int64(l.Args[i]<<unused) >> unused
		if p.Multiple > 1 && v%int64(p.Multiple) != 0 || p.Equals != nil && v != *p.Equals || p.Nonnegative && v < 0 {
			return false
		}
	}
	return true
}
