package cpu_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
)

// strideText stores 5 to y through a view of %n rows with a promise about the stride of the rows.
const strideText = `entry @k(%p: tile<ptr<f32>>, %out: tile<ptr<i32>>, %n: tile<i32>, %s: tile<i32>) {
  %t = make_token : token
  %b = assume bounded<0, ?>, %s : tile<i32>
  %st = assume div_by<4>, %b : tile<i32>
  %v = make_tensor_view %p, shape = [%n, 1], strides = [%st, 1] : tile<i32> -> tensor_view<?x1xf32, strides=[?,1]>
  %pv = make_partition_view %v : partition_view<tile=(1x1), tensor_view<?x1xf32, strides=[?,1]>>
  %z = constant <i32: 0> : tile<i32>
  %c = constant <f32: 5.0> : tile<1x1xf32>
  %t2 = store_view_tko weak %c, %pv[%z, %z] token = %t : tile<1x1xf32>, partition_view<tile=(1x1), tensor_view<?x1xf32, strides=[?,1]>>, tile<i32> -> token
  OTHER
  return
}`

// TestPromiseOfUnusedStride makes false promises about strides: harmless where the axis has an extent of 1, a fault
// where it is longer or where the number is used for anything else.
func TestPromiseOfUnusedStride(t *testing.T) {
	store := "%t3 = store_ptr_tko weak %out, %st token = %t2 : tile<ptr<i32>>, tile<i32> -> token"
	for _, c := range []struct {
		other     string
		n, stride int32
		want      string
	}{
		{"", 1, 3, ""}, {"", 1, -7, ""}, {"", 2, 4, ""},
		{"", 2, 3, "element 0 is 3, which 4 does not divide"}, {"", 2, -4, "element 0 is -4, which is below 0"},
		{store, 1, 4, ""}, {store, 1, 3, "element 0 is 3, which 4 does not divide"},
		{store, 1, -4, "element 0 is -4, which is below 0"},
	} {
		for _, check := range []bool{true, false} {
			d := newDevice(t, cpu.Options{CheckAssumes: check})
			k := fromText(t, d, strings.ReplaceAll(strideText, "OTHER", c.other))
			p, out := upload(t, d, make([]float32, 8)), upload(t, d, make([]int32, 1))
			err := launch(t, d, k, [3]uint32{1, 1, 1}, p.Address(), out.Address(), uint64(uint32(c.n)), uint64(uint32(c.stride)))
			switch {
			case check && c.want != "":
				if err == nil || !strings.Contains(err.Error(), "a promise does not hold: "+c.want) {
					t.Errorf("%+v: %v, want %q", c, err, c.want)
				}
			case err != nil || elems[float32](p)[0] != 5:
				t.Errorf("%+v, checks %v: %v, %v", c, check, elems[float32](p), err)
			}
		}
	}
}
