package threadtest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/tileir/text"
)

// product is a kernel whose loop multiplies tiles of a by tiles of b, behind a store to a.
const product = `entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>) {
  %start = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %pb = assume div_by<16>, %b : tile<ptr<f16>>
  %ta = make_tensor_view %pa, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf16, strides=[256,1]>
  %va = make_partition_view %ta : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>
  %tb = make_tensor_view %pb, shape = [256, 64], strides = [64, 1] : tensor_view<256x64xf16, strides=[64,1]>
  %vb = make_partition_view %tb : partition_view<tile=(64x64), padding_value = zero, tensor_view<256x64xf16, strides=[64,1]>>
  %tc = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %vc = make_partition_view %tc : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
  %zero = constant <f32: 0.0> : tile<64x64xf32>
  %half = constant <f16: 1.0> : tile<64x64xf16>
  %first = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %stored = store_view_tko weak %half, %va[%first, %one] token = %start : tile<64x64xf16>, partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> token
  %sum = for %i in (%first to %four, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
    %x, %tx = load_view_tko weak %va[%first, %i] token = %BEFORE : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x64xf16>, token
    %y, %ty = load_view_tko weak %vb[%i, %first] token = %start : partition_view<tile=(64x64), padding_value = zero, tensor_view<256x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
    %next = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %1 = store_view_tko weak %sum, %vc[%first, %first] token = %start : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}`

