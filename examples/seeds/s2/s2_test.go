package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// inSeed is how many listings the seed has.
const inSeed = 18

// wanted are lines that listings show, by hand from the seed and the language reference of Tile IR.
var wanted = map[int][]string{
	1:  {"tile<f32>, tile<f16>, tile<bf16>, tile<i32>, tile<i1>, tile<ptr<f32>>, tile<i32>, tile<i32>, tile<i32>, tile<i32>"},
	2:  {"tile<128x64xf32>"},
	3:  {"%1 = addi %arg1, %arg2 : tile<i32>"},
	8:  {"%tview = make_tensor_view %arg0, shape = [%arg1, %arg2], strides = [%arg3, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>"},
	9:  {"%1 = sqrt %tile  flush_to_zero : tile<1x128xf32>", "%2 = sqrt %1 rounding<zero> : tile<1x128xf32>", "%3 = sqrt %2 rounding<approx> flush_to_zero : tile<1x128xf32>"},
	10: {"%1 = cos %tile : tile<128xf32>"},
	13: {"step 5: partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>"},
	17: {"kernels.go:102:49: strings.Count cannot be used in a kernel: package strings has no registered source: of the standard library, a kernel can use only package math"},
}

// TestListings accounts for each listing: it has a title, a row in README.md and output, with the lines that must be there.
func TestListings(t *testing.T) {
	if len(listings) != inSeed {
		t.Fatalf("%d listings, the seed has %d", len(listings), inSeed)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range listings {
		if !strings.Contains(string(readme), "| "+l.title+" |") {
			t.Errorf("README.md has no row for %q", l.title)
		}
		var out bytes.Buffer
		if err := l.show(&out); err != nil {
			t.Fatalf("listing %d: %v", i+1, err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			got = append(got, strings.TrimSpace(line))
		}
		if len(got) == 0 {
			t.Errorf("listing %d shows nothing", i+1)
		}
		for _, want := range wanted[i+1] {
			if !slices.Contains(got, want) {
				t.Errorf("listing %d has no line\n%s\nin\n%s", i+1, want, &out)
			}
		}
	}
}

// compiled gives the Tile IR of a kernel.
func compiled(t *testing.T, kernel any, args ...any) *tileir.Module {
	t.Helper()
	m, err := module(kernel, args...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPartitionTypes: the exact types over padding and order of dimensions.
func TestPartitionTypes(t *testing.T) {
	var got []string
	for _, o := range operations(compiled(t, paddings, square, square), "make_partition_view") {
		got = append(got, o.Results[0].Type.String())
	}
	const tensor = "tensor_view<?x?xf32, strides=[?,1]>"
	var want []string
	for _, dims := range []string{"", ", dim_map=[1, 0]"} {
		for _, padding := range []string{"", "zero", "neg_zero", "nan", "pos_inf", "neg_inf"} {
			if padding != "" {
				padding = "padding_value = " + padding + ", "
			}
			want = append(want, "partition_view<tile=(64x64), "+padding+tensor+dims+">")
		}
	}
	want = append(want, want[1]) // that of the tensor that is stored to
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestStoreTile: a composite is inlined; it stores weakly, without a scope and without hints, at zeros, into a view that
// pads with zero; what is loaded later waits for it, and reading and replacing tokens takes no operation.
func TestStoreTile(t *testing.T) {
	m := compiled(t, tokens, square)
	names := map[string]int{}
	for _, o := range m.Entries[0].Body.Ops {
		names[o.Info.Mnemonic]++
	}
	if names["make_token"] != 1 || names["join_tokens"] != 0 || names["make_partition_view"] != 1 {
		t.Errorf("got operations %v", names)
	}
	stores, load := operations(m, "store_view_tko"), operations(m, "load_view_tko")[0]
	first := operations(m, "make_token")[0].Results[0]
	if len(stores) != 2 || stores[0].Operand("token") != first || load.Operand("token") != stores[0].Results[0] || stores[1].Operand("token") != first {
		t.Errorf("tokens: got\n%v", text.Sprint(m))
	}
	for _, s := range stores {
		if tileir.Int(s.Int("memory_ordering_semantics")) != tileir.MemoryWeak || s.Attr("memory_scope") != nil || s.Attr("optimization_hints") != nil {
			t.Errorf("got %v", s)
		}
		for _, index := range s.Group(s.Info.OperandIndex("index")) {
			if c, ok := index.Def.Attr("value").(*tileir.Constant); !ok || c.Element(0) != 0 {
				t.Errorf("an index is not zero: %v", s)
			}
		}
	}
}

// TestRuns runs kernels of the listings on the CPU.
func TestRuns(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	y, err := cutile.NewTensor[float32](dev, 64, 64)
	if err != nil {
		t.Fatal(err)
	}
	holds := func(kernel any, want func(i int) float32, args ...any) {
		t.Helper()
		if err := cutile.Launch(t.Context(), dev.Grid(1), kernel, args...); err != nil {
			t.Fatal(err)
		}
		got, err := args[len(args)-1].(*cutile.Tensor[float32]).Slice()
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i] != want(i) {
				t.Fatalf("element %d is %v, want %v", i, got[i], want(i))
			}
		}
	}
	holds(increment, func(int) float32 { return 3 }, y)
	holds(tokens, func(int) float32 { return 2 }, y)
	data := make([]float32, 128)
	for i := range data {
		data[i] = float32(i) * 1.25
	}
	x, err := cutile.FromSlice(dev, data, 1, 128)
	if err != nil {
		t.Fatal(err)
	}
	z, err := cutile.NewTensor[float32](dev, 1, 128)
	if err != nil {
		t.Fatal(err)
	}
	holds(methods, func(i int) float32 { return 3 * data[i] }, x, z)
	holds(inlined, func(i int) float32 { return data[i] / 3 }, x, z)
	if err := cutile.Launch(t.Context(), dev.Grid(1), roots, x, z); err != nil {
		t.Fatal(err)
	}
	got, err := z.Slice()
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if want := math.Pow(float64(data[i]), 1./8); math.Abs(float64(got[i])-want) > 1e-5*want {
			t.Errorf("root %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestTools gives the kernels to NVIDIA's tools, where they are: the assembler takes them, the disassembler prints the same.
func TestTools(t *testing.T) {
	disassembler, assembler := testenv.Tool(t, toolchain.Tileirdisasm), testenv.Tool(t, toolchain.Tileiras)
	for name, m := range map[string]*tileir.Module{
		"tiles": compiled(t, tiles, matrix, matrix), "paddings": compiled(t, paddings, square, square), "roots": compiled(t, roots, long, long),
		"cosine": compiled(t, cosine, vector, vector), "hinted": compiled(t, hinted, square, square), "increment": compiled(t, increment, square),
		"tokens": compiled(t, tokens, square), "meta": compiled(t, meta, square, one),
	} {
		data, err := bytecode.Write(m, tileir.V13_2, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(disassembler, path).CombinedOutput(); err != nil || string(out) != text.Sprint(m) {
			t.Errorf("%s: %v\n%s\nwant\n%v", name, err, out, text.Sprint(m))
		}
		if out, err := exec.Command(assembler, "--gpu-name=sm_90", "-o", path+".cubin", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

func TestOutput(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```text\n"+out.String()+"```") {
		t.Errorf("README.md does not have what the program prints:\n%s", out.String())
	}
}
