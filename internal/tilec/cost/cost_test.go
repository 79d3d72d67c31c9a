package cost_test

import (
	"archive/zip"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/cost"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// kernel reads a kernel that cuTile Python compiled.
func kernel(t *testing.T, name string) *tileir.Entry {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join("..", "..", "..", "tileir", "testdata", "ref.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r, err := z.Open(name + ".13.4.tileirbc")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := bytecode.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return m.Entries[0]
}

// array gives the parameters of a row-major tensor: pointer, extents, strides.
func array(shape ...int64) []int64 {
	out := append([]int64{0}, shape...)
	strides := make([]int64, len(shape))
	n := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= shape[i]
	}
	return append(out, strides...)
}

// want are the counts of a grid, worked out by hand.
type want struct {
	loaded, stored int64
	arithmetic     int64 // of f32
	special        int64 // of f32
	matrix         int64 // of f16
	notes          []string
}

// Kernels whose every tile is known. Elementwise operations work on whole tiles, however much of them lies outside.
var kernels = []struct {
	name string
	args [][]int64
	grid [3]uint32
	want want
}{
	// tiles of 1024: x + y
	{"vadd", [][]int64{array(1000), array(1000), array(1000)}, [3]uint32{1, 1, 1},
		want{loaded: 2 * 4 * 1000, stored: 4 * 1000, arithmetic: 1024}},
	{"vadd", [][]int64{array(5000), array(5000), array(5000)}, [3]uint32{5, 1, 1},
		want{loaded: 2 * 4 * 5000, stored: 4 * 5000, arithmetic: 5 * 1024}},
	{"vadd", [][]int64{array(1 << 30), array(1 << 30), array(1 << 30)}, [3]uint32{1 << 20, 1, 1},
		want{loaded: 2 * 4 << 30, stored: 4 << 30, arithmetic: 1 << 30}},
	{"vadd", [][]int64{array(5000), array(5000), array(5000)}, [3]uint32{9, 2, 1}, // blocks without work, and y, which it ignores
		want{loaded: 2 * 2 * 4 * 5000, stored: 2 * 4 * 5000, arithmetic: 2 * 9 * 1024}},
	{"vadd", [][]int64{array(5000), array(5000), array(5000)}, [3]uint32{0, 1, 1}, want{}},
	// 200x100 by 100x300 in tiles of 128x64 and 64x128: each of the 2x3 blocks does two steps
	{"gemm_f16", [][]int64{array(200, 100), array(100, 300), array(200, 300)}, [3]uint32{2, 3, 1},
		want{loaded: 2 * (3*200*100 + 2*100*300), stored: 2 * 200 * 300, matrix: 6 * 2 * (2 * 128 * 128 * 64)}},
	{"gemm_f16", [][]int64{array(4096, 4096), array(4096, 4096), array(4096, 4096)}, [3]uint32{32, 32, 1},
		want{loaded: 2 * 32 * 2 * 4096 * 4096, stored: 2 * 4096 * 4096, matrix: 2 * 4096 * 4096 * 4096}},
	// rows in tiles of 1024: maximum, subtraction, exponential, sum, division
	{"softmax", [][]int64{array(7, 1000), array(7, 1000)}, [3]uint32{7, 1, 1},
		want{loaded: 7 * 4000, stored: 7 * 4000, arithmetic: 7 * (1023 + 1024 + 1023 + 1024), special: 7 * 1024}},
	// causal: block i of 4 has i+1 steps, each with two products and 64x64+64 exponentials; 8 heads, 2 batches
	{"flash_attention", [][]int64{array(2, 8, 256, 64), array(2, 2, 256, 64), array(2, 2, 256, 64), array(2, 8, 256, 64), {0}}, [3]uint32{4, 8, 2},
		want{
			loaded: 16 * 2 * 64 * 64 * (4 + 2*10), stored: 16 * 2 * 64 * 64 * 4, matrix: 16 * 10 * 2 * (2 * 64 * 64 * 64),
			special: 16 * 10 * (64*64 + 64),
			arithmetic: 16 * (10*(64*64+ // times the scale
				64*63+64+ // the maximum of a row, and of that and the last one
				2*64*64+2*64+ // what the exponentials take
				64+64*63+64+ // the sum
				64*64) + // the accumulator times a factor
				4*64*64), // the quotient
		}},
	// 1024 elements in 16 blocks: masks below 1000, 900 and 10; one atomic addition for each element
	{"me_raw", [][]int64{array(1024), array(1024), array(1024)}, [3]uint32{16, 1, 1},
		want{loaded: 4 * (1000 + 1024 + 1024 + 10), stored: 4 * (900 + 1024 + 10), arithmetic: 16 * 64}},
	// for i in range(2, 9, 3), three tiles of 16x16 each, of a 100x40 tensor: rows 32 to 47 and 80 to 95 are inside, row
	// tile 8 is outside; of the three columns 16, 16 and 8
	{"cf_for", [][]int64{array(100, 40), array(16, 16), {2}, {9}, {3}}, [3]uint32{1, 1, 1},
		want{loaded: 4 * 2 * 16 * 40, stored: 4 * 16 * 16, arithmetic: 3 * (3*2*256 + 256)}},
	{"cf_for", [][]int64{array(100, 40), array(16, 16), {9}, {2}, {1}}, [3]uint32{1, 1, 1}, want{stored: 4 * 16 * 16}},
	// windows of 8x16 that start 4 rows and 16 columns apart, and such with gaps: block (i, j) begins at rows 4i and 16i
	{"me_strided_view", [][]int64{array(40, 32), array(24, 32)}, [3]uint32{3, 2, 1},
		want{loaded: 4 * (6*8*16 + 6*8*16), stored: 4 * 24 * 32, arithmetic: 6 * 8 * 16}},
	{"me_strided_view", [][]int64{array(10, 20), array(10, 20)}, [3]uint32{3, 2, 1}, // rows 8, 6, 2 and 8, 0, 0; columns 16, 4
		want{loaded: 4 * (16*20 + 8*20), stored: 4 * 10 * 20, arithmetic: 6 * 8 * 16}},
}

func TestKernels(t *testing.T) {
	for _, c := range kernels {
		r, err := cost.Count(kernel(t, c.name), slices.Concat(c.args...), c.grid)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		check(t, c.name, r, c.want)
	}
}

func check(t *testing.T, name string, r *cost.Report, w want) {
	t.Helper()
	got := want{loaded: r.Grid.Loaded, stored: r.Grid.Stored, arithmetic: r.Grid.Ops[cost.Arithmetic][tileir.F32],
		special: r.Grid.Ops[cost.Special][tileir.F32], matrix: r.Grid.Ops[cost.Matrix][tileir.F16]}
	for _, n := range r.Notes {
		got.notes = append(got.notes, n.Op.Info.Mnemonic+": "+n.Text)
	}
	if !slices.Equal(got.notes, w.notes) {
		t.Errorf("%s: notes %q, want %q", name, got.notes, w.notes)
	}
	got.notes, w.notes = nil, nil
	if got.loaded != w.loaded || got.stored != w.stored || got.arithmetic != w.arithmetic || got.special != w.special || got.matrix != w.matrix {
		t.Errorf("%s: got %+v, want %+v", name, got, w)
	}
	if flops := w.arithmetic + w.special + w.matrix; r.Grid.Flops() != flops {
		t.Errorf("%s: %d operations, want %d", name, r.Grid.Flops(), flops)
	}
}

// TestBlocks looks at the range over blocks, and the intensity.
func TestBlocks(t *testing.T) {
	r, err := cost.Count(kernel(t, "vadd"), slices.Concat(array(5000), array(5000), array(5000)), [3]uint32{5, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Blocks != 5 || r.Least.Loaded != 2*4*(5000-4*1024) || r.Most.Loaded != 2*4*1024 || r.Least.Flops() != 1024 || r.Most.Flops() != 1024 {
		t.Errorf("got %d blocks, %d to %d bytes", r.Blocks, r.Least.Loaded, r.Most.Loaded)
	}
	if got, want := r.Grid.Intensity(), 5*1024/60000.0; got != want {
		t.Errorf("intensity %v, want %v", got, want)
	}
	nothing := new(cost.Counts)
	for range 2 { // without operations, and with some on no bytes
		if !math.IsNaN(nothing.Intensity()) {
			t.Errorf("the intensity of %d operations on no bytes is %v", nothing.Flops(), nothing.Intensity())
		}
		nothing.Ops = r.Grid.Ops
	}
}

// TestUnknown has kernels that ask their data what to do.
func TestUnknown(t *testing.T) {
	const while = "loop: how often it runs is not known: its body is counted once"
	for _, c := range []struct {
		name string
		args [][]int64
		grid [3]uint32
		want want
	}{
		{"cf_while", [][]int64{array(64), array(64), array(1)}, [3]uint32{1, 1, 1},
			want{loaded: 4 * 64, stored: 4*64 + 4, arithmetic: 63 + 64, notes: []string{
				"if: the condition is not known: the greater count of both sides is taken", while}}},
		// the first gather's rows are data, and are clamped to nothing; the second's columns are 0 to 31
		{"me_row_gather", [][]int64{array(64, 24), array(16), array(64, 32), {0}}, [3]uint32{1, 1, 1},
			want{loaded: 4 * (16 + 16*24 + 16*24), stored: 4 * 16 * 32, arithmetic: 16 * 32, notes: []string{
				"load_view_tko: the indices along the sparse dimension are not known: each is counted as inside",
				"store_view_tko: the indices along the sparse dimension are not known: each is counted as inside"}}},
	} {
		r, err := cost.Count(kernel(t, c.name), slices.Concat(c.args...), c.grid)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		check(t, c.name, r, c.want)
	}
}

func TestErrors(t *testing.T) {
	e := kernel(t, "vadd")
	huge := slices.Concat(array(math.MaxInt32), array(math.MaxInt32), array(math.MaxInt32))
	for _, c := range []struct {
		args []int64
		grid [3]uint32
		want string
	}{
		{array(5), [3]uint32{1, 1, 1}, "cost: entry vadd has 9 parameters, but 3 arguments are given"},
		{huge, [3]uint32{math.MaxUint32, math.MaxUint32, 1}, "has too many blocks"},
		{huge, [3]uint32{1 << 31, 1 << 30, 1}, "cost: the counts of the grid [2147483648 1073741824 1] do not fit 63 bits"},
	} {
		if _, err := cost.Count(e, c.args, c.grid); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %s", c.grid, err, c.want)
		}
	}
}

// TestAll counts every reference kernel with some arguments: none may take long or fail.
func TestAll(t *testing.T) {
	z, err := zip.OpenReader(filepath.Join("..", "..", "..", "tileir", "testdata", "ref.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	n := 0
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".13.4.tileirbc")
		if !ok {
			continue
		}
		n++
		e := kernel(t, name)
		args := make([]int64, len(e.Params))
		for i := range args {
			args[i] = 100
		}
		if _, err := cost.Count(e, args, [3]uint32{37, 11, 3}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n < 50 {
		t.Errorf("only %d kernels", n)
	}
}
