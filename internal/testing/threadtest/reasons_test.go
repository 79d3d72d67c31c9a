package threadtest_test

import (
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

// undone are changes of a product with which something is not done, and what the plan says of it.
var undone = []struct {
	name, arch string
	changes    []string // what is replaced by what
	want       string   // a line of the plan, without the width of an access
}{
	{"elements", "sm_80", []string{"f16>", "f64>", "xf16", "xf64", "f32", "f64", "<f16", "<f64"}, "mmaf  without matrix instructions: no instruction multiplies f64 by f64 into f64"},
	{"rows", "sm_80", []string{"tile=(64x64), padding_value = zero, tensor_view<64x256", "tile=(8x64), padding_value = zero, tensor_view<64x256", "tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>",
		"tile<8x64xf16>, tile<64x64xf16>, tile<8x64xf32>", "%acc = %zero) -> (tile<64x64xf32>)", "%acc = %zero) -> (tile<8x64xf32>)", "continue %next : tile<64x64xf32>", "continue %next : tile<8x64xf32>",
		"constant <f32: 0.0> : tile<64x64xf32>", "constant <f32: 0.0> : tile<8x64xf32>", "tile=(64x64), tensor_view<64x64xf32", "tile=(8x64), tensor_view<64x64xf32",
		"weak %sum, %vc[%first, %first] token = %start : tile<64x64xf32>", "weak %sum, %vc[%first, %first] token = %start : tile<8x64xf32>", "tile<i32> -> tile<64x64xf16>, token\n    %y", "tile<i32> -> tile<8x64xf16>, token\n    %y",
		"weak %half, %va[%first, %one] token = %start : tile<64x64xf16>", "weak %half, %va[%first, %one] token = %start : tile<8x64xf16>", "constant <f16: 1.0> : tile<64x64xf16>", "constant <f16: 1.0> : tile<8x64xf16>"},
		"mmaf  without matrix instructions: m8n64k64 is no multiple of m16n16k8"},
	{"pointers", "sm_80", []string{loadX, "%at = reshape %a : tile<ptr<f16>> -> tile<1x1xptr<f16>>\n%all = broadcast %at : tile<1x1xptr<f16>> -> tile<64x64xptr<f16>>\n" +
		"%x, %tx = load_ptr_tko weak %all token = %start : tile<64x64xptr<f16>> -> tile<64x64xf16>, token"}, "load_ptr_tko  not copied ahead: it loads by pointers"},
	{"order", "sm_80", []string{loadX, strings.Replace(loadX, "weak", "relaxed device", 1)}, "load_view_tko  not copied ahead: its memory order is not weak"},
	{"width", "sm_80", []string{"%pa = assume div_by<16>, %a", "%pa = assume div_by<4>, %a"}, "load_view_tko  not copied ahead: it does not move 16 bytes at once"},
	{"padding", "sm_80", []string{"padding_value = zero, tensor_view<64x256", "padding_value = nan, tensor_view<64x256"}, "load_view_tko  not copied ahead: it pads with something else than zeros"},
	{"token", "sm_80", []string{mmaXY, mmaXY + "\n%joined = join_tokens %tx, %ty : token"}, "load_view_tko  not copied ahead: its token is used"},
	{"view", "sm_80", []string{loadX, "%tm = make_tensor_view %pa, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf16, strides=[256,1]>\n" +
		"%vm = make_partition_view %tm : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>\n" + strings.Replace(loadX, "%va", "%vm", 1)},
		"load_view_tko  not copied ahead: its view changes in the loop"},
	{"token of the loop", "sm_80", []string{loadX, "%inner = make_token : token\n%moved = join_tokens %inner, %start : token\n" + strings.Replace(loadX, "token = %start", "token = %moved", 1)},
		"load_view_tko  not copied ahead: it waits for a token of the loop"},
	{"written", "sm_80", []string{loadX, strings.Replace(loadX, "token = %start", "token = %stored", 1)}, "load_view_tko  not copied ahead: it comes after what may write the same memory or acquires"},
	{"index", "sm_80", []string{loadX, "%ip = ptr_to_int %a : tile<ptr<f16>> -> tile<i64>\n%iq = int_to_ptr %ip : tile<i64> -> tile<ptr<i32>>\n" +
		"%j, %tj = load_ptr_tko weak %iq token = %start : tile<ptr<i32>> -> tile<i32>, token\n" + strings.Replace(loadX, "%first, %i", "%first, %j", 1)},
		"load_view_tko  not copied ahead: its indices depend on more than the loop's counter"},
	{"uses", "sm_80", []string{mmaXY, strings.Replace(mmaXY, "%next = mmaf %x", "%twice = addf %x, %x : tile<64x64xf16>\n%more = mulf %twice, %x : tile<64x64xf16>\n%next = mmaf %more", 1)},
		"load_view_tko  not copied ahead: its tile does not go to one operation of the loop alone"},
	{"use", "sm_80", []string{mmaXY, strings.Replace(mmaXY, "%next = mmaf %x", "%less = negf %x : tile<64x64xf16>\n%next = mmaf %less", 1)},
		"load_view_tko  not copied ahead: its tile goes to negf"},
	{"product", "sm_80", []string{"f16>", "f32>", "xf16", "xf32", "<f16", "<f32"}, "load_view_tko  not copied ahead: its product has no matrix instruction"},
	{"addend", "sm_80", []string{"mmaf %x, %y, %acc", "mmaf %half, %y, %x", "f32", "f16", "%next : tile<64x64xf16>", "%next : tile<64x64xf16>"}, "load_view_tko  not copied ahead: its tile is added to a product"},
	{"integers", "sm_80", integers, "load_view_tko  not copied ahead: the matrix instruction cannot read its tile as it is in memory"},
}

// integers makes the product one of i8.
var integers = []string{"f16: 1.0", "i8: 1", "f32: 0.0", "i32: 0", "f16", "i8", "f32", "i32", "mmaf %x, %y, %acc", "mmai %x, %y, %acc signed signed"}

// small are reasons on machines that lack something, of a product or of its loads.
var small = map[string]struct {
	changes []string
	target  plan.Target
	want    string
}{
	"room":   {nil, plan.Target{Block: threads.Block, Units: warps, Async: true, Shared: 8 << 10}, "without matrix instructions: its factors take more than a block's shared memory"},
	"stages": {nil, plan.Target{Block: threads.Block, Units: warps, Async: true, Shared: 20 << 10}, "not copied ahead: the tiles of two turns take more than a block's shared memory"},
	"warps": {nil, plan.Target{Block: linear.Block{Lanes: 5, Warps: 1}, Units: []ir.Unit{{Kind: ir.WarpGroup, M: 64, N: 256, K: 16, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}}, Shared: 1 << 20},
		"without matrix instructions: too many sums for the registers of a block, or too few for its warps"},
	"none": {nil, plan.Target{Block: threads.Block, Shared: 1 << 20}, "without matrix instructions: no instruction multiplies f16 by f16 into f32"},
	"scales": {[]string{"f16: 1.0", "f8E4M3FN: 0x38", "f16", "f8E4M3FN", "mmaf %x, %y, %acc : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>",
		"mmaf_scaled %x, %y, %acc, %left, %right : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>, tile<64x2xf8E8M0FNU>, tile<2x64xf8E8M0FNU>",
		"%start = make_token : token", "%start = make_token : token\n%left = constant <f8E8M0FNU: 0x7f> : tile<64x2xf8E8M0FNU>\n%right = constant <f8E8M0FNU: 0x7f> : tile<2x64xf8E8M0FNU>"},
		plan.Target{Block: threads.Block, Units: warps, Async: true, Shared: 1 << 20}, "without matrix instructions: no instruction multiplies f8E4M3FN by f8E4M3FN into f32 with such scales"},
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
		if !seen[why] {
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
				_, reason := p.Reasons[op]
				is := p.Products[op] != nil || p.Feeds[op] != nil
				switch op.Info.Opcode {
				case tileir.OpMmaF, tileir.OpMmaI, tileir.OpMmaFScaled, tileir.OpLoadViewTko:
					if is && reason || !is && !reason && op.Info.Opcode != tileir.OpLoadViewTko {
						t.Errorf("%s for %s: %s is done %t, and has a reason %t", file, arch, op.Info.Mnemonic, is, reason)
					}
				}
				if is {
					done++
				} else if reason {
					undone++
				}
			}
		}
	}
	if done < 20 || undone < 20 {
		t.Errorf("%d are done, and %d are not: too few of one sort to say anything", done, undone)
	}
}
