package text_test

import (
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	. "github.com/cutile-go/cutile/tileir/text"
)

// limitsOfRules are operations at the limits of what Verify takes: the last one that is right, want being empty, beside
// the first that is wrong. They go into a body.
var limitsOfRules = []struct{ text, want string }{
	{`%0 = iota : tile<256xi8>`, ""},
	{`%0 = iota : tile<512xi8>`, "result: i8 cannot count to 512"},
	{`%0 = iota : tile<2xi1>`, ""},
	{`%0 = iota : tile<4xi1>`, "result: i1 cannot count to 4"},
	{`%0 = iota : tile<16777216xi64>`, ""},
	{`%0 = assume div_by<1>, %n : tile<i32>`, ""},
	{`%0 = assume div_by<4611686018427387904>, %n : tile<i32>`, ""},
	{`%0 = assume div_by<9223372036854775808>, %n : tile<i32>`, "divisor 9223372036854775808 is not a power of two up to 2^62"},
	{`%0 = assume div_by<0>, %n : tile<i32>`, "divisor 0 is not a power of two up to 2^62"},
	{`%0 = assume div_by<3>, %n : tile<i32>`, "divisor 3 is not a power of two"},
	{`%0 = assume div_by<16>, %v : tensor_view<?x64xf32, strides=[64,1]>`, ""},
	{`%0 = assume div_by<16>, %ps : tile<4xptr<f32>>`, ""},
	{`%0 = assume div_by<16>, %t : token`, "div_by needs a tile of integers or pointers, or a tensor view"},
	{`%0 = assume div_by<2, every 4 along 0>, %i : tile<4xi32>`, ""},
	{`%0 = assume div_by<2, every 0 along 0>, %i : tile<4xi32>`, ""},
	{`%0 = assume div_by<2, every 5 along 0>, %i : tile<4xi32>`, "every 5 is not in 0..4"},
	{`%0 = assume div_by<2, every -1 along 0>, %i : tile<4xi32>`, "every -1 is not in 0..4"},
	{`%0 = assume div_by<2, every 1 along -1>, %i : tile<4xi32>`, "along -1 is not in 0..0"},
	{`%0 = assume div_by<2, every 1 along 0>, %n : tile<i32>`, "every needs a tile with dimensions"},
	{`%0 = assume same_elements<[4]>, %i : tile<4xi32>`, ""},
	{`%0 = assume same_elements<[0]>, %ps : tile<4xptr<f32>>`, ""},
	{`%0 = assume same_elements<[-1]>, %i : tile<4xi32>`, "a run of -1 in dimension 0 of tile<4xi32>"},
	{`%0 = assume same_elements<[1]>, %x : tile<4xf32>`, "same_elements with 1 runs does not fit tile<4xf32>"},
	{`%0 = assume bounded<-2147483648, 2147483647>, %n : tile<i32>`, ""},
	{`%0 = assume bounded<?, 2147483648>, %n : tile<i32>`, "bound 2147483648 does not fit a signed i32"},
	{`%0 = assume bounded<-2147483649, ?>, %n : tile<i32>`, "bound -2147483649 does not fit a signed i32"},
	{`%0 = assume bounded<5, 5>, %n : tile<i32>`, ""},
	{`%0 = assume bounded<6, 5>, %n : tile<i32>`, "the lower bound 6 is above the upper bound 5"},
	{`%0 = assume bounded<-1, 0>, %c : tile<i1>`, ""},
	{`%0 = assume bounded<-1, 1>, %c : tile<i1>`, "bound 1 does not fit a signed i1"},
	{`%0 = assume bounded<-9223372036854775808, 9223372036854775807>, %l : tile<4xi64>`, ""},
	{`%0 = assume bounded<0, 1>, %ps : tile<4xptr<f32>>`, "bounded needs a tile of integers, but found tile<4xptr<f32>>"},
	{`%0 = cat %x, %x dim = 0 : tile<4xf32>, tile<4xf32> -> tile<8xf32>`, ""},
	{`%0 = cat %x, %x dim = 1 : tile<4xf32>, tile<4xf32> -> tile<8xf32>`, "attribute dim: 1 is not in 0..0"},
	{`%0 = cat %x, %x dim = -1 : tile<4xf32>, tile<4xf32> -> tile<8xf32>`, "attribute dim: -1 is not in 0..0"},
	{`%0 = extract %x[%n] : tile<4xf32> -> tile<4xf32>`, ""},
	{`%0 = extract %x[%n] : tile<4xf32> -> tile<1xf32>`, ""},
	{`%0 = extract %x[%n] : tile<4xf32> -> tile<8xf32>`, "dimension 0: extent 4 is not a multiple of 8"},
	{`%0 = pack %i : tile<4xi32> -> tile<16xi8>`, ""},
	{`%0 = pack %i : tile<4xi32> -> tile<8xi8>`, "tile<4xi32> has 128 bits and tile<8xi8> has 64"},
	{`%0 = broadcast %n : tile<i32> -> tile<i32>`, ""},
	{`%a = reshape %n : tile<i32> -> tile<1x1xi32> %0 = pack %a : tile<1x1xi32> -> tile<2x2xi8>`, "expected tiles of rank 1, but found tile<1x1xi32> and tile<2x2xi8>"},
	{`print_tko "%d%%%-5.3lld %s", %n, %i, %i : tile<i32>, tile<4xi32>, tile<4xi32> -> token`, ""},
	{`print_tko "%d%", %n : tile<i32> -> token`, `conversion 2 of "%d%" has no known letter`},
	{`print_tko "%", %n : tile<i32> -> token`, `conversion 1 of "%" has no known letter`},
	{`print_tko "%%" -> token`, ""},
	{`%0 = join_tokens %t, %t : token`, ""},
	{`%0 = join_tokens %t : token`, "operand tokens: expected two or more, but found 1"},
	{`%0 = alloca num_elem = 0, alignment = 4 : tile<ptr<f32>>`, ""},
	{`%0 = alloca num_elem = -1, alignment = 4 : tile<ptr<f32>>`, "attribute num_elem: -1 is negative"},
	{`%0 = alloca num_elem = 1, alignment = 2 : tile<ptr<f32>>`, "attribute alignment: expected a power of two of 4 or more, but found 2"},
	{`%0 = alloca num_elem = 1, alignment = 12 : tile<ptr<f32>>`, "expected a power of two of 4 or more, but found 12"},
	{`%0 = alloca num_elem = 1, alignment = 1 : tile<ptr<i8>>`, ""},
	{`%0 = alloca num_elem = 1, alignment = 0 : tile<ptr<i8>>`, "expected a power of two of 1 or more, but found 0"},
	{`yield`, "yield must stand in if, reduce or scan"},
	{`loop { yield }`, "yield must stand in if, reduce or scan, but stands in loop"},
	{`if %c { break }`, "break must stand in a loop, but stands in entry"},
	{`loop { if %c { break } }`, ""},
	{`loop { if %c { continue } break }`, ""},
	{`for %q in (%n to %n, step %n) : tile<i32> { break }`, "break must stand in a loop, but stands in for"},
	{`for %q in (%n to %n, step %n) : tile<i32> { return }`, "return cannot stand in for"},
	{`loop { return }`, ""},
	{`loop iter_values(%a = %v) : tensor_view<?x64xf32, strides=[64,1]> { break }`, "operand initValues: a view cannot be carried"},
	{`%0 = reduce %ps dim=0 identities=[0] : tile<4xptr<f32>> -> tile<ptr<f32>> (%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) { yield %a : tile<ptr<f32>> }`,
		"expected a tile of numbers, but found tile<4xptr<f32>>"},
	{`%0 = reduce %x dim=1 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { yield %a : tile<f32> }`, "attribute dim: 1 is not in 0..0"},
	{`%0 = reduce %x dim=-1 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { yield %a : tile<f32> }`, "attribute dim: -1 is not in 0..0"},
	{`%0 = reduce %x dim=0 identities=[0.0] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { yield %a : tile<f32> }`, "number 0: expected f32, but found f64"},
	{`%a = int_to_ptr %l : tile<4xi64> -> tile<4xptr<f16>> %b, %u = load_ptr_tko weak %a : tile<4xptr<f16>> -> tile<4xf16>, token
 %0 = reduce %b dim=0 identities=[0.0 : bf16] : tile<4xf16> -> tile<f16> (%d: tile<f16>, %e: tile<f16>) { yield %d : tile<f16> }`, ""},
}

func TestLimitsOfRules(t *testing.T) {
	for _, c := range limitsOfRules {
		m, err := Parse(with(" "+c.text), ParseOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got := errText(m.Verify(Newest)); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, expected %q", c.text, got, c.want)
		}
	}
}
