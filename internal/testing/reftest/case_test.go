package reftest_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/testing/reftest"
	"github.com/cutile-go/cutile/npy"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// array is a .npy file of a row of numbers.
func array(t *testing.T, typ npy.Type, bits ...uint64) *fstest.MapFile {
	t.Helper()
	a, err := npy.Zeros(typ, len(bits))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range bits {
		a.SetBits(i, b)
	}
	var out bytes.Buffer
	if err := a.Write(&out); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: out.Bytes()}
}

func floats(t *testing.T, numbers ...float32) *fstest.MapFile {
	var bits []uint64
	for _, x := range numbers {
		bits = append(bits, uint64(math.Float32bits(x)))
	}
	return array(t, npy.Float32, bits...)
}

// doubling is the text of a kernel that doubles four numbers of x into y, and prints one.
const doubling = `entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %t = make_token : token
  %vx = make_tensor_view %x, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
  %px = make_partition_view %vx : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  %vy = make_tensor_view %y, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
  %py = make_partition_view %vy : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  %a, %u = load_view_tko weak %px[%zero] token = %t : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %b = addf %a, %a : tile<4xf32>
  %w = store_view_tko weak %b, %py[%zero] token = %u : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
  %p = print_tko "n=%d\0A", %n token = %w : tile<i32> -> token
  return
}
`

// good is a case of [doubling] that holds.
const good = `{"kernel": "k", "since": "13.1", "grid": [1, 1, 1], "why_tolerance": "none is needed",
 "params": [{"buffer": 0}, {"buffer": 1}, {"value": 7, "type": "i32"}], "output": ["n=7"],
 "buffers": [{"file": "x.npy", "type": "f32"}, {"file": "y.npy", "type": "f32", "want": "z.npy", "rtol": 1e-6, "atol": 1e-7}]}`

