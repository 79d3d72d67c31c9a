package cpu_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir/text"
)

// explainedText adds two tiles, sums the result along both dimensions, and stores it with a memory order.
const explainedText = `entry @k(%p: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %t = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
  %v = make_partition_view %t : partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32,1]>>
  %x, %a = load_view_tko weak %v[%zero, %zero] : partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32,1]>>, tile<i32> -> tile<64x32xf32>, token
  %y = addf %x, %x : tile<64x32xf32>
  %rows = reduce %y dim=1 identities=[0.0 : f32] : tile<64x32xf32> -> tile<64xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %s = addf %l, %r : tile<f32>
    yield %s : tile<f32>
  }
  %columns = reduce %y dim=0 identities=[0.0 : f32] : tile<64x32xf32> -> tile<32xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %s = addf %l, %r : tile<f32>
    yield %s : tile<f32>
  }
  %b = store_view_tko release device %y, %v[%zero, %zero] : tile<64x32xf32>, partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32,1]>>, tile<i32> -> token
  return
}
`

func explain(t *testing.T, level string) *cpu.Explanation {
	return explainModule(t, explainedText, level)
}

func explainModule(t *testing.T, module, level string) *cpu.Explanation {
	t.Helper()
	m, err := text.Parse(module, text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := host.Named(level)
	if err != nil {
		t.Fatal(err)
	}
	x, err := cpu.Explain(t.Context(), m, "k", target)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cpu.Explain(t.Context(), m, "other", target); err == nil || !strings.Contains(err.Error(), `no entry "other"`) {
		t.Errorf("another entry: %v", err)
	}
	return x
}

// TestExplain: each operation is explained once, in order, at every level, without those in bodies of reductions.
func TestExplain(t *testing.T) {
	for _, level := range []string{"avx512", "avx2", "neon"} {
		x := explain(t, level)
		var got []string
		for _, o := range x.Ops {
			if o.Way != cpu.Outside {
				got = append(got, o.Op.Info.Mnemonic+" "+o.Way.String()+": "+o.Text)
			}
		}
		want := []string{"load_view_tko native: pass 0", "addf native: pass 0", "reduce native: pass 0", "reduce native: pass 0",
			"store_view_tko interpreted: it has a memory order"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", level, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if x.Entry == nil || x.Entry.Size == 0 || x.WhyNot != "" {
			t.Fatalf("%s: no function of the entry: %s", level, x.WhyNot)
		}
		var left []string
		for _, o := range x.Entry.Left {
			if !o.Memory && !o.Seldom {
				left = append(left, o.Op.Info.Mnemonic)
			}
		}
		if !slices.Equal(left, []string{"store_view_tko"}) {
			t.Errorf("%s: the function leaves %q", level, left)
		}
		if len(x.Segments) != 2 || x.Segments[0].Function.Size == 0 || len(x.Code) < 20 {
			t.Errorf("%s: %d segments, %d lines of code", level, len(x.Segments), len(x.Code))
		}
	}
}

// TestExplainInterpreter: without machine code the level is the reason.
func TestExplainInterpreter(t *testing.T) {
	x := explain(t, "interpreter")
	n := 0
	for _, o := range x.Ops {
		if o.Way == cpu.Interpreted {
			n++
			if o.Text != "there is no machine code for level interpreter" {
				t.Errorf("%s: %s", o.Op.Info.Mnemonic, o.Text)
			}
		}
	}
	if n != 5 || len(x.Segments) != 0 || len(x.Code) != 0 || x.Entry != nil {
		t.Errorf("%d operations are interpreted, %d segments, %d lines", n, len(x.Segments), len(x.Code))
	}
}

// productText multiplies two tiles.
const productText = `entry @k(%p: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %t = make_tensor_view %p, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]>
  %v = make_partition_view %t : partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>
  %x, %a = load_view_tko weak %v[%zero, %zero] : partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> tile<32x32xf32>, token
  %y = mmaf %x, %x, %x : tile<32x32xf32>, tile<32x32xf32>, tile<32x32xf32>
  %b = store_view_tko weak %y, %v[%zero, %zero] : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> token
  return
}
`

// TestExplainProduct: package gemm has code for every level, with blocks of its own.
func TestExplainProduct(t *testing.T) {
	for level, block := range map[string]string{"avx512": "8 by 32", "avx2": "6 by 16", "neon": "8 by 12"} {
		want := "product of f32, 32 by 32 by 32: blocks of " + block + ", a loop over k, A in place, B in place"
		x := explainModule(t, productText, level)
		i := slices.IndexFunc(x.Ops, func(o cpu.ExplainedOp) bool { return o.Op.Info.Mnemonic == "mmaf" })
		if i < 0 || x.Ops[i].Text != want {
			t.Errorf("%s: operation %d of %v, want %q", level, i, x.Ops, want)
		}
	}
}
