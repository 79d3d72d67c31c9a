package threadtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestIdioms: what GPUs have better instructions for than the templates of CPUs becomes those, and has the CPU engine's bits.
func TestIdioms(t *testing.T) {
	const head = "// seed 1\n// grid 1 1 1\n// param f32 4096 true 0\n// param bf16 4096 false 0\n// param f16 4096 false 0\n" +
		"entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<bf16>>, %c: tile<ptr<f16>>) {\n%o = constant <i32: 0> : tile<i32>\n" +
		"%pa = assume #cuda_tile.div_by<16>, %a : tile<ptr<f32>>\n" +
		"%ta = make_tensor_view %pa, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>\n" +
		"%va = make_partition_view %ta : partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>\n" +
		"%pb = assume #cuda_tile.div_by<16>, %b : tile<ptr<bf16>>\n%pc = assume #cuda_tile.div_by<16>, %c : tile<ptr<f16>>\n" +
		"%tb = make_tensor_view %pb, shape = [4096], strides = [1] : tensor_view<4096xbf16, strides=[1]>\n" +
		"%vb = make_partition_view %tb : partition_view<tile=(1024), tensor_view<4096xbf16, strides=[1]>>\n" +
		"%tc = make_tensor_view %pc, shape = [4096], strides = [1] : tensor_view<4096xf16, strides=[1]>\n" +
		"%vc = make_partition_view %tc : partition_view<tile=(1024), tensor_view<4096xf16, strides=[1]>>\n"
	const loadA = "%x, %r = load_view_tko weak %va[%o] : partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token\n"
	const loadB = "%y, %r = load_view_tko weak %vb[%o] : partition_view<tile=(1024), tensor_view<4096xbf16, strides=[1]>>, tile<i32> -> tile<1024xbf16>, token\n"
	const storeB = "%s = store_view_tko weak %y, %vb[%o] : tile<1024xbf16>, partition_view<tile=(1024), tensor_view<4096xbf16, strides=[1]>>, tile<i32> -> token\n"
	const storeC = "%s = store_view_tko weak %z, %vc[%o] : tile<1024xf16>, partition_view<tile=(1024), tensor_view<4096xf16, strides=[1]>>, tile<i32> -> token\n"
	for name, c := range map[string]struct{ body, has, hasNot string }{
		"bf16":            {loadA + "%y = ftof %x : tile<1024xf32> -> tile<1024xbf16>\n" + storeB, "cvt.rn.bf16.f32", "setp.nan"},
		"f16":             {loadA + "%z = ftof %x : tile<1024xf32> -> tile<1024xf16>\n" + storeC, "cvt.rn.f16x2.f32", "cvt.rn.f16.f32"},
		"arithmetic":      {loadB + "%q = addf %y, %y : tile<1024xbf16>\n" + strings.Replace(storeB, "%y", "%q", 1), "cvt.rn.bf16x2.f32", "setp.nan"},
		"halves of words": {loadB + "%z = ftof %y : tile<1024xbf16> -> tile<1024xf16>\n" + storeC, "4294901760", "cvt.u32.u16"},
		"exp":             {loadB + "%q = exp %y : tile<1024xbf16>\n" + strings.Replace(storeB, "%y", "%q", 1), "0f4B400000", "cvt.rni"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := nativefuzz.Parse(head + c.body + "return\n}\n")
			if err != nil {
				t.Fatal(err)
			}
			o := threads.Options{Exact: true}
			code, err := threads.PTX(p.Module, "k", "sm_80", o)
			if err != nil {
				t.Fatal(err)
			}
			text, err := ptx.Write(code, "sm_80")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), c.has) || strings.Contains(string(text), c.hasNot) {
				t.Errorf("no %s, or %s, in\n%s", c.has, c.hasNot, text)
			}
			r, err := nativefuzz.NewEngineRunner(10*time.Second, threadtest.Emulator("sm_80", o))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if rep, err := r.Run(p); err != nil || rep.Diff != "" || rep.Why != "" {
				t.Errorf("%v %+v", err, rep)
			}
		})
	}
}
