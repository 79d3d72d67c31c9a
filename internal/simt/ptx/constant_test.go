package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// TestConstants: the values of constant expressions, as the first values of variables.
func TestConstants(t *testing.T) {
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		typ, text string
		want      uint64
	}{
		{"u64", "2 + 3*4 - 6/2", 11}, {"u64", "(2 + 3) * 4", 20}, {"u64", "7 - 2 - 1", 4}, {"u64", "100 / 5 / 2", 10}, {"u64", "17 % 5 * 2", 4},
		{"u64", "1 << 4 + 1", 32}, {"u64", "1 << 3 << 2", 32}, {"u64", "(1 << 3) + 1", 9}, {"u64", "256 >> 4", 16}, {"u64", "1 << 64", 0}, {"u64", "1 << 63 >> 63", math.MaxUint64},
		{"s64", "-7 / 2", ^uint64(2)}, {"s64", "-8 >> 1", ^uint64(3)}, {"s64", "-8 >> 100", math.MaxUint64}, {"s64", "- - 5", 5}, {"u64", "-(1 + 2)", ^uint64(2)},
		{"u64", "0xFFFFFFFFFFFFFFFF >> 60", 15}, {"u64", "16U >> 2", 4}, {"u64", "-1U / 2", math.MaxInt64}, {"u64", "18446744073709551615 / 5", 3689348814741910323},
		{"u64", "-6 / 2U", (1<<64 - 6) / 2}, {"u64", "(0 - 6U) / 2", (1<<64 - 6) / 2}, {"u64", "~0 / 3", math.MaxUint64 / 3}, {"u64", "(-1 + 0U) >> 63", 1}, {"u64", "(2U * -1) >> 63", 1},
		{"u64", "18446744073709551615 % 10", 5}, {"u64", "~0", math.MaxUint64}, {"u64", "~(1 + 2)", ^uint64(3)}, {"u64", "WARP_SZ * 2", 64},
		{"u64", "0x1F", 31}, {"u64", "0X1f", 31}, {"u64", "017", 15}, {"u64", "0b1101", 13}, {"u64", "0B11", 3}, {"u64", "0xFFU", 255}, {"u64", "9223372036854775807", math.MaxInt64},
		{"u32", "4294967295", math.MaxUint32}, {"u16", "-1", math.MaxUint16}, {"u8", "300", 44}, {"b64", "0d3FF8000000000000", math.Float64bits(1.5)}, {"b32", "0f3FC00000", f32(1.5)},
		{"f32", "0f3FC00000", f32(1.5)}, {"f32", "0F3fc00000", f32(1.5)}, {"f32", "1.5", f32(1.5)}, {"f32", "-1.5", f32(-1.5)}, {"f32", "0d3FF8000000000000", f32(1.5)},
		{"f32", "3", f32(3)}, {"f32", "-3", f32(-3)}, {"f32", "18446744073709551615", f32(1 << 64)}, {"f32", "1e3", f32(1000)}, {"f32", "1.5E-2", f32(0.015)}, {"f32", ".5", f32(0.5)}, {"f32", "-0f3FC00000", f32(-1.5)},
		{"f64", "0f3FC00000", math.Float64bits(1.5)}, {"f64", "0D3FF8000000000000", math.Float64bits(1.5)}, {"f64", "2.5e+3", math.Float64bits(2500)}, {"f64", "7", math.Float64bits(7)},
		{"f64", "-2.5", math.Float64bits(-2.5)}, {"f64", "-(2.5)", math.Float64bits(-2.5)},
	} {
		m, err := ptx.Read(fmt.Appendf(nil, ".version 8.0\n.target sm_80\n.global .%s x = %s;\n.entry k() { ret; }\n", c.typ, c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var word [8]byte
		copy(word[:], m.Vars[0].Init)
		if got := binary.LittleEndian.Uint64(word[:]); got != c.want || len(m.Vars[0].Init) != m.Vars[0].Bytes {
			t.Errorf("%s as %s: %#x in %d bytes, want %#x", c.text, c.typ, got, len(m.Vars[0].Init), c.want)
		}
	}
}

// TestConstantMistakes: what no constant expression is.
func TestConstantMistakes(t *testing.T) {
	for _, c := range []struct{ typ, text, want string }{
		{"u64", "1 / 0", "18: division by zero"}, {"u64", "1 % (2 - 2)", "18: division by zero"}, {"u64", "-7 % 3", "19: a remainder of a negative number, or by one, is not supported"},
		{"u64", "7 % -3", "18: a remainder of a negative number, or by one, is not supported"}, {"f32", "1.5 + 1", "20: expected integers as the operands of +"},
		{"f32", "1 * 1.5", "18: expected integers as the operands of *"}, {"u32", "1.5", "16: a float cannot be the value of a u32"}, {"b64", "0f3FC00000", "16: a float cannot be the value of a b64"},
		{"u64", "~1.5", "16: expected an integer as the operand of ~"}, {"u64", "+", `16: expected a number, found "+"`}, {"u64", "(1", `18: expected ")", found ";"`}, {"u64", "0x", `16: expected a number, found "0x"`},
		{"u64", "18446744073709551616", `16: expected a number, found "18446744073709551616"`}, {"f32", "0f3FC0000", `16: expected a number, found "0f3FC0000"`}, {"f64", "0d3FC00000", `16: expected a number, found "0d3FC00000"`},
		{"f64", "1e999", `16: expected a number, found "1e999"`}, {"f32", "1.2.3", `16: expected a number, found "1.2.3"`}, {"u64", "089", `16: expected a number, found "089"`}, {"u64", "1 < 2", `18: expected ";", found "<"`},
	} {
		_, err := ptx.Read(fmt.Appendf(nil, ".version 8.0\n.target sm_80\n.global .%s x =\n%s;\n.entry k() { ret; }\n", c.typ, strings.Repeat(" ", 15)+c.text))
		if want := "PTX:4:" + c.want; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", c.text, err, want)
		}
	}
}
