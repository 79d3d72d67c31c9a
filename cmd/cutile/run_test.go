package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/npy"
)

// kernelFile writes a reference file to a folder.
func kernelFile(t *testing.T, dir, name string) string {
	t.Helper()
	file := filepath.Join(dir, name+".tileirbc")
	if err := os.WriteFile(file, reference(t)[name+".13.4.tileirbc"], 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// save writes an array whose elements are given as bits.
func save(t *testing.T, file string, typ npy.Type, bits func(i int) uint64, shape ...int) string {
	t.Helper()
	a, err := npy.Zeros(typ, shape...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Len() {
		a.SetBits(i, bits(i))
	}
	var out bytes.Buffer
	if err := a.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func load(t *testing.T, file string) *npy.Array {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := npy.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRunGemm multiplies ragged f16 matrices, and compares with float64.
func TestRunGemm(t *testing.T) {
	const m, n, k = 144, 160, 80
	dir := t.TempDir()
	x := func(i int) float64 { return float64(i%13) - 6 }
	y := func(i int) float64 { return float64(i%7)/8 - 0.25 }
	half := func(f func(int) float64) func(int) uint64 {
		return func(i int) uint64 { return uint64(dtype.Float16FromFloat64(f(i))) }
	}
	a := save(t, filepath.Join(dir, "a.npy"), npy.Float16, half(x), m, k)
	b := save(t, filepath.Join(dir, "b.npy"), npy.Float16, half(y), k, n)
	c := filepath.Join(dir, "c")
	if out := must(t, "run", kernelFile(t, dir, "gemm_f16"), "-grid", "2,2", "-array", a, "-array", b, "-array", c+"=float16:144x160"); out != "" {
		t.Errorf("prints %q", out)
	}
	got := load(t, c+".npy")
	for i := range m {
		for j := range n {
			want := 0.0
			for l := range k {
				want += x(i*k+l) * y(l*n+j)
			}
			if g := dtype.Float16(got.Bits(i*n + j)).Float64(); g != dtype.Float16FromFloat64(want).Float64() {
				t.Fatalf("element (%d, %d) is %v, want %v", i, j, g, want)
			}
		}
	}
}

// TestRunInOut changes an array in place, through pointers and atomics.
func TestRunInOut(t *testing.T) {
	dir := t.TempDir()
	kernel := kernelFile(t, dir, "me_raw")
	counts := save(t, filepath.Join(dir, "n.npy"), npy.Int32, func(i int) uint64 { return uint64(i % 2) }, 1024)
	after := filepath.Join(dir, "after.npy")
	out := must(t, "run", kernel, "-grid=16", "-workers=1", "-array", "float32:1024:iota", "-array", filepath.Join(dir, "y")+"=float32:1024", "-array", after+"="+counts, "-print")
	want := filepath.Join(dir, "y.npy") + ": float32 [1024]\n  0 2 4 ... 0 0 0\n" + after + ": int32 [1024]\n  1 2 1 ... 2 1 2\n"
	if out != want {
		t.Errorf("prints\n%s, want\n%s", out, want)
	}
	y, n := load(t, filepath.Join(dir, "y.npy")), load(t, after)
	for i := range 1024 {
		want := 0.0
		if i < 900 {
			want = 2 * float64(i)
		}
		if got := float64(math.Float32frombits(uint32(y.Bits(i)))); got != want {
			t.Fatalf("y[%d] is %v, want %v", i, got, want)
		}
		if got := n.Bits(i); got != uint64(1+i%2) {
			t.Fatalf("n[%d] is %d", i, got)
		}
	}
	if before := load(t, counts); before.Bits(0) != 0 {
		t.Error("the file that was read has changed")
	}
	code, _, errs := cutile("run", kernel, "-grid=16", "-array", "float32:1024", "-array", "float32:1024", "-array", counts)
	if want := "note: the kernel has changed -array " + counts + ", and the change is lost: -array NAME=" + counts + " keeps it\n"; code != exitOK || errs != want {
		t.Errorf("exit code %d, %q, want %q", code, errs, want)
	}
}

// TestRunTypes passes each type of number and array, and looks at what the kernel sees.
func TestRunTypes(t *testing.T) {
	raw := save(t, filepath.Join(t.TempDir(), "raw.npy"), npy.BFloat16, func(int) uint64 { return 0x3fc0 }, 1)
	for _, c := range []struct{ elem, in, out, want string }{
		{"i1", "true", "bool:1", "true"}, {"i8", "-3", "int8:1", "-3"}, {"i8", "200", "uint8:1", "200"}, {"i16", "0x7fff", "int16:1", "32767"},
		{"i32", "-1", "uint32:1", "4294967295"}, {"i64", "18446744073709551615", "int64:1", "-1"}, {"f16", "0.1", "float16:1", "0.1"},
		{"bf16", "0.1", "bfloat16:1", "0.1"}, {"f32", "1e-40", "float32:1", "1e-40"}, {"f64", "-inf", "float64:1", "-Inf"},
		{"f32", "", "float32:1:2.5", "2.5"}, {"bf16", "", raw, "1.5"}, {"f8E4M3FN", "", "float8_e4m3fn:1", "0"}, {"i8", "", "uint8:1:200", "200"},
		{"i1", "", "bool:1:true", "true"}, {"f16", "", "float16:", "0"},
	} {
		body := `%t = make_token : token
%s = store_ptr_tko weak %p, %v token=%t : tile<ptr<E>>, tile<E> -> token`
		params := "%p: tile<ptr<E>>, %v: tile<E>"
		if c.in == "" {
			params, body = "%p: tile<ptr<E>>", ""
		}
		args := []string{"run", "-", "-print", "-arg", filepath.Join(t.TempDir(), "x") + "=" + c.out}
		if c.in != "" {
			args = append(args, "-arg", c.in)
		}
		code, out, errs := cutileWith([]byte(strings.ReplaceAll(kernelText(params, body), "E>", c.elem+">")), args...)
		if lines := strings.Split(out, "\n"); code != exitOK || errs != "" || len(lines) != 3 || strings.TrimSpace(lines[1]) != c.want {
			t.Errorf("%s as %s: exit code %d, %q, %s, want %s", c.in, c.elem, code, out, errs, c.want)
		}
	}
}

// TestRunOutput has kernels that print and fail.
func TestRunOutput(t *testing.T) {
	dir := t.TempDir()
	if out := must(t, "run", kernelFile(t, dir, "ms_print"), "-array", "float32:16:iota", "-array", "int32:16:7"); out != "k=7\nt=[0.000, 1.000, 2.000, 3.000] k=7\ndone\n" {
		t.Errorf("got %q", out)
	}
	y := filepath.Join(dir, "y")
	code, out, errs := cutile("run", kernelFile(t, dir, "ms_assert"), "-array", "float32:128:iota", "-array", y+"=float32:128", "-grid", "2")
	if want := "cutile run: kernels.py:898:4: kernel ms_assert, block (0, 0, 0): assertion failed: x must be positive"; code != exitFailed || out != "" || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, %q, %q, want %q", code, out, errs, want)
	}
	if _, err := os.Stat(y + ".npy"); err == nil {
		t.Error("a run that failed has written its result")
	}
	code, _, errs = cutileWith([]byte(kernelText("%p: tile<ptr<f32>>, %i: tile<i32>", `%t = make_token : token
%q = offset %p, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
%x, %u = load_ptr_tko weak %q token=%t : tile<ptr<f32>> -> tile<f32>, token`)), "run", "-", "-arg", "float32:4", "-arg", "5")
	if want := "kernel k, block (0, 0, 0): element 0: load_ptr_tko of f32 outside memory: offset 5 of 4 elements"; code != exitFailed || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, %q, want %q", code, errs, want)
	}
}

// TestRunStopped has a kernel that takes longer than the user waits.
func TestRunStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	text := kernelText("", `%a = constant <i32: 0> : tile<i32>
%b = constant <i32: 30000000> : tile<i32>
%c = constant <i32: 1> : tile<i32>
for %i in (%a to %b, step %c) : tile<i32> {
  %d = addi %i, %c : tile<i32>
  continue
}`)
	c := &call{ctx: ctx, in: strings.NewReader(text), out: new(bytes.Buffer), err: new(bytes.Buffer)}
	if err := runCommand.run(c, "cutile run", []string{"-"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestRunErrors(t *testing.T) {
	vadd := data + "vadd.tileirbc "
	two := kernelText("%x: tile<i32>", "") + strings.Replace(kernelText("%x: tile<f8E5M2>, %y: tile<ptr<f32>>", ""), "@k", "@l", 1)
	number := kernelText("%x: tile<i8>, %y: tile<i1>, %z: tile<f32>", "")
	integers := filepath.Join(t.TempDir(), "i.npy")
	save(t, integers, npy.Int32, func(int) uint64 { return 0 }, 4)
	manyEntries, manyParameters := "", "%p0: tile<i8>"
	for i := range 3000 {
		manyEntries += fmt.Sprintf("entry @k%d() { return }\n", i)
	}
	for i := 1; i < 300; i++ {
		manyParameters += fmt.Sprintf(", %%p%d: tile<i8>", i)
	}
	manyParameters = kernelText(manyParameters, "")
	checkRefusals(t, []refusal{
		{"", "run", exitUsage, "cutile run: want one file, got 0; see `cutile help run`"},
		{"", "run none", exitFailed, "open none: no such file"},
		{"", "run " + data + "wrong.tileir", exitFailed, "2 errors for version 13.4"},
		{"", "run " + vadd + "-grid 1,2,3,4", exitUsage, `invalid value "1,2,3,4" for flag -grid: want one to three numbers of blocks, got 4`},
		{"", "run " + vadd + "-grid 4000000000", exitUsage, "for flag -grid: 4000000000 is too large: an axis has 2147483647 blocks at most"},
		{"", "run " + vadd + "-grid 1,-1", exitUsage, "want numbers of blocks, as in 16,4,2"},
		{number, "run - -workers -1", exitUsage, "-workers: the number of workers is negative (-1): give 0 for one per core, or a positive number"},
		{number, "run - -workers 2305843009213693952", exitUsage, "-workers: 2305843009213693952 workers are too many: at most 65536 are allowed"},
		{"", "serve -workers -1", exitUsage, "-workers: the number of workers is negative (-1)"},
		{"", "run " + vadd + "-grid 1x2", exitUsage, `want numbers of blocks, as in 16,4,2`},
		{"", "run " + vadd, exitUsage, "entry vadd has 9 parameters (tile<ptr<f32>>, tile<i32>, tile<i32>, tile<ptr<f32>>, "},
		{"", "run " + vadd + "-array float32:16", exitUsage, "but the arguments are for 3"},
		{"", "run " + vadd + "-entry other", exitUsage, `-entry: cmd/cutile/testdata/vadd.tileirbc has no entry "other"; it has vadd`},
		{strings.Replace(two, "@k", "@main_k_D64", 1), "run - -entry main.k[D64] -arg 1 -arg 2", exitUsage, "-arg 2 is more than the 1 parameter of entry main_k_D64"},
		{two, "run -", exitUsage, "standard input has 2 entries: choose one of k, l with -entry"},
		{manyEntries, "run -", exitUsage, "standard input has 3000 entries: choose one of k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 2990 more with -entry"},
		{manyEntries, "run - -entry l", exitUsage, `standard input has no entry "l"; it has k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 2990 more`},
		{manyParameters, "run -", exitUsage, "entry k has 300 parameters (" + strings.Repeat("tile<i8>, ", 9) + "tile<i8> and 290 more), but the arguments are for 0"},
		{two, "run - -entry k -arg 1 -arg 2", exitUsage, "-arg 2 is more than the 1 parameter of entry k"},
		{two, "run - -entry l -arg 1", exitUsage, "-arg 1, parameter 0 of entry l: numbers of f8E5M2 can only be given in arrays"},
		{"// nothing\n", "run -", exitFailed, "standard input (text) holds no entry and no global"},
		{"\xff\xfee\x00n\x00t\x00r\x00y\x00", "run -", exitFailed, "standard input is a text in UTF-16, as its first bytes say: save it as UTF-8"},
		{number, "run - -arg 300", exitUsage, "-arg 300, parameter 0 of entry k: 300 does not fit i8"},
		{number, "run - -arg 99999999999999999999", exitUsage, "parameter 0 of entry k: 99999999999999999999 does not fit i8"},
		{number, "run - -arg 1 -arg true -arg 1e999", exitUsage, "parameter 2 of entry k: 1e999 does not fit f32"},
		{number, "run - -arg 1 -arg true -arg 1e39", exitUsage, "parameter 2 of entry k: 1e39 does not fit f32"},
		{number, "run - -arg -129", exitUsage, "-129 does not fit i8"},
		{number, "run - -arg 1.5", exitUsage, "-arg 1.5, parameter 0 of entry k: want an integer for i8"},
		{number, "run - -arg 1 -arg 1", exitUsage, "-arg 1, parameter 1 of entry k: want true or false for i1"},
		{number, "run - -arg 1 -arg true -arg x", exitUsage, "-arg x, parameter 2 of entry k: want a number for f32"},
		{number, "run - -array int8:4", exitUsage, "-array int8:4 needs a pointer, but parameter 0 of entry k is tile<i8>"},
		{"", "run " + vadd + "-arg 5", exitUsage, "-arg 5: want an array for a pointer: FILE.npy or TYPE:EXTENTS, such as float32:1024x32"},
		{"", "run " + vadd + "-arg float32:4x", exitUsage, `-arg float32:4x: "4x" is not a list of extents, such as 1024x32`},
		{"", "run " + vadd + "-arg =float32:4", exitUsage, "the name before = is missing"},
		{"", "run " + vadd + "-arg float32:4:x", exitUsage, `the fill "x": want a number for f32, or iota`},
		{"", "run " + vadd + "-array float32:9223372036854775807", exitUsage,
			"-array float32:9223372036854775807: the extent 9223372036854775807 is too large: 1099511627775 is the largest"},
		{kernelText("%x: tile<ptr<i32>>", ""), "run - -arg int32:4:99999999999", exitUsage, "-arg int32:4:99999999999: the fill: 99999999999 does not fit i32; see"},
		{kernelText("%x: tile<ptr<i32>>", ""), "run - -arg int32:4:1.5", exitUsage, `the fill "1.5": want an integer for i32, or iota`},
		{"", "run " + vadd + "-arg float16:4", exitUsage, "-arg float16:4: the kernel takes a pointer to f32 there, which is an array of float32, not of float16"},
		{"", "run " + vadd + "-arg " + integers, exitUsage, "the kernel takes a pointer to f32 there, which is an array of float32, not of int32"},
		{"", "run " + vadd + "-arg none.npy", exitFailed, "open none.npy: no such file"},
		{"", "run " + vadd + "-arg " + data + "vmul.npy", exitFailed, "no such file"},
		{"", "run " + vadd + "-array float32:16x16", exitUsage,
			"-array float32:16x16 of rank 2: stride 0 would be parameter 3 of entry vadd, but that is tile<ptr<f32>>"},
		{"", "run " + vadd + "-array float32:4294967296", exitUsage, "extent 0, parameter 1 of entry vadd: 4294967296 does not fit i32"},
		{"", "run " + vadd + "-array float32:16 -array float32:16 -array float32:16 -arg 1", exitUsage, "-arg 1 is more than the 9 parameters of entry vadd"},
		{kernelText("%x: tile<ptr<f32>>", ""), "run - -array float32:4", exitUsage, "-array float32:4 of rank 1 takes 3 parameters, but entry k has only 1 from its pointer on"},
		{kernelText("%x: tile<ptr<f32>>", ""), "run - -arg float32:1000000x1000000x1000000", exitFailed, "npy: the shape [1000000 1000000 1000000]: expected extents of 0 or more"},
		{kernelText("%x: tile<ptr<f32>>", ""), "run - -arg float32:1000000x1000000", exitFailed, "cpu: "},
		{kernelText("%x: tile<ptr<f32>>", ""), "run - -arg none/x=float32:1", exitFailed, "none/x.npy: no such file"},
	})
}
