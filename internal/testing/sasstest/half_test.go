package sasstest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir/text"
)

// packing loads elements of four bits, through a view or through pointers, and stores them as bytes that pack makes.
const packing = `entry @k(%x: tile<ptr<f4E2M1FN>>, %y: tile<ptr<i8>>) {
  %one = constant <i32: 1> : tile<i32>
  LOAD
  %p = pack %t : tile<512xf4E2M1FN> -> tile<256xi8>
  %vy = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xi8, strides=[1]>
  %py = make_partition_view %vy : partition_view<tile=(256), tensor_view<512xi8, strides=[1]>>
  %w = store_view_tko weak %p, %py[%one] : tile<256xi8>, partition_view<tile=(256), tensor_view<512xi8, strides=[1]>>, tile<i32> -> token
  return
}
`

var packingLoads = map[string]string{
	"view": `%a = assume div_by<16>, %x : tile<ptr<f4E2M1FN>>
  %vx = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xf4E2M1FN, strides=[1]>
  %px = make_partition_view %vx : partition_view<tile=(512), tensor_view<1024xf4E2M1FN, strides=[1]>>
  %t, %u = load_view_tko weak %px[%one] : partition_view<tile=(512), tensor_view<1024xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<512xf4E2M1FN>, token`,
	"pointers": `%a = assume div_by<16>, %x : tile<ptr<f4E2M1FN>>
  %i = iota : tile<512xi32>
  %n = constant <i32: 512> : tile<512xi32>
  %j = addi %i, %n : tile<512xi32>
  %b = reshape %a : tile<ptr<f4E2M1FN>> -> tile<1xptr<f4E2M1FN>>
  %c = broadcast %b : tile<1xptr<f4E2M1FN>> -> tile<512xptr<f4E2M1FN>>
  %d = offset %c, %j : tile<512xptr<f4E2M1FN>>, tile<512xi32> -> tile<512xptr<f4E2M1FN>>
  %t, %u = load_ptr_tko weak %d : tile<512xptr<f4E2M1FN>> -> tile<512xf4E2M1FN>, token`,
}

// TestHalvesOfBytes asks the assembler how elements of four bits lie in memory: as in the bytes that pack makes, for it
// moves them there without touching a bit, and element 512 is at byte 256.
func TestHalvesOfBytes(t *testing.T) {
	changed := regexp.MustCompile(`\b(LOP3|SHF|SGXT|BFE|BFI|PRMT R\d+, R\d+, 0x(?:[^7]|7[^7]|77[^1]|771[^0]))`)
	for name, load := range packingLoads {
		m, err := text.Parse(strings.Replace(packing, "LOAD", load, 1), text.ParseOptions{File: "k.mlir"})
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{"sm_100", "sm_120"} {
			text := assemble.Run(t, toolchain.Cuobjdump, assemble.Cubin(t, assemble.Bytecode(t, m), target), "-sass")
			if !regexp.MustCompile(`LDG\S* R\d+, .*\+0x100\]`).MatchString(text) || !regexp.MustCompile(`STG\S* .*\+0x100\]`).MatchString(text) {
				t.Errorf("%s, %s: no load and store at byte 256:\n%s", name, target, text)
			}
			if got := changed.FindString(text); got != "" {
				t.Errorf("%s, %s: %s changes bits:\n%s", name, target, got, text)
			}
		}
	}
}
