package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/npy"
)

// copyText copies 4 by 8 elements from one array to another one, with strides that arguments tell.
const copyText = `entry @copy(%p: tile<ptr<E>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>, %r: tile<i32>,
    %q: tile<ptr<E>>, %a: tile<i32>, %b: tile<i32>, %c: tile<i32>, %d: tile<i32>) {
  %0 = constant <i32: 0> : tile<i32>
  %v = make_tensor_view %p, shape = [%m, %n], strides = [%s, %r] : tile<i32> -> tensor_view<?x?xE, strides=[?,?]>
  %w = make_partition_view %v : partition_view<tile=(4x8), tensor_view<?x?xE, strides=[?,?]>>
  %x, %t = load_view_tko weak %w[%0, %0] : partition_view<tile=(4x8), tensor_view<?x?xE, strides=[?,?]>>, tile<i32> -> tile<4x8xE>, token
  %y = make_tensor_view %q, shape = [%a, %b], strides = [%c, %d] : tile<i32> -> tensor_view<?x?xE, strides=[?,?]>
  %z = make_partition_view %y : partition_view<tile=(4x8), tensor_view<?x?xE, strides=[?,?]>>
  %u = store_view_tko weak %x, %z[%0, %0] : tile<4x8xE>, partition_view<tile=(4x8), tensor_view<?x?xE, strides=[?,?]>>, tile<i32> -> token
  return
}
`

// TestStrides copies between arrays with strides of all sorts, on the CPU engine and on the emulator: the elements are the same, wherever
// they lie.
func TestStrides(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for elem, typ := range map[string]npy.Type{"i32": npy.Int32, "f16": npy.Float16, "f4E2M1FN": npy.Float4E2M1FN} {
		dir := t.TempDir()
		file := filepath.Join(dir, "k.tileir")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(strings.ReplaceAll(copyText, "xE", "x"+elem), "<E>", "<"+elem+">")), 0o644); err != nil {
			t.Fatal(err)
		}
		x := save(t, filepath.Join(dir, "x.npy"), typ, func(int) uint64 { return r.Uint64N(16) }, 4, 8)
		want := load(t, x).Data
		for _, from := range []string{"", "@8,1", "@10,1", "@1,4", "@2,9", "@64,3"} {
			for _, to := range []string{"", "@12,1", "@1,6", "@40,5"} {
				for _, command := range []string{"run", "profile -emulate -races -target sm_80"} {
					if command != "run" && elem == "f4E2M1FN" {
						continue // profile has no such arrays
					}
					y := filepath.Join(dir, "y.npy")
					args := append(strings.Fields(command), file, "-array", x+from, "-array", fmt.Sprintf("%s=%v:4x8%s", y, typ, to))
					must(t, args...)
					if got := load(t, y); !slices.Equal(got.Data, want) || !slices.Equal(got.Shape, []int{4, 8}) {
						t.Errorf("%s from %q to %q: got\n%v\nwant\n%v", elem, from, to, got.Data, want)
					}
				}
			}
		}
	}
}