// TestFeeds: a load is copied ahead unless it comes after a store to the same memory, for which it would have to wait for other threads.
func TestFeeds(t *testing.T) {
	for _, arch := range []string{"sm_80", "sm_90a"} {
		for before, want := range map[string]int{"start": 2, "stored": 1} {
			m, err := text.Parse(strings.ReplaceAll(product, "BEFORE", before), text.ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			x, err := threads.Explain(m, arch, threads.Options{Tensors: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(x.Plan.Feeds); got != want {
				t.Errorf("%s, after %s: %d loads are copied ahead, want %d", arch, before, got, want)
			}
		}
	}
}

// TestFoundIndex: a load whose index is loaded is copied ahead with that, unless the index comes after a store to its memory.
func TestFoundIndex(t *testing.T) {
	const load = "%x, %tx = load_view_tko weak %va[%first, %i]"
	for before, want := range map[string]int{"start": 2, "stored": 1} {
		src := strings.ReplaceAll(product, "BEFORE", "start")
		src = strings.Replace(src, load, "%ip = ptr_to_int %a : tile<ptr<f16>> -> tile<i64>\n%iq = int_to_ptr %ip : tile<i64> -> tile<ptr<i32>>\n"+
			"%j, %tj = load_ptr_tko weak %iq token = %"+before+" : tile<ptr<i32>> -> tile<i32>, token\n"+strings.Replace(load, "%i]", "%j]", 1), 1)
		m, err := text.Parse(src, text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := threads.Explain(m, "sm_80", threads.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(x.Plan.Feeds); got != want {
			t.Errorf("after %s: %d loads are copied ahead, want %d", before, got, want)
		}
	}
}

// TestAliased: where the memory of parameters is apart, a store through one of them does not keep loads through another one from being copied ahead or
// fetched as boxes, unless a fence lies between that says that they may be the same by other addresses.
func TestAliased(t *testing.T) {
	const tensor = "tensor_view<64x64xf16, strides=[64,1]>"
	part := "partition_view<tile=(64x64), " + tensor + ">"
	src := strings.Replace(product, "%c: tile<ptr<f32>>)", "%c: tile<ptr<f32>>, %d: tile<ptr<f16>>)", 1)
	from, to := strings.Index(src, "  %stored ="), strings.Index(src, "  %sum =")
	src = src[:from] + "  %td = make_tensor_view %d, shape = [64, 64], strides = [64, 1] : " + tensor + "\n  %vd = make_partition_view %td : " + part + "\n" +
		"  %stored = store_view_tko weak %half, %vd[%first, %first] token = %start : tile<64x64xf16>, " + part + ", tile<i32> -> token\n" +
		"  %aliased = memory_fence_alias_tko %stored\n" + src[to:]
	for _, arch := range []string{"sm_80", "sm_90a", "sm_100a"} {
		for before, want := range map[string]int{"start": 2, "stored": 2, "aliased": 1} {
			m, err := text.Parse(strings.ReplaceAll(src, "BEFORE", before), text.ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			x, err := threads.Explain(m, arch, threads.Options{Tensors: true, Apart: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(x.Plan.Feeds); got != want || len(x.Plan.Fetches) > 0 {
				t.Errorf("%s, after %s: %d loads are copied ahead, want %d; %d are fetched", arch, before, got, want, len(x.Plan.Fetches))
			}
		}
	}
}

// TestProducer: a warp of its own copies boxes if what decides about the copies is single elements that it can find itself.
func TestProducer(t *testing.T) {
	const first = "%first = constant <i32: 0> : tile<i32>"
	shape := "partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>"
	for name, x := range map[string]struct {
		bound string // of the loop
		want  bool
	}{
		"constant":  {"%four = constant <i32: 4> : tile<i32>", true},
		"index":     {"%four = constant <i32: 4> : tile<i32>", false},
		"block":     {"%four, %by, %bz = get_tile_block_id : tile<i32>", true},
		"parameter": {"%four = assume bounded<0, 4>, %n : tile<i32>", true},
		"atomic": {"%q = ptr_to_int %c : tile<ptr<f32>> -> tile<i64>\n  %w = int_to_ptr %q : tile<i64> -> tile<ptr<i32>>\n" +
			"  %four, %done = atomic_rmw_tko relaxed device %w, add, %one token = %start : tile<ptr<i32>>, tile<i32> -> tile<i32>, token", false},
		"written": {"%q = ptr_to_int %c : tile<ptr<f32>> -> tile<i64>\n  %w = int_to_ptr %q : tile<i64> -> tile<ptr<i32>>\n" +
			"  %four, %done = load_ptr_tko weak %w token = %start : tile<ptr<i32>> -> tile<i32>, token", false},
		"tile": {"%t, %done = load_view_tko weak %va[%first, %first] token = %start : " + shape + ", tile<i32> -> tile<64x64xf16>, token\n" +
			"  %s = reduce %t dim=0 identities=[0.0 : f16] : tile<64x64xf16> -> tile<64xf16> (%e: tile<f16>, %f: tile<f16>) {\n    %m = maxf %e, %f : tile<f16>\n    yield %m : tile<f16>\n  }\n" +
			"  %u = reduce %s dim=0 identities=[0.0 : f16] : tile<64xf16> -> tile<f16> (%e: tile<f16>, %f: tile<f16>) {\n    %m = maxf %e, %f : tile<f16>\n    yield %m : tile<f16>\n  }\n" +
			"  %four = ftoi %u signed : tile<f16> -> tile<i32>", false},
	} {
		src := strings.ReplaceAll(product, "BEFORE", "start")
		src = strings.Replace(src, "  %four = constant <i32: 4> : tile<i32>\n", "  "+x.bound+"\n", 1)
		if name == "index" {
			src = strings.Replace(src, "%x, %tx = load_view_tko weak %va[%first, %i]", "%all = iota : tile<4xi32>\n    %part = extract %all[%i] : tile<4xi32> -> tile<1xi32>\n"+
				"    %j = reshape %part : tile<1xi32> -> tile<i32>\n    %x, %tx = load_view_tko weak %va[%first, %j]", 1)
		}
		src = strings.Replace(src, "%c: tile<ptr<f32>>)", "%c: tile<ptr<f32>>, %n: tile<i32>)", 1)
		if strings.Count(src, first) != 1 {
			t.Fatal("no first")
		}
		m, err := text.Parse(src, text.ParseOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, err := threads.Explain(m, "sm_90a", threads.Options{Tensors: true, Apart: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := e.Plan.Producer != nil; got != x.want || e.Kernel.Producer != x.want || e.Code.Kernels[0].Block[0] != map[bool]int{true: 160, false: 128}[x.want] {
			t.Errorf("%s: producer %t, kernel %t, %d threads; want %t", name, got, e.Kernel.Producer, e.Code.Kernels[0].Block[0], x.want)
		}
	}
}

// TestFloats8: products of floats of 8 bits use tensor cores, those for 8 bits only where these keep the bits of sums, or fast_acc lets them go.
func TestFloats8(t *testing.T) {
	src := strings.NewReplacer("BEFORE", "start", "f16", "f8E4M3FN", "constant <f8E4M3FN: 1.0>", "constant <f8E4M3FN: 0x38>").Replace(product)
	for _, x := range []struct{ arch, flag, want string }{
		{"sm_75", "", "m16n8k8 by 2x2 warps, of f16"}, {"sm_80", "", "m16n8k16 by 2x2 warps, of f16"}, {"sm_89", "", "m16n8k16 by 2x2 warps, of f16"},
		{"sm_89", " fast_acc", "m16n8k32 by 2x2 warps"}, {"sm_90a", "", "m64n64k16 by 4x1 warps as a group, of f16"},
		{"sm_90a", " fast_acc", "m64n64k32 by 4x1 warps as a group"}, {"sm_100a", "", "m64n64k32 in 64 columns of tensor memory from 0 while the loop runs"},
		{"sm_120a", "", "m16n8k16 by 2x2 warps, of f16"},
	} {
		m, err := text.Parse(strings.Replace(src, "%x, %y, %acc", "%x, %y, %acc"+x.flag, 1), text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := threads.Explain(m, x.arch, threads.Options{Tensors: true})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(e.Plan.String(), "mmaf  "+x.want+"\n") && !strings.Contains(e.Plan.String(), "mmaf  "+x.want+", until the next turn\n") {
			t.Errorf("%s%s: got plan\n%v\nwant %s", x.arch, x.flag, e.Plan, x.want)
		}
	}
}

// TestNested: loops within loops that copy tiles ahead share the memory that there is, relu(x·w1)·w2 by tiles of 128 by 128.
func TestNested(t *testing.T) {
	src, err := os.ReadFile("testdata/nested.tileir")
	if err != nil {
		t.Fatal(err)
	}
	m, err := text.Parse(string(src), text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_121a"} {
		for _, tensors := range []bool{false, true} {
			e, err := threads.Explain(m, arch, threads.Options{Tensors: tensors})
			if err != nil {
				t.Errorf("%s, tensors %t: %v", arch, tensors, err)
				continue
			}
			if target, err := simt.TargetOf(arch); err != nil || e.Kernel.Shared > target.Shared {
				t.Errorf("%s: %d bytes of shared memory, %v", arch, e.Kernel.Shared, err)
			}
		}
	}
}

// TestManyLoops: kernels have room for some tensor maps only; the tiles of further loops are copied without.
func TestManyLoops(t *testing.T) {
	src := strings.ReplaceAll(product, "BEFORE", "start")
	at, end := strings.Index(src, "  %sum = for"), strings.Index(src, "  %1 = store_view_tko")
	loop, loops := src[at:end], ""
	for i := range 39 {
		loops += strings.Replace(loop, "%sum = ", fmt.Sprintf("%%sum%d = ", i), 1)
	}
	m, err := text.Parse(src[:at]+loops+src[at:], text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"sm_90a", "sm_100a"} {
		e, err := threads.Explain(m, arch, threads.Options{Tensors: true})
		if err != nil {
			t.Fatal(err)
		}
		if n, loops := len(e.Kernel.Tensors), len(e.Plan.Loops); n == 0 || n > 16 || loops != 40 {
			t.Errorf("%s: %d tensor maps, %d loops that copy ahead", arch, n, loops)
		}
		if err := simt.Verify(e.Code, arch); err != nil {
			t.Errorf("%s: %v", arch, err)
		}
	}
}

// TestConvert8: floats of 8 bits are converted two at once where there is an instruction for that.
func TestConvert8(t *testing.T) {
	src, err := os.ReadFile("testdata/found/float8.tileir")
	if err != nil {
		t.Fatal(err)
	}
	p, err := nativefuzz.Parse(string(src))
	if err != nil {
		t.Fatal(err)
	}
	for arch, want := range map[string]int{"sm_80": 0, "sm_89": 4, "sm_90a": 4} { // of 8 elements that a thread has
		m, err := threads.PTX(p.Module, "k", arch, threads.Options{})
		if err != nil {
			t.Fatal(err)
		}
		code, err := ptx.Write(m, arch)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []string{"cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.e5m2x2.f32"} {
			if n := strings.Count(string(code), op); n != want {
				t.Errorf("%s: %d times %s, want %d", arch, n, op, want)
			}
		}
	}
}
