package sasstest_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir/text"
)

// scanning is a scan whose body yields one of its arguments.
const scanning = `entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %t = make_token : token
  %vx = make_tensor_view %x, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
  %px = make_partition_view %vx : partition_view<tile=(32), tensor_view<32xf32, strides=[1]>>
  %vy = make_tensor_view %y, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
  %py = make_partition_view %vy : partition_view<tile=(32), tensor_view<32xf32, strides=[1]>>
  %a, %u = load_view_tko weak %px[%zero] token = %t : partition_view<tile=(32), tensor_view<32xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
  %b = scan %a dim=0 reverse=false identities=[0.000000e+00 : f32] : tile<32xf32> -> tile<32xf32>
  (%first: tile<f32>, %second: tile<f32>) {
    yield %WHICH : tile<f32>
  }
  %w = store_view_tko weak %b, %py[%zero] token = %u : tile<32xf32>, partition_view<tile=(32), tensor_view<32xf32, strides=[1]>>, tile<i32> -> token
  return
}
`

// TestScanArguments asks the assembler which argument of a scan's body is the element: the specification says both. A
// scan that yields the element changes nothing, so threads need nothing from each other; one that yields what came
// before spreads the first element.
func TestScanArguments(t *testing.T) {
	for which, exchanged := range map[string]bool{"first": true, "second": false} {
		m, err := text.Parse(strings.Replace(scanning, "WHICH", which, 1), text.ParseOptions{File: "k.mlir"})
		if err != nil {
			t.Fatal(err)
		}
		text := assemble.Run(t, toolchain.Cuobjdump, assemble.Cubin(t, assemble.Bytecode(t, m), "sm_90"), "-sass")
		if got := strings.Contains(text, "SHFL"); got != exchanged || !strings.Contains(text, "STG") {
			t.Errorf("yielding the %s argument: threads exchange elements: %v, want %v\n%s", which, got, exchanged, text)
		}
	}
}
