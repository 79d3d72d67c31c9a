package graph_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

// dumped are the graphs of the tests, by the names of their golden files.
var dumped = map[string]func(*graph.Graph) []*graph.Value{"layer": layer, "attended": attended, "looked": looked}

// compiled compiles a graph of the tests for the CPU.
func compiled(t *testing.T, build func(*graph.Graph) []*graph.Value) (*device.Device, *graph.Program) {
	t.Helper()
	g := graph.New()
	return compiledOf(t, g, build(g))
}

func compiledOf(t *testing.T, g *graph.Graph, results []*graph.Value) (*device.Device, *graph.Program) {
	t.Helper()
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	p, err := g.Compile(t.Context(), dev, results...)
	if err != nil {
		t.Fatal(err)
	}
	return dev, p
}

func dump(t *testing.T, p *graph.Program, stage graph.Stage) string {
	t.Helper()
	var b strings.Builder
	if err := p.Dump(&b, stage); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDump compares the stages with golden files; the Tile IR, which is long, with what the names of its entries must be.
func TestDump(t *testing.T) {
	for name, build := range dumped {
		_, p := compiled(t, build)
		var b strings.Builder
		for _, stage := range []graph.Stage{graph.StageGraph, graph.StageFused, graph.StageCost} {
			fmt.Fprintf(&b, "==== %s ====\n\n%s\n", stage, dump(t, p, stage))
		}
		file := filepath.Join("testdata", "dump-"+name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s differs; -update writes it anew. The dump is\n%s", file, &b)
		}
	}
}

var kernelHead = regexp.MustCompile(`(?m)^kernel (\d+) (\w+)\(`)

// TestDumpIR reads the Tile IR of all kernels, also those in loops and choices, and finds each kernel of the stage before it.
func TestDumpIR(t *testing.T) {
	for name, build := range dumped {
		_, p := compiled(t, build)
		fused := strings.Split(dump(t, p, graph.StageFused), ":\n\n")
		for i, section := range strings.Split(dump(t, p, graph.StageTileIR), ":\n\n") {
			entries := 0
			for _, source := range strings.Split(section, "// kernel")[1:] {
				source = source[strings.IndexByte(source, '\n'):]
				if i := strings.Index(source, "\n\nthe "); i >= 0 { // of the next section
					source = source[:i]
				}
				m, err := text.Parse(source, text.ParseOptions{})
				if err == nil {
					err = tileir.Verify(m, tileir.Newest)
				}
				if err != nil {
					t.Errorf("%s: %v in\n%s", name, err, source)
					continue
				}
				entries += len(m.Entries)
			}
			heads := kernelHead.FindAllStringSubmatch(fused[i], -1)
			for _, h := range heads {
				if !strings.Contains(section, "entry @"+h[2]+"(") {
					t.Errorf("%s: the Tile IR lacks kernel %s, %s", name, h[1], h[2])
				}
			}
			if entries == 0 && len(heads) > 0 || entries > len(heads) {
				t.Errorf("%s: section %d has %d entries for %d kernels", name, i, entries, len(heads))
			}
		}
	}
}

// cost is what a line of the stage cost says.
type cost struct{ ops, read, written int64 }

// costs reads the lines of the first table of the stage cost, and what each is about.
func costs(t *testing.T, dumped string) (numbers []cost, about []string) {
	t.Helper()
	first, _, _ := strings.Cut(dumped, "intensity")
	lines := strings.Split(strings.TrimSuffix(first, "\n"), "\n")
	var ends []int // of the columns
	for _, title := range []string{"operations", "bytes read", "bytes written"} {
		ends = append(ends, strings.Index(lines[0], title)+len(title))
	}
	for _, line := range lines[1:] {
		numbers = append(numbers, cost{number(t, line[:ends[0]]), number(t, line[ends[0]:ends[1]]), number(t, line[ends[1]:ends[2]])})
		about = append(about, line[ends[2]+2:])
	}
	return numbers, about
}

// TestDumpCost compares numbers with those that were computed by hand, and the sum of a kernel's operations with the kernel.
func TestDumpCost(t *testing.T) {
	for _, c := range []struct {
		build func(*graph.Graph) []*graph.Value
		what  string
		want  cost
	}{
		{layer, "kernel 1 dot_add_max", cost{2*4*4*8 + 4*4 + 4*4, 4 * (4*8 + 8*4 + 4), 4 * 4 * 4}},
		{layer, "%5 dot float32[4 4]", cost{2 * 4 * 4 * 8, 4 * (4*8 + 8*4), 0}},
		{layer, "%6 broadcast float32[4 4]", cost{0, 4 * 4, 0}},
		{layer, "%7 add float32[4 4]", cost{4 * 4, 0, 0}},
		{layer, "%10 max float32[4 4]", cost{4 * 4, 0, 4 * 4 * 4}},
		{layer, "kernel 2 reduce_sum, run", cost{2 * 4, 4 * 2 * 4, 4 * 4}},
		{layer, "kernel 3 reduce_max_sub_exp", cost{6 * 4 * 4, 4 * (4*4 + 4), 4 * 4 * 4}},
		{layer, "a run: 2 kernels", cost{2*4*4*8 + 8*4*4, 4 * (4*8 + 8*4 + 4 + 4*4 + 4), 2 * 4 * 4 * 4}}, // without kernel 2
		{attended, "%17 dot float32[1 2 16 8]", cost{2*2*16*64*8 + 4*2*16*64, 4 * 2 * 64 * 8, 4 * 2 * 16 * 8}},
		{attended, "a run: 1 kernel", cost{2*2*2*16*64*8 + 5*2*16*64, 4 * 2 * (16 + 64 + 64) * 8, 4 * 2 * 16 * 8}},
		{looked, "%4 add int32[3]", cost{3, 4 * 3, 0}},
		{looked, "%5 gather float32[3 4]", cost{0, 4 * 3 * 4, 4 * 3 * 4}},
	} {
		_, p := compiled(t, c.build)
		numbers, about := costs(t, dump(t, p, graph.StageCost))
		i := slices.IndexFunc(about, func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), c.what) })
		if i < 0 || numbers[i] != c.want {
			t.Errorf("line %d, %s: the costs are %v of %q, expected %v", i, c.what, numbers, about, c.want)
		}
	}
	for name, build := range dumped {
		_, p := compiled(t, build)
		numbers, about := costs(t, dump(t, p, graph.StageCost))
		var rest cost // of a kernel without the operations so far
		for i, c := range numbers {
			if !strings.HasPrefix(about[i], "  %") {
				if rest != (cost{}) {
					t.Errorf("%s: the costs of a kernel's operations are %v less than its own, before line %d", name, rest, i)
				}
				rest = c
				continue
			}
			rest = cost{rest.ops - c.ops, rest.read - c.read, rest.written - c.written}
		}
	}
}

