package passes_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestElementwise: the table tells operations that work element by element from those that only have operands of one shape.
func TestElementwise(t *testing.T) {
	for name, want := range map[string]bool{
		"addf": true, "cmpf": true, "select": true, "ftof": true, "fma": true, "negi": true, "offset": true, "fpowf": true, "bitcast": true, "remi": true, "mulhii": true,
		"mmaf": false, "mmai": false, "mmaf_scaled": false, "permute": false, "reshape": false, "broadcast": false, "reduce": false, "scan": false, "cat": false,
		"extract": false, "pack": false, "iota": false, "constant": false, "assume": false, "load_ptr_tko": false, "get_tile_block_id": false,
	} {
		if got := passes.Elementwise(tileir.Lookup(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// spreads are modules' bodies, and what the pass leaves of them.
var spreads = map[string]struct{ body, want string }{
	"both": {`%a = broadcast %x : tile<8x1xf32> -> tile<8x16xf32>
  %b = broadcast %y : tile<8x1xf32> -> tile<8x16xf32>
  %c = subf %a, %b : tile<8x16xf32>`, "subf tile<8x1xf32>"},
	"constant": {`%a = broadcast %x : tile<8x1xf32> -> tile<8x16xf32>
  %k = constant <f32: 3.000000e+00> : tile<8x16xf32>
  %c = mulf %a, %k : tile<8x16xf32>`, "mulf tile<8x1xf32>"},
	"mask": {`%a = broadcast %x : tile<8x1xf32> -> tile<8x16xf32>
  %b = broadcast %y : tile<8x1xf32> -> tile<8x16xf32>
  %t = constant <i1: true> : tile<8x16xi1>
  %m = cmpf less_than ordered %a, %b : tile<8x16xf32> -> tile<8x16xi1>
  %n = andi %m, %t : tile<8x16xi1>
  %d = subf %a, %b : tile<8x16xf32>
  %c = select %n, %d, %b : tile<8x16xi1>, tile<8x16xf32>`, "cmpf tile<8x16xf32>"},
	"two shapes": {`%a = broadcast %x : tile<8x1xf32> -> tile<8x16xf32>
  %b = broadcast %s : tile<1x1xf32> -> tile<8x16xf32>
  %c = addf %a, %b : tile<8x16xf32>`, "addf tile<8x1xf32>"},
	"crossed": {`%a = broadcast %x : tile<8x1xf32> -> tile<8x16xf32>
  %b = broadcast %r : tile<1x16xf32> -> tile<8x16xf32>
  %c = addf %a, %b : tile<8x16xf32>`, "addf tile<8x16xf32>"},
	"one whole": {`%a = broadcast %x : tile<8x1xf32> -> tile<8x16xf32>
  %c = addf %a, %w : tile<8x16xf32>`, "addf tile<8x16xf32>"},
	"packed": {`%a = broadcast %s : tile<1x1xf32> -> tile<8x16xf32>
  %b = ftof %a : tile<8x16xf32> -> tile<8x16xf4E2M1FN>
  %c = ftof %b : tile<8x16xf4E2M1FN> -> tile<8x16xf32>`, "ftof tile<8x16xf4E2M1FN>"},
	"product": {`%a = broadcast %x : tile<8x1xf32> -> tile<8x8xf32>
  %b = broadcast %y : tile<8x1xf32> -> tile<8x8xf32>
  %d = mmaf %a, %b, %b : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>
  %e = reshape %d : tile<8x8xf32> -> tile<8x8x1xf32>
  %f = broadcast %e : tile<8x8x1xf32> -> tile<8x8x2xf32>
  %c = reshape %f : tile<8x8x2xf32> -> tile<8x16xf32>`, "mmaf tile<8x8xf32>"},
}

// frame loads what the bodies use, and stores %c.
const frame = `entry @k(%p: tile<ptr<f32>>) {
  %z = constant <i32: 0> : tile<i32>
  LOADS
  BODY
  %vc = make_tensor_view %p, shape = [8, 16], strides = [16, 1] : tensor_view<8x16xf32, strides=[16,1]>
  %pc = make_partition_view %vc : partition_view<tile=(8x16), tensor_view<8x16xf32, strides=[16,1]>>
  %tc = store_view_tko weak %c, %pc[%z, %z] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<8x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}
`

const load = `%vN = make_tensor_view %p, shape = [ROWS, COLS], strides = [16, 1] : tensor_view<ROWSxCOLSxf32, strides=[16,1]>
  %pN = make_partition_view %vN : partition_view<tile=(ROWSxCOLS), tensor_view<ROWSxCOLSxf32, strides=[16,1]>>
  %N, %tN = load_view_tko weak %pN[%z, %z] : partition_view<tile=(ROWSxCOLS), tensor_view<ROWSxCOLSxf32, strides=[16,1]>>, tile<i32> -> tile<ROWSxCOLSxf32>, token
  `

// TestSpread: what has operands that are broadcasts alone is computed before they are, in the least shape that does.
func TestSpread(t *testing.T) {
	loads := ""
	for _, l := range [][3]string{{"x", "8", "1"}, {"y", "8", "1"}, {"s", "1", "1"}, {"r", "1", "16"}, {"w", "8", "16"}} {
		loads += strings.NewReplacer("N", l[0], "ROWS", l[1], "COLS", l[2]).Replace(load)
	}
	for name, c := range spreads {
		m, err := text.Parse(strings.NewReplacer("LOADS", loads, "BODY", c.body).Replace(frame), text.ParseOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, e := range m.Entries {
			passes.Run(t.Context(), e)
		}
		if err := tileir.Verify(m, tileir.V13_4); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		op, typ, _ := strings.Cut(c.want, " ")
		if text := text.Sprint(m); !regexp.MustCompile(`= ` + op + ` .*: (tile<8x\d+xi1>, )?` + typ).MatchString(text) {
			t.Errorf("%s: there is no %s of %s in\n%s", name, op, typ, text)
		}
	}
}

// between has differences of rows and of columns, which are spread before they meet.
func between(x, y tile.In[tile.F32T1[tile.D8]], z tile.Out[tile.F32T2[tile.D8, tile.D16]], w tile.In[tile.F32T1[tile.D16]]) {
	column := func(v tile.F32T1[tile.D8]) tile.F32T2[tile.D8, tile.D16] {
		return tile.F32T2[tile.D8, tile.D16](tile.Reshape[tile.F32T2[tile.D8, tile.D1]](v))
	}
	d := column(x.Load(0)) - column(y.Load(0))*3
	row := tile.F32T2[tile.D8, tile.D16](w.Load(0))
	z.Store(tile.Where(d > 0 && column(x.Load(0)) < 6, d/2, -d) + row)
}

// TestSpreadComputesTheSame compares with the host.
func TestSpreadComputesTheSame(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	xs, ys, ws := []float32{1, 2, 3, 4, 5, 6, 7, 8}, []float32{0, 1, 0, 2, 1, 0, 3, 1}, make([]float32, 16)
	want := make([]float32, 8*16)
	for i := range ws {
		ws[i] = float32(i)
	}
	for i := range want {
		x, d := xs[i/16], xs[i/16]-ys[i/16]*3
		if v := -d; d > 0 && x < 6 {
			want[i] = d / 2
		} else {
			want[i] = v
		}
		want[i] += ws[i%16]
	}
	tensor := func(s []float32, shape ...int) *cutile.Tensor[float32] {
		x, err := cutile.FromSlice(dev, s, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	z := tensor(make([]float32, 8*16), 8, 16)
	if err := cutile.Launch(t.Context(), dev, between, tensor(xs), tensor(ys), z, tensor(ws)); err != nil {
		t.Fatal(err)
	}
	if got, err := z.Slice(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
