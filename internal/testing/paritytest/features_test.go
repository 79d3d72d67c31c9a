package paritytest_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir/text"
)

// lineOf is the line of features_kernels_test.go that ends with a comment.
func lineOf(t *testing.T, comment string) int {
	t.Helper()
	for i, line := range strings.Split(fileText(t, "features_kernels_test.go"), "\n") {
		if strings.HasSuffix(line, "// "+comment) {
			return i + 1
		}
	}
	t.Fatalf("no line with the comment %q", comment)
	return 0
}

// TestFaultTellsCalls: a kernel that fails in a helper of a helper says where, and by which calls it came there.
func TestFaultTellsCalls(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	long, short := tensor[float32](t, dev, 5, 5, 5), tensor[float32](t, dev, 3, 4, 6)
	z := tensor[float32](t, dev, 0, 0, 0)
	if err := cutile.Launch(t.Context(), dev, legs[d2], long, short, z); err != nil {
		t.Fatal(err)
	}
	_, err = z.Slice()
	var e *cutile.Error
	if !errors.As(err, &e) || e.Pos.Line != lineOf(t, "fails") || e.Block != [3]int{1, 0, 0} || !strings.Contains(e.Message, "the root of less than nothing") {
		t.Fatalf("got %+v", err)
	}
	tellsCalls(t, err, "calls", "launched")
}

// tellsCalls holds that an error ends with the calls in the lines that have some comments.
func tellsCalls(t *testing.T, err error, comments ...string) {
	t.Helper()
	var calls []string
	for _, line := range strings.Split(err.Error(), "\n") {
		if at, ok := strings.CutPrefix(line, "\tcalled at "); ok {
			calls = append(calls, at)
		}
	}
	if len(calls) != len(comments) {
		t.Fatalf("got\n%v\nwant %d calls", err, len(comments))
	}
	for i, comment := range comments {
		if want := fmt.Sprintf("features_kernels_test.go:%d:", lineOf(t, comment)); !strings.Contains(calls[i], want) {
			t.Errorf("call %d: got\n%v\nwant %s", i, err, want)
		}
	}
}

// TestMistakeTellsCalls: a mistake in a helper of a helper says where, and by which calls the kernel comes there.
func TestMistakeTellsCalls(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x := tensor[float32](t, dev, 1, 2)
	err = cutile.Launch(t.Context(), dev, mistaken[d2], x, tensor[float32](t, dev, 0, 0))
	var e *cutile.Error
	if !errors.As(err, &e) || e.Stage != cutile.StageLower || e.Pos.Line != lineOf(t, "mistaken") {
		t.Fatalf("got %+v", err)
	}
	tellsCalls(t, err, "folds", "begins")
}

func tensor[E dtype.Elem](t *testing.T, dev *cutile.Device, data ...E) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.FromSlice(dev, data)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestLinesInMachineCode: what is exported for a GPU says which line of the source an instruction belongs to, in functions
// that were inlined, too.
func TestLinesInMachineCode(t *testing.T) {
	nvdisasm := testenv.Tool(t, toolchain.Nvdisasm)
	testenv.Tool(t, toolchain.Tileiras)
	dir, spec := t.TempDir(), cutile.SpecOf[float32](1000)
	if err := cutile.Export(t.Context(), dir, []string{"sm_90"}, legs[d64], spec, spec, spec); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.cubin"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	out, errs, err := toolchain.Command{Path: nvdisasm, Args: []string{"-g", "-c", files[0]}}.Run(t.Context())
	if err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	code := map[int]string{} // by line
	place, line := regexp.MustCompile(`## File ".*/features_kernels_test\.go", line (\d+)`), 0
	for text := range strings.Lines(string(out)) {
		if m := place.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			continue
		}
		code[line] += text
	}
	for comment, instruction := range map[string]string{"roots": "MUFU.RSQ", "calls": "FADD", "launched": "STG"} {
		if got := code[lineOf(t, comment)]; !strings.Contains(got, instruction) {
			t.Errorf("line %d has no %s:\n%s", lineOf(t, comment), instruction, got)
		}
	}
}

// TestCallsInMachineCode: with CUTILE_DEBUG=variables, code of our own compiler says by which calls its lines were inlined.
func TestCallsInMachineCode(t *testing.T) {
	nvdisasm := testenv.Tool(t, toolchain.Nvdisasm)
	testenv.Tool(t, toolchain.Ptxas)
	t.Setenv("CUTILE_ASSEMBLER", "own")
	spec := cutile.SpecOf[float32](1000)
	for asked, kernel := range map[string]any{"": legs[tile.D16], "variables": legs[tile.D32]} { // a process compiles a kernel once
		t.Setenv("CUTILE_DEBUG", asked)
		dir := t.TempDir()
		if err := cutile.Export(t.Context(), dir, []string{"sm_90"}, kernel, spec, spec, spec); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.cubin"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		out, errs, err := toolchain.Command{Path: nvdisasm, Args: []string{"-gi", "-c", files[0]}}.Run(t.Context())
		if err != nil {
			t.Fatalf("%v: %s", err, errs)
		}
		text := regexp.MustCompile(`".*?/features_kernels_test\.go"`).ReplaceAllString(string(out), "FILE")
		roots, calls, launched := lineOf(t, "roots"), lineOf(t, "calls"), lineOf(t, "launched")
		chain := fmt.Sprintf("## File FILE, line %d inlined at FILE, line %d\n\t//## File FILE, line %d inlined at FILE, line %d\n", roots, calls, calls, launched)
		if got := strings.Contains(text, chain); got != (asked != "") {
			t.Errorf("CUTILE_DEBUG=%s: there is\n%s: %v, in\n%s", asked, chain, got, text)
		}
	}
}

// TestAtomicsThroughViews: blocks that meet fold their tiles into one by atomic operations on its view.
func TestAtomicsThroughViews(t *testing.T) {
	m := module(t, meets[d4], nil)
	has(t, m, "atomic_red_view_tko relaxed device", 2)
	if n := len(named(m, "load_view_tko")) + len(named(m, "atomic_rmw_tko")); n != 1 {
		t.Errorf("%d loads and atomics through pointers, want the load of x alone, in\n%v", n, text.Sprint(m))
	}
	dev, err := cutile.Open("cpu", cutile.WithWorkers(4), cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const blocks = 500
	data, total, most := make([]int32, 4*blocks), make([]int32, 4), []int32{3, 600, 3, 3}
	sum, peak := tensor(t, dev, total...), tensor(t, dev, most...)
	for i := range data {
		data[i] = int32(i*i%1009 - 500)
		total[i%4] += data[i]
		most[i%4] = max(most[i%4], data[i])
	}
	if err := cutile.Launch(t.Context(), dev.Grid(blocks), meets[d4], tensor(t, dev, data...), sum, peak); err != nil {
		t.Fatal(err)
	}
	for want, got := range map[*[]int32]*cutile.Tensor[int32]{&total: sum, &most: peak} {
		if v, err := got.Slice(); err != nil || !slices.Equal(v, *want) {
			t.Errorf("got %v, %v, want %v", v, err, *want)
		}
	}
}
