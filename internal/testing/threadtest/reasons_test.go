package threadtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

const (
	loadX = "%x, %tx = load_view_tko weak %va[%first, %i] token = %start : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x64xf16>, token"
	mmaXY = "%next = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>"
)

// undoneCase is a change of a product.
type undoneCase struct {
	name, arch string
	changes    []string // what is replaced by what
	want       string   // a line of the plan, without the width of an access
}

// undone are changes of a product with which something is not done, and what the plan says of it.
var undone = []undoneCase{
	{"elements", "sm_80", []string{"f16>", "f64>", "xf16", "xf64", "f32", "f64", "<f16", "<f64"}, "mmaf  without matrix instructions: no instruction is used that multiplies f64 by f64 into f64"},
	{"rows", "sm_80", []string{"tile=(64x64), padding_value = zero, tensor_view<64x256", "tile=(8x64), padding_value = zero, tensor_view<64x256", "tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>",
		"tile<8x64xf16>, tile<64x64xf16>, tile<8x64xf32>", "%acc = %zero) -> (tile<64x64xf32>)", "%acc = %zero) -> (tile<8x64xf32>)", "continue %next : tile<64x64xf32>", "continue %next : tile<8x64xf32>",
		"constant <f32: 0.0> : tile<64x64xf32>", "constant <f32: 0.0> : tile<8x64xf32>", "tile=(64x64), tensor_view<64x64xf32", "tile=(8x64), tensor_view<64x64xf32",
		"weak %sum, %vc[%first, %first] token = %start : tile<64x64xf32>", "weak %sum, %vc[%first, %first] token = %start : tile<8x64xf32>", "tile<i32> -> tile<64x64xf16>, token\n    %y", "tile<i32> -> tile<8x64xf16>, token\n    %y",
		"weak %half, %va[%first, %one] token = %start : tile<64x64xf16>", "weak %half, %va[%first, %one] token = %start : tile<8x64xf16>", "constant <f16: 1.0> : tile<64x64xf16>", "constant <f16: 1.0> : tile<8x64xf16>"},
		"mmaf  without matrix instructions: m8n64k64 is no multiple of m16n16k8"},
	{"pointers", "sm_80", []string{loadX, "%at = reshape %a : tile<ptr<f16>> -> tile<1x1xptr<f16>>\n%all = broadcast %at : tile<1x1xptr<f16>> -> tile<64x64xptr<f16>>\n" +
		"%x, %tx = load_ptr_tko weak %all token = %start : tile<64x64xptr<f16>> -> tile<64x64xf16>, token"}, "load_ptr_tko  not copied ahead: it does not move 16 bytes at once"},
	{"own memory", "sm_80", []string{"%zero = constant", "%own = alloca num_elem = 4096, alignment = 16 : tile<ptr<f16>>\n%zero = constant",
		loadX, "%at = reshape %own : tile<ptr<f16>> -> tile<1x1xptr<f16>>\n%all = broadcast %at : tile<1x1xptr<f16>> -> tile<64x64xptr<f16>>\n" +
			"%n = iota : tile<4096xi32>\n%places = reshape %n : tile<4096xi32> -> tile<64x64xi32>\n%each = offset %all, %places : tile<64x64xptr<f16>>, tile<64x64xi32> -> tile<64x64xptr<f16>>\n" +
			"%x, %tx = load_ptr_tko weak %each token = %start : tile<64x64xptr<f16>> -> tile<64x64xf16>, token"}, "load_ptr_tko  not copied ahead: it reads memory of alloca"},
	{"order", "sm_80", []string{loadX, strings.Replace(loadX, "weak", "relaxed device", 1)}, "load_view_tko  not copied ahead: its memory order is not weak"},
	{"width", "sm_80", []string{"%pa = assume div_by<16>, %a", "%pa = assume div_by<4>, %a"}, "load_view_tko  not copied ahead: it does not move 16 bytes at once"},
	{"padding", "sm_80", []string{"padding_value = zero, tensor_view<64x256", "padding_value = nan, tensor_view<64x256"}, "load_view_tko  not copied ahead: it pads with something else than zeros"},
	{"token", "sm_80", []string{mmaXY, mmaXY + "\n%after = store_view_tko weak %half, %va[%first, %i] token = %tx : tile<64x64xf16>, " +
		"partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> token"},
		"load_view_tko  not copied ahead: what comes after it in the loop may write the same memory or releases"},
	{"view", "sm_80", []string{loadX, "%tm = make_tensor_view %pa, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf16, strides=[256,1]>\n" +
		"%vm = make_partition_view %tm : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>\n" + strings.Replace(loadX, "%va", "%vm", 1)},
		"load_view_tko  not copied ahead: its view changes in the loop"},
	{"token of the loop", "sm_80", []string{loadX, "%inner = make_token : token\n%moved = join_tokens %inner, %start : token\n" + strings.Replace(loadX, "token = %start", "token = %moved", 1)},
		"load_view_tko  not copied ahead: it waits for a token of the loop"},
	{"written", "sm_80", []string{loadX, strings.Replace(loadX, "token = %start", "token = %stored", 1)}, "load_view_tko  not copied ahead: it comes after what may write the same memory or acquires"},
	{"index", "sm_80", []string{loadX, "%ip = ptr_to_int %a : tile<ptr<f16>> -> tile<i64>\n%iq = int_to_ptr %ip : tile<i64> -> tile<ptr<i32>>\n" +
		"%j, %tj = load_ptr_tko relaxed device %iq token = %start : tile<ptr<i32>> -> tile<i32>, token\n" + strings.Replace(loadX, "%first, %i", "%first, %j", 1)},
		"load_view_tko  not copied ahead: its indices, pointers or mask depend on more than the loop's counter"},
	{"uses", "sm_80", []string{mmaXY, strings.Replace(mmaXY, "%next = mmaf %x", "%twice = addf %x, %x : tile<64x64xf16>\n%more = mulf %twice, %x : tile<64x64xf16>\n%next = mmaf %more", 1)},
		"load_view_tko  not copied ahead: its tile does not go to one operation of the loop alone"},
	{"use", "sm_80", []string{mmaXY, strings.Replace(mmaXY, "%next = mmaf %x", "%less = negf %x : tile<64x64xf16>\n%next = mmaf %less", 1)},
		"load_view_tko  not copied ahead: its tile goes to negf"},
	{"addend", "sm_80", []string{"mmaf %x, %y, %acc", "mmaf %half, %y, %x", "f32", "f16", "%next : tile<64x64xf16>", "%next : tile<64x64xf16>"}, "load_view_tko  not copied ahead: its tile is added to a product"},
	{"call", "sm_90a", []string{mmaXY, "%positive = cmpi greater_than_or_equal %i, %first, signed : tile<i32> -> tile<i1>\nassert %positive, \"i\" : tile<i1>\n" + mmaXY},
		"mmaf  m64n64k16 by 4x1 warps as a group, until the next turn; it does not overlap: ptxas completes each one before what follows, as assert calls a function"},
	{"scaling", "sm_120a", []string{"f16: 1.0", "f8E4M3FN: 0x38", "f16", "f8E4M3FN", "%a: tile<ptr<f8E4M3FN>>", "%r: tile<ptr<f8E8M0FNU>>, %a: tile<ptr<f8E4M3FN>>",
		"    %next = mmaf %x, %y, %acc : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>", "    %lines, %read = load_view_tko weak %vr[%i, %first] token = %start : " +
			"partition_view<tile=(2x64), padding_value = zero, tensor_view<8x64xf8E8M0FNU, strides=[64,1]>>, tile<i32> -> tile<2x64xf8E8M0FNU>, token\n" +
			"    %right = reshape %lines : tile<2x64xf8E8M0FNU> -> tile<2x64xf8E8M0FNU>\n" +
			"    %next = mmaf_scaled %x, %y, %acc, %left, %right : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>, tile<64x2xf8E8M0FNU>, tile<2x64xf8E8M0FNU>",
		"%start = make_token : token", "%start = make_token : token\n%left = constant <f8E8M0FNU: 0x7f> : tile<64x2xf8E8M0FNU>\n%pr = assume div_by<16>, %r : tile<ptr<f8E8M0FNU>>\n" +
			"%tr = make_tensor_view %pr, shape = [8, 64], strides = [64, 1] : tensor_view<8x64xf8E8M0FNU, strides=[64,1]>\n" +
			"%vr = make_partition_view %tr : partition_view<tile=(2x64), padding_value = zero, tensor_view<8x64xf8E8M0FNU, strides=[64,1]>>"},
		"load_view_tko  not copied ahead: its tile has the factors of a product's elements"},
	{"wide elements", "sm_80", []string{"f16: 1.0", "tf32: 1.0", "f16", "tf32"}, "load_view_tko  not copied ahead: the matrix instruction cannot read its tile as it is in memory"},
}

