package simt

import (
	"maps"
	"strings"

	"github.com/cutile-go/cutile/internal/elem"
)

// pairs are the elements of which PTX has types of two.
var pairs = []string{"e4m3", "e5m2", "f16", "bf16", "u16", "s16", "f32"}

// shortPairs are types of two floats of fewer than 8 bits, of which only the shortest share a byte, and of two powers of two.
var shortPairs = map[string]int{"e2m1x2": 8, "e2m3x2": 16, "e3m2x2": 16, "ue8m0x2": 16}

// typeBits are PTX's types with their widths. Of 8-bit floats instructions have pairs alone.
var typeBits = func() map[string]int {
	all := map[string]int{"pred": 1, "b8": 8, "b16": 16, "b32": 32, "b64": 64}
	for _, row := range elem.Table {
		if row.PTX != "" && row.Kind != elem.Bool && !(row.Kind == elem.Float && row.Bits == 8) {
			all[row.PTX] = 8 * row.Size
		}
	}
	for _, name := range pairs {
		all[name+"x2"] = 16 * elem.ByPTX(name).Size
	}
	maps.Copy(all, shortPairs)
	return all
}()

// TypeBits is the width of one of PTX's types, 1 for pred: 0 for other names.
func TypeBits(typ string) int { return typeBits[typ] }

// ClassOf is the register class that holds a value of one of PTX's types.
func ClassOf(typ string) Class {
	switch bits := typeBits[typ]; {
	case bits == 1:
		return Pred
	case bits <= 16:
		return B16
	case bits == 32:
		return B32
	default:
		return B64
	}
}

// Holds reports whether a register of a class can be an operand of a type. Eight bits may stand in a wider register.
func Holds(c Class, typ string) bool {
	return c == ClassOf(typ) || typeBits[typ] == 8 && c == B32
}

// hasImmediates reports whether PTX has immediates of a type.
func hasImmediates(typ string) bool {
	switch typ {
	case "f32", "f64", "pred":
		return true
	}
	return strings.ContainsRune("bsu", rune(typ[0])) && !strings.HasPrefix(typ, "bf") && !strings.HasSuffix(typ, "x2")
}
