package cost_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/cost"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// wasteful is a kernel with something of each kind that is lost, and BODY.
const wasteful = `entry @k(%p: tile<ptr<f32>>, %n: tile<f32>, %m: tile<i32>) {
  %z = constant <i32: 0> : tile<i32>
  %a = ASSUMED
  %v = make_tensor_view %a, shape = [64, 64], strides = [STRIDE, 1] : VIEW
  %q = make_partition_view %v : partition_view<tile=(8x64), VIEW>
  %x, %t = load_view_tko weak %q[%z, %z] : partition_view<tile=(8x64), VIEW>, tile<i32> -> tile<8x64xf32>, token
  %r = reshape %n : tile<f32> -> tile<1x1xf32>
  %w = broadcast %r : tile<1x1xf32> -> tile<8x64xf32>
  %s = reduce %x dim=1 identities=[0.000000e+00 : f32] : tile<8x64xf32> -> tile<8xf32>
  (%e: tile<f32>, %f: tile<f32>) {
    %g = addf %e, %f : tile<f32>
    yield %g : tile<f32>
  }
  %c = reshape %s : tile<8xf32> -> tile<8x1xf32>
  %y = broadcast %c : tile<8x1xf32> -> tile<8x64xf32>
  BODY
  %u = store_view_tko weak %o, %q[%z, %z] token = %t : tile<8x64xf32>, partition_view<tile=(8x64), VIEW>, tile<i32> -> token
  return
}
`

// TestLosses finds each kind of loss, and nothing where nothing is lost.
func TestLosses(t *testing.T) {
	const (
		aligned  = "assume div_by<16>, %p : tile<ptr<f32>>"
		loose    = "assume bounded<0, ?>, %m : tile<i32>"
		plain    = "%o = negf %x : tile<8x64xf32>"
		constant = "%k = constant <f32: 3.000000e+00> : tile<8x64xf32>\n  "
	)
	for _, c := range []struct{ name, base, stride, body, want string }{
		{"nothing", aligned, "", plain, ""},
		{"a number", aligned, "", "%o = divf %x, %w : tile<8x64xf32>", "divf: 512 divisions by one number: multiply by the reciprocal"},
		{"a column", aligned, "", "%o = divf %x, %y : tile<8x64xf32>", "divf: 512 divisions by 8 numbers: multiply"},
		{"a constant", aligned, "", constant + "%o = divf %x, %k : tile<8x64xf32>", "divf: 512 divisions by one number"},
		{"every element", aligned, "", "%o = divf %y, %x : tile<8x64xf32>", ""},
		{"approximate", aligned, "", "%o = divf %x, %w rounding<approx> : tile<8x64xf32>", ""},
		{"few", aligned, "", "%d = divf %c, %i : tile<8x1xf32>\n  %o = negf %x : tile<8x64xf32>", ""},
		{"again", aligned, "", "%o = exp %y : tile<8x64xf32>", "exp: exp is computed 512 times for 8 results: compute it in the smaller shape"},
		{"a choice", aligned, "", "%b = cmpf less_than ordered %y, %w : tile<8x64xf32> -> tile<8x64xi1>\n  %o = select %b, %y, %w : tile<8x64xi1>, tile<8x64xf32>",
			"select: select is computed 512 times for 8 results"},
		{"64 bits", aligned, "", "%j = ftoi %x signed : tile<8x64xf32> -> tile<8x64xi64>\n  %l = addi %j, %j : tile<8x64xi64>\n  %o = itof %l signed : tile<8x64xi64> -> tile<8x64xf32>",
			"addi: addi on 512 64-bit integers"},
		{"a base", "assume div_by<8>, %p : tile<ptr<f32>>", "", plain, "make_tensor_view: the tensor's base is not known to be a multiple of 16 bytes"},
		{"rows", aligned, loose, plain, "make_tensor_view: a stride of the tensor is not known to be a multiple of 16 bytes (4 elements)"},
		{"aligned rows", aligned, "assume div_by<4>, %m : tile<i32>", plain, ""},
	} {
		text := strings.ReplaceAll(wasteful, "BODY", c.body)
		view, stride := "tensor_view<64x64xf32, strides=[64,1]>", "64"
		if c.stride != "" {
			text = strings.Replace(text, "  %v =", "  %st = "+c.stride+"\n  %v =", 1)
			view, stride = "tensor_view<64x64xf32, strides=[?,1]>", "%st"
			text = strings.Replace(text, "1] : VIEW", "1] : tile<i32> -> VIEW", 1)
		}
		if strings.Contains(c.body, "%i") {
			text = strings.Replace(text, "  %y =", "  %i = broadcast %r : tile<1x1xf32> -> tile<8x1xf32>\n  %y =", 1)
		}
		m, err := irtext.Parse(strings.NewReplacer("ASSUMED", c.base, "STRIDE", stride, "VIEW", view).Replace(text), irtext.ParseOptions{File: "k.mlir"})
		if err == nil {
			err = tileir.Verify(m, tileir.Newest)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, l := range cost.Losses(m.Entries[0]) {
			got = append(got, l.Op.Info.Mnemonic+": "+l.Text)
		}
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", c.name, slices.Clip(got), c.want)
		}
	}
}