// boxless are changes with which tiles are not copied as boxes of tensors, or not by a warp of its own.
var boxless = []struct {
	name    string
	changes []string
	want    string
}{
	{"return", []string{mmaXY, "%left = cmpi equal %i, %one, signed : tile<i32> -> tile<i1>\nif %left {\nreturn\n}\n" + mmaXY}, "tiles are not copied as boxes: a return in the loop would leave copies under way"},
	{"strided", []string{"%va = make_partition_view %ta", "%vs = make_strided_view %ta : strided_view<tile=(64x64), traversal_strides=[64,64], padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>\n" +
		"%va = make_partition_view %ta", loadX, strings.Replace(strings.Replace(loadX, "%va", "%vs", 1), "partition_view<tile=(64x64),", "strided_view<tile=(64x64), traversal_strides=[64,64],", 1)},
		"tiles are not copied as boxes: the load_view_tko is not of a partition of a tensor view with a contiguous dimension"},
	{"address", []string{"%pa = assume div_by<16>, %a", "%off = constant <i32: 64> : tile<i32>\n%ab = assume div_by<16>, %a : tile<ptr<f16>>\n%ao = offset %ab, %off : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>\n%pa = assume div_by<16>, %ao"},
		"tiles are not copied as boxes: the address of the tensor of the load_view_tko is no parameter"},
	{"extent", []string{"%a: tile<ptr<f16>>", "%n: tile<i32>, %a: tile<ptr<f16>>", "%ta = make_tensor_view %pa, shape = [64, 256], strides = [256, 1] :",
		"%m = addi %n, %n : tile<i32>\n%ta = make_tensor_view %pa, shape = [%m, 256], strides = [256, 1] : tile<i32> ->", "tensor_view<64x256xf16", "tensor_view<?x256xf16"},
		"tiles are not copied as boxes: an extent of the tensor of the load_view_tko is neither a parameter nor known"},
	{"stride", []string{"%a: tile<ptr<f16>>", "%n: tile<i32>, %a: tile<ptr<f16>>", "%ta = make_tensor_view %pa, shape = [64, 256], strides = [256, 1] :",
		"%mm = addi %n, %n : tile<i32>\n%m = assume div_by<16>, %mm : tile<i32>\n%ta = make_tensor_view %pa, shape = [64, 256], strides = [%m, 1] : tile<i32> ->",
		"tensor_view<64x256xf16, strides=[256,1]>", "tensor_view<64x256xf16, strides=[?,1]>"},
		"tiles are not copied as boxes: a stride of the tensor of the load_view_tko is neither a parameter nor known"},
	{"rank", []string{"shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf16", "shape = [1, 1, 1, 1, 64, 256], strides = [16, 16, 16, 16, 256, 1] : tensor_view<1x1x1x1x64x256xf16",
		"tile=(64x64), padding_value = zero, tensor_view<64x256xf16", "tile=(1x1x1x1x64x64), padding_value = zero, tensor_view<1x1x1x1x64x256xf16",
		"strides=[256,1]", "strides=[16,16,16,16,256,1]", "%va[", "%va[%first, %first, %first, %first, ", "tile<i32> -> tile<64x64xf16>, token\n    %y", "tile<i32> -> tile<1x1x1x1x64x64xf16>, token\n    %y",
		"%x, %tx", "%xx, %tx", "    %next", "    %x = reshape %xx : tile<1x1x1x1x64x64xf16> -> tile<64x64xf16>\n    %next", "constant <f16: 1.0> : tile<64x64xf16>", "constant <f16: 1.0> : tile<1x1x1x1x64x64xf16>",
		"token = %start : tile<64x64xf16>, partition", "token = %start : tile<1x1x1x1x64x64xf16>, partition"},
		"tiles are not copied as boxes: the tensor of the load_view_tko has more than 5 dimensions, or elements of less than 8 bits"},
	{"short rows", append(sized("128", "8", "128"), "shape = [64, 64]", "shape = [128, 128]"), "tiles are not copied as boxes: the tile of the load_view_tko has rows of less than 32 bytes"},
	{"few rows", append(sized("64", "2", "128"), "shape = [64, 64]", "shape = [64, 128]"), "tiles are not copied as boxes: the tile of the load_view_tko has less than 8 rows, of more than 128 bytes"},
	{"long", append(sized("512", "16", "64"), "shape = [64, 64]", "shape = [512, 64]"), "tiles are not copied as boxes: the tile of the load_view_tko has an extent of more than 256"},
	{"many", append(sized("64", "32", "64"), "    %next = mmaf %x, %y, %acc", nineProducts()), "tiles are not copied as boxes: the kernel would have more than 16 tensor maps"},
	{"tile", []string{"%four = constant <i32: 4> : tile<i32>", "%all = iota : tile<4xi32>\n%part = extract %all[%one] : tile<4xi32> -> tile<1xi32>\n%four = reshape %part : tile<1xi32> -> tile<i32>"},
		"boxes are copied by the threads that multiply: a warp of its own would need the tile of iota"},
	{"operation", []string{"%four = constant <i32: 4> : tile<i32>", "%q = ptr_to_int %c : tile<ptr<f32>> -> tile<i64>\n  %w = int_to_ptr %q : tile<i64> -> tile<ptr<i32>>\n" +
		"  %four, %done = atomic_rmw_tko relaxed device %w, add, %one token = %start : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"},
		"boxes are copied by the threads that multiply: a warp of its own would have to execute atomic_rmw_tko"},
}