// TestCaseFails changes one thing of a case that holds, and wants to be told.
func TestCaseFails(t *testing.T) {
	nan := float32(math.NaN())
	m, err := irtext.Parse(doubling, irtext.ParseOptions{File: "k.mlir"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, new string // of the text
		x, z     []float32
		want     string
	}{
		{},
		{x: []float32{1, nan, 3, -0.5}, z: []float32{2, nan, 6, -1}},
		{z: []float32{2, 4.000002, 6, 8}},
		{z: []float32{2, 4, 6.1, 9}, want: "buffer 1, f32 of [4]: index [2]: got 6, want 6.1 within 1e-06 relative and 1e-07 absolute; 2 of 4 elements are wrong"},
		{z: []float32{nan, 4, 6, 8}, want: "index [0]: got 2, want NaN"},
		{x: []float32{nan, 2, 3, 4}, want: "index [0]: got NaN, want 2"},
		{x: []float32{1, 2, 3, 3e38}, z: []float32{2, 4, 6, 3.4e38}, want: "index [3]: got +Inf, want 3.4e+38"},
		{old: `, "rtol": 1e-6, "atol": 1e-7`, z: []float32{2, 4.000002, 6, 8}, want: "a tolerance: false, a reason for it: \"none is needed\"; expected both or none"},
		{old: `"why_tolerance": "none is needed",`, want: "a tolerance: true, a reason for it: \"\"; expected both or none"},
		{old: `"want": "z.npy", `, want: "buffer 1, f32 of [4]: index [0]: got 2, want 0"},
		{old: `"file": "x.npy"`, new: `"want": "y.npy", "file": "x.npy"`, want: "buffer 0, f32 of [4]: index [0]: got 1, want 0 exactly; 4 of 4 elements are wrong"},
		{old: `["n=7"]`, new: `["n=8"]`, want: `prints "n=7\n", want "n=8\n"`},
		{old: `"output": ["n=7"],`, want: `prints "n=7\n", want ""`},
		{old: `"value": 7`, new: `"value": 8`, want: `prints "n=8\n", want "n=7\n"`},
		{old: `"value": 7`, new: `"value": 7.5`, want: "parameter 2: strconv.ParseInt: parsing \"7.5\""},
		{old: `"type": "i32"`, new: `"type": "f32"`, want: "parameter 2 is tile<i32>, the case has"},
		{old: `[{"buffer": 0}, `, new: `[`, want: "the kernel has 3 parameters, the case 2"},
		{old: `{"buffer": 0}`, new: `{"buffer": 2}`, want: "k: parameter 0: there is no buffer 2"},
		{old: `"kernel": "k"`, new: `"kernel": "l"`, want: "the module has no entry l"},
		{old: `"since"`, new: `"snice"`, want: `unknown field "snice"`},
		{old: `"type": "f32"}`, new: `"type": "f33"}`, want: `buffer 0: type "f33" is none that elements have`},
		{old: `"type": "f32"}`, new: `"type": "u32"}`, want: "x.npy: elements of float32, want uint32"},
		{old: `"type": "f32"}`, new: `"type": "f32", "relocate": {"0": 1}}`, want: "element 0 cannot be the address of buffer 1"},
		{old: `"want": "z.npy"`, new: `"want": "none.npy"`, want: "none.npy: file does not exist"},
		{z: []float32{2, 4}, want: "buffer 1: y.npy has 4 elements, z.npy has 2"},
		{old: `{"buffer": 1}`, new: `{"buffer": 0}`, want: "buffer 0, f32 of [4]: index [0]: got 2, want 1"},
	} {
		if c.x == nil {
			c.x = []float32{1, 2, 3, 4}
		}
		if c.z == nil {
			c.z = []float32{2, 4, 6, 8}
		}
		files := fstest.MapFS{"k/x.npy": floats(t, c.x...), "k/y.npy": floats(t, 0, 0, 0, 0), "k/z.npy": floats(t, c.z...),
			"k/case.json": {Data: []byte(strings.Replace(good, c.old, c.new, 1))}}
		got := fmt.Sprint(runCase(t, files, m))
		if c.want == "" {
			c.want = "<nil>"
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s as %s, %v, %v: got %s, want %s", c.old, c.new, c.x, c.z, got, c.want)
		}
	}
}

// runCase reads a case and runs it.
func runCase(t *testing.T, files fstest.MapFS, m *tileir.Module) error {
	c, err := reftest.ReadCase(files, "k")
	if err != nil {
		return err
	}
	return c.Run(t.Context(), m, 0)
}

// TestIdleCase refuses a case that nothing could fail.
func TestIdleCase(t *testing.T) {
	files := fstest.MapFS{"k/x.npy": floats(t, 1), "k/case.json": {Data: []byte(
		`{"kernel": "k", "grid": [1, 1, 1], "buffers": [{"file": "x.npy", "type": "f32"}]}`)}}
	_, err := reftest.ReadCase(files, "k")
	if want := "k: nothing changes and nothing is printed: the case could not fail"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestStandingTypes reads types that NumPy lacks from integers of the same size, and compares them as what they are.
func TestStandingTypes(t *testing.T) {
	for _, c := range []struct {
		name       string
		file       npy.Type
		in, out    uint64
		near, want string
	}{
		{"bf16", npy.Uint16, 0x3fc0, 0x3fc1, "1.5", ""},
		{"f8E4M3FN", npy.Uint8, 0x38, 0x39, "1", ""},
		{"f8E5M2", npy.Uint8, 0x3c, 0x3d, "1", ""},
		{"f8E8M0FNU", npy.Uint8, 0x7f, 0x80, "1", ""},
		{"bf16", npy.Int16, 0x3fc0, 0x3fc1, "", "elements of int16, want bfloat16"},
		{"f16", npy.Uint16, 0x3c00, 0x3c01, "", "elements of uint16, want float16"},
		{"bf16", npy.Uint8, 1, 2, "", "elements of uint8, want bfloat16"},
	} {
		text := fmt.Sprintf(`{"kernel": "k", "grid": [1, 1, 1], "params": [{"buffer": 0}], "buffers": [{"file": "x.npy", "type": %q, "want": "z.npy"}]}`, c.name)
		files := fstest.MapFS{"k/case.json": {Data: []byte(text)}, "k/x.npy": array(t, c.file, c.in), "k/z.npy": array(t, c.file, c.out)}
		m, err := irtext.Parse("entry @k(%x: tile<ptr<"+c.name+">>) {\n  return\n}\n", irtext.ParseOptions{File: "k.mlir"})
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			c.want = "index [0]: got " + c.near + ", want "
		}
		if err := runCase(t, files, m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}