// TestDumpProfile compares the cost of a run with the numbers of a profile.
func TestDumpProfile(t *testing.T) {
	dev, p := compiled(t, layer)
	in, err := device.Full[float32](dev, 1, 4, 8)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := p.Profile(t.Context(), dev, in)
	if err != nil {
		t.Fatal(err)
	}
	var ops, bytes int64
	for _, k := range profile {
		ops, bytes = ops+k.Operations, bytes+k.Bytes
	}
	numbers, about := costs(t, dump(t, p, graph.StageCost))
	last := len(about) - 1
	want := fmt.Sprintf("a run: %d kernels", len(profile))
	if c := numbers[last]; ops != c.ops || bytes != c.read+c.written || about[last] != want {
		t.Errorf("a profile has %d operations and %d bytes, and the dump %v for %q", ops, bytes, c, about[last])
	}
}

func number(t *testing.T, digits string) int64 {
	t.Helper()
	if digits = strings.TrimSpace(digits); digits == "" {
		return 0
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// TestDumpErrors has a stage that there is not, and a writer that fails.
func TestDumpErrors(t *testing.T) {
	_, p := compiled(t, layer)
	want := `graph: there is no stage "asm": the stages are "graph", "fused", "cost", "ir"`
	if err := p.Dump(nil, "asm"); err == nil || err.Error() != want {
		t.Errorf("the error of an unknown stage is %v, expected %s", err, want)
	}
	for _, stage := range graph.Stages() {
		if err := p.Dump(full{}, stage); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("stage %s: a full disk gives %v", stage, err)
		}
	}
}