// sized are the changes that make the product one of tiles of m by k and k by n elements.
func sized(m, k, n string) []string {
	x, y, sums := m+"x"+k, k+"x"+n, m+"x"+n
	return []string{"tensor_view<64x64xf32", "tensor_view<" + sums + "xf32", "tile=(64x64), tensor_view", "tile=(" + sums + "), tensor_view", "tile<64x64xf32>", "tile<" + sums + "xf32>",
		"tile=(64x64), padding_value = zero, tensor_view<64x256", "tile=(" + x + "), padding_value = zero, tensor_view<64x256",
		"tile=(64x64), padding_value = zero, tensor_view<256x64", "tile=(" + y + "), padding_value = zero, tensor_view<256x64",
		"strides=[64,1]>>, tile<i32> -> tile<64x64xf16>", "strides=[64,1]>>, tile<i32> -> tile<" + y + "xf16>", "tile<64x64xf16>, tile<64x64xf16>, tile<", "tile<" + x + "xf16>, tile<" + y + "xf16>, tile<",
		"tile<64x64xf16>", "tile<" + x + "xf16>"}
}

// nineProducts adds eight products of tiles of 64 by 32 and 32 by 64 elements in front of the loop's.
func nineProducts() string {
	var b strings.Builder
	sum := "%acc"
	for i := range 8 {
		fmt.Fprintf(&b, "    %%x%d, %%tx%d = load_view_tko weak %%va[%%first, %%i] token = %%start : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x32xf16>, token\n", i, i)
		fmt.Fprintf(&b, "    %%y%d, %%ty%d = load_view_tko weak %%vb[%%i, %%first] token = %%start : partition_view<tile=(32x64), padding_value = zero, tensor_view<256x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x64xf16>, token\n", i, i)
		fmt.Fprintf(&b, "    %%next%d = mmaf %%x%d, %%y%d, %s : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>\n", i, i, i, sum)
		sum = fmt.Sprintf("%%next%d", i)
	}
	return b.String() + "    %next = mmaf %x, %y, " + sum
}

