package lane

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Padding gives the bits of the element that a load finds outside the tensor; false if the element type has no such value. Without a
// padding value it is zero too, so that results do not depend on chance.
func Padding(e tileir.Elem, p tileir.Padding) (uint64, bool) {
	if p == tileir.PadZero || p == tileir.NoPadding {
		return 0, true
	}
	bits, ok := paddings[e]
	return bits[max(0, p-1)], ok
}

// paddings lists -0, NaN and the infinities of the element types.
var paddings = map[tileir.Elem][4]uint64{
	tileir.F16:      {0x8000, 0x7e00, 0x7c00, 0xfc00},
	tileir.BF16:     {0x8000, 0x7fc0, 0x7f80, 0xff80},
	tileir.F32:      {1 << 31, 0x7fc00000, 0x7f800000, 0xff800000},
	tileir.TF32:     {1 << 31, 0x7fc00000, 0x7f800000, 0xff800000},
	tileir.F64:      {1 << 63, 0x7ff8 << 48, 0x7ff0 << 48, 0xfff0 << 48},
	tileir.F8E5M2:   {0x80, 0x7e, 0x7c, 0xfc},
	tileir.F8E4M3FN: {0x80, 0x7f, 0x7f, 0xff},
}

// LoadPadded is [Load], but lanes outside the mask read as the element with some bits.
func LoadPadded(b *vec.Builder, t *tileir.TileType, m vec.Mem, mask vec.Reg, bits uint64) vec.Reg {
	x := b.Load(Stored(t), m, mask)
	if bits != 0 {
		x = b.Pick(Stored(t), mask, x, b.Bits(Stored(t), bits))
	}
	return FromMemory(b, t, x)
}
