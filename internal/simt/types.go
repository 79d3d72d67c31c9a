package simt

import "strings"

// typeBits are PTX's types with their widths.
var typeBits = map[string]int{
	"pred": 1,
	"b8":   8, "u8": 8, "s8": 8,
	"b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "e4m3x2": 16, "e5m2x2": 16,
	"b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "tf32": 32, "u16x2": 32, "s16x2": 32,
	"b64": 64, "u64": 64, "s64": 64, "f64": 64,
}

// TypeBits is the width of one of PTX's types, 1 for pred: 0 for what is none.
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