// small are reasons on machines that lack something, of a product or of its loads.
var small = map[string]struct {
	changes []string
	target  plan.Target
	want    string
}{
	"parts":  {nil, plan.Target{Block: threads.Block, Units: warps, Async: true, Shared: 8 << 10}, "not copied ahead: its product has no matrix instruction, and takes scales, or parts of its factors"},
	"room":   {nil, plan.Target{Block: threads.Block, Units: warps, Async: true, Shared: 8 << 10}, "without matrix instructions: its factors take more than a block's shared memory"},
	"stages": {nil, plan.Target{Block: threads.Block, Units: warps, Async: true, Shared: 20 << 10}, "not copied ahead: the tiles of two turns take more than a block's shared memory"},
	"warps": {nil, plan.Target{Block: linear.Block{Lanes: 5, Warps: 1}, Units: []ir.Unit{{Kind: ir.WarpGroup, M: 64, N: 256, K: 16, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}}, Shared: 1 << 20},
		"without matrix instructions: too many sums for the registers of a block, or too few for its warps"},
	"none": {nil, plan.Target{Block: threads.Block, Shared: 1 << 20}, "without matrix instructions: no instruction is used that multiplies f16 by f16 into f32"},
	"scales": {[]string{"f16: 1.0", "f8E4M3FN: 0x38", "f16", "f8E4M3FN", "mmaf %x, %y, %acc : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>",
		"mmaf_scaled %x, %y, %acc, %left, %right : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>, tile<64x2xf8E8M0FNU>, tile<2x64xf8E8M0FNU>",
		"%start = make_token : token", "%start = make_token : token\n%left = constant <f8E8M0FNU: 0x7f> : tile<64x2xf8E8M0FNU>\n%right = constant <f8E8M0FNU: 0x7f> : tile<2x64xf8E8M0FNU>"},
		plan.Target{Block: threads.Block, Units: warps, Async: true, Shared: 1 << 20}, "without matrix instructions: no instruction is used that multiplies f8E4M3FN by f8E4M3FN into f32 with such scales"},
}