// TestStridesInMemory looks at the memory of an array with strides as one of 32 elements in order.
func TestStridesInMemory(t *testing.T) {
	dir := t.TempDir()
	text := strings.ReplaceAll(strings.ReplaceAll(copyText, "xE", "xi32"), "<E>", "<i32>")
	plain, strided := "%s-arg %s -arg 4 -arg 8 -arg 8 -arg 1 ", "%s-array %s "
	for _, c := range []struct{ format, x, formatY, y, want string }{
		{plain, "int32:2x2@20,11:iota", strided, "int32:4x8", "0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 3"},
		{strided, "int32:4x8:iota", plain, "int32:2x2@20,11", "0 11 20 31"},
		{strided, "int32:4x8@0,0:7", plain, "int32:2x2@20,11", "7 7 7 7"},
		{strided, "int32:4x8@0,1:7", strided, "int32:4x8@8,1", strings.TrimSpace(strings.Repeat("7 ", 32))},
		{plain, "int32:32:iota", strided, "int32:4x8@0,0", ""}, // one element of memory, and which value is left is open
		{plain, "int32:@", plain, "int32:0x8@1,1", "fails"},
	} {
		y := filepath.Join(dir, "y")
		line := fmt.Sprintf(c.formatY, fmt.Sprintf(c.format, "run - ", c.x), y+"="+c.y)
		code, _, errs := cutileWith([]byte(text), strings.Fields(line)...)
		if c.want == "fails" {
			if code != exitFailed || !strings.Contains(errs, "outside memory") {
				t.Errorf("%s: exit code %d, %s", line, code, errs)
			}
			continue
		}
		if code != exitOK {
			t.Errorf("%s: exit code %d, %s", line, code, errs)
			continue
		}
		got := ""
		for a, i := load(t, y+".npy"), 0; i < a.Len(); i++ {
			got += fmt.Sprint(" ", a.Bits(i))
		}
		if got = strings.TrimSpace(got); c.want != "" && got != c.want {
			t.Errorf("%s: got %s, want %s", line, got, c.want)
		}
	}
}

// TestStrideErrors: mistakes say what to write.
func TestStrideErrors(t *testing.T) {
	x := save(t, filepath.Join(t.TempDir(), "x.npy"), npy.Float32, func(int) uint64 { return 0 }, 4, 6)
	pointer, fixed := kernelText("%x: tile<ptr<f32>>", ""), kernelText("%x: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>", "")
	var refusals []refusal
	for array, want := range map[string]string{
		"float32:4x6@6":                       "-arg float32:4x6@6: 2 extents and 1 stride: an array has as many of the ones as of the others, such as @6,1; see",
		"float32:4x6@6,1,1":                   "2 extents and 3 strides",
		"float32:4x6@":                        "2 extents and 0 strides",
		"float32:@1":                          "0 extents and 1 stride: an array has as many of the ones as of the others, such as @",
		"float32:4x6@6x1":                     `"6x1" is not a list of strides in elements, each from 0 to 1099511627775, such as @6,1`,
		"float32:4x6@-6,1":                    `"-6,1" is not a list of strides`,
		"float32:4x6@1099511627776,1":         `"1099511627776,1" is not a list of strides`,
		"float32:4x6@1000000000000,1":         "the last element would be more than 1099511627776 elements from the first one: give smaller strides",
		"float32:4x6@5,1:iota":                "elements lie in the same place: fill them with one number, or give strides with a place for each, such as @6,1",
		"float32:4x6@0,1:iota":                "elements lie in the same place",
		x + "@6":                              "2 extents and 1 stride",
		x + "@2,1":                            "elements lie in the same place",
		x + "@":                               "2 extents and 0 strides",
		"float32@1:4x6":                       "want an array for a pointer",
		"float32:4x6:iota@6,1":                `the fill "iota@6,1": want a number for f32, or iota`,
		"float32:4x6@1000000000,100000000000": "cpu: ",
	} {
		code := exitUsage
		if want == "cpu: " {
			code = exitFailed
		}
		refusals = append(refusals, refusal{pointer, "run - -arg " + array, code, want})
	}
	checkRefusals(t, append(refusals,
		refusal{"", "profile -emulate " + data + "transpose.ptx -arg float32:64x64@10000000,1", exitUsage, "the array has 2520000256 bytes"},
		refusal{fixed, "run - -array float32:4@2", exitUsage,
			"-array float32:4@2: entry k does not use stride 0, parameter 2, as it was compiled for a fixed one: give that one, which is 1 in row-major order"},
		refusal{"", "run " + data + "vadd.tileirbc -array float32:4@99999999999", exitUsage, "stride 0, parameter 2 of entry vadd: 99999999999 does not fit i32"},
	))
	for _, array := range []string{"float32:1@7", "float32:4@1", "float32:0@7"} { // fit row-major order
		if code, _, errs := cutileWith([]byte(fixed), "run", "-", "-array", array); code != exitOK {
			t.Errorf("%s: exit code %d, %s", array, code, errs)
		}
	}
}