// warps are a machine's matrix instructions.
var warps = []ir.Unit{{M: 16, N: 8, K: 16, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}}

// changed is the product with changes.
func changed(t *testing.T, changes []string) string {
	t.Helper()
	src := strings.ReplaceAll(product, "BEFORE", "start")
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(src, changes[i]) {
			t.Fatalf("the product has no %q in\n%s", changes[i], src)
		}
		src = strings.ReplaceAll(src, changes[i], changes[i+1])
	}
	return src
}

// TestReasons: the plan says why something is not done, which it does without the change.
func TestReasons(t *testing.T) {
	seen := map[plan.Why]bool{}
	for _, c := range undone {
		t.Run(c.name, func(t *testing.T) {
			m, err := text.Parse(changed(t, c.changes), text.ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			e, err := threads.Explain(m, c.arch, threads.Options{Tensors: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range e.Plan.Reasons {
				seen[r.Why] = true
			}
			got := regexp.MustCompile(`\d+ side by side; `).ReplaceAllString(e.Plan.String(), "")
			if !strings.Contains(got, c.want+"\n") {
				t.Errorf("got\n%s\nwant a line %q", got, c.want)
			}
		})
	}
	for _, c := range boxless {
		t.Run(c.name, func(t *testing.T) {
			m, err := text.Parse(changed(t, c.changes), text.ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, why, _ := strings.Cut(c.want, ": ") // of other targets, whose threads may copy without boxes for the same reason
			for arch, want := range map[string]string{"sm_90a": "  for  " + c.want, "sm_90": ": " + why} {
				e, err := threads.Explain(m, arch, threads.Options{Tensors: true, Apart: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range e.Plan.Reasons {
					seen[r.Why] = true
				}
				if got := e.Plan.String(); !strings.Contains(got, want+"\n") {
					t.Errorf("%s: got\n%s\nwant %q", arch, got, want)
				}
			}
		})
	}
	t.Run("room for a producer", func(t *testing.T) {
		m, err := text.Parse(changed(t, nil), text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := threads.Explain(m, "sm_90a", threads.Options{Tensors: true, Apart: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Plan.Producer == nil || strings.Contains(e.Plan.String(), "  for ") {
			t.Fatalf("got\n%s", e.Plan)
		}
		e.Plan.Unproduce()
		seen[plan.NoRoom] = true
		if got := e.Plan.String(); !strings.Contains(got, "  for  boxes are copied by the threads that multiply: the stages of a warp of its own take more shared memory than the rest leaves\n") {
			t.Errorf("got\n%s", got)
		}
	})
	for name, c := range small {
		t.Run(name, func(t *testing.T) {
			m, err := text.Parse(changed(t, c.changes), text.ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p := plan.New(m.Entries[0], c.target)
			for _, r := range p.Reasons {
				seen[r.Why] = true
			}
			if got := p.String(); !strings.Contains(got, c.want+"\n") {
				t.Errorf("got\n%s\nwant %q", got, c.want)
			}
		})
	}
	for why := range plan.Whys {
		if !seen[why] && why != plan.Unaligned { // loads of which that is not known do not move 16 bytes at once
			t.Errorf("no test has %q", why)
		}
	}
}

// TestReasonsAreGiven: whatever a plan does not do with the products of the modules that were found, and with the loads beside them, it says why.
func TestReasonsAreGiven(t *testing.T) {
	files, err := filepath.Glob("testdata/found/*.tileir")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	done, undone := 0, 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := text.Parse(string(src), text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, arch := range []string{"sm_80", "sm_90a", "sm_100a"} {
			e, err := threads.Explain(m, arch, threads.Options{Tensors: true})
			if err != nil {
				continue // refused
			}
			p := e.Plan
			for op := range m.Entries[0].All() {
				r, reason := p.Reasons[op]
				reason = reason && r.Why != plan.Called
				is := p.Products[op] != nil || p.Feeds[op] != nil
				switch op.Info.Opcode {
				case tileir.OpMmaF, tileir.OpMmaI, tileir.OpMmaFScaled, tileir.OpLoadViewTko:
					if is && reason || !is && !reason && op.Info.Opcode != tileir.OpLoadViewTko {
						t.Errorf("%s for %s: %s is done %t, and has a reason %t", file, arch, op.Info.Mnemonic, is, reason)
					}
				}
				if boxes := p.Boxed(op) && p.Producer != nil; len(p.Loops[op]) > 0 && boxes == reason && arch != "sm_80" {
					t.Errorf("%s for %s: a warp copies the boxes of a loop: %t, and there is a reason: %t", file, arch, boxes, reason)
				}
				if is {
					done++
				} else if reason {
					undone++
				}
			}
		}
	}
	if done < 20 || undone < 15 {
		t.Errorf("%d are done, and %d are not: too few of one sort to say anything", done, undone)
	}
}
