package npy

import (
	"math"
	"strconv"

	"github.com/cutile-go/cutile/dtype"
)

// Type is the element type of an array. NumPy has no floats of its own beside float16, float32 and float64: ml_dtypes
// adds the others, and NumPy saves them as raw bytes without a name, which come back as [Raw8] and [Raw16].
type Type uint8

// The element types; the zero Type is none of them.
const (
	Invalid Type = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Float32
	Float64
	BFloat16
	Float8E4M3FN
	Float8E5M2
	Float8E8M0FNU
	Float4E2M1FN
	Raw8  // one byte of unknown meaning
	Raw16 // two
	numTypes
)

// row is what is known of a type.
type row struct {
	name   string
	descr  string // in a file, the byte order aside
	size   int    // bytes
	signed bool   // of an integer
	kind   byte   // b, i, f or r
	mini   miniFloat
}

var rows = [numTypes]row{
	Invalid:  {name: "invalid"},
	Bool:     {name: "bool", descr: "b1", size: 1, kind: 'b'},
	Int8:     {name: "int8", descr: "i1", size: 1, kind: 'i', signed: true},
	Int16:    {name: "int16", descr: "i2", size: 2, kind: 'i', signed: true},
	Int32:    {name: "int32", descr: "i4", size: 4, kind: 'i', signed: true},
	Int64:    {name: "int64", descr: "i8", size: 8, kind: 'i', signed: true},
	Uint8:    {name: "uint8", descr: "u1", size: 1, kind: 'i'},
	Uint16:   {name: "uint16", descr: "u2", size: 2, kind: 'i'},
	Uint32:   {name: "uint32", descr: "u4", size: 4, kind: 'i'},
	Uint64:   {name: "uint64", descr: "u8", size: 8, kind: 'i'},
	Float16:  {name: "float16", descr: "f2", size: 2, kind: 'f'},
	Float32:  {name: "float32", descr: "f4", size: 4, kind: 'f'},
	Float64:  {name: "float64", descr: "f8", size: 8, kind: 'f'},
	BFloat16: {name: "bfloat16", descr: "V2", size: 2, kind: 'f'},

	Float8E4M3FN:  {name: "float8_e4m3fn", descr: "V1", size: 1, kind: 'f', mini: miniFloat{sign: true, exp: 4, man: 3, nan: 0x7f}},
	Float8E5M2:    {name: "float8_e5m2", descr: "V1", size: 1, kind: 'f', mini: miniFloat{sign: true, exp: 5, man: 2, nan: 0x7d, inf: 0x7c}},
	Float8E8M0FNU: {name: "float8_e8m0fnu", descr: "V1", size: 1, kind: 'f', mini: miniFloat{exp: 8, nan: 0xff}},
	Float4E2M1FN:  {name: "float4_e2m1fn", descr: "V1", size: 1, kind: 'f', mini: miniFloat{sign: true, exp: 2, man: 1}},

	Raw8:  {name: "raw8", descr: "V1", size: 1, kind: 'r'},
	Raw16: {name: "raw16", descr: "V2", size: 2, kind: 'r'},
}

// readAs says what a description in a file means. f1 is how ml_dtypes describes float8_e5m2; NumPy cannot read it back.
var readAs = func() map[string]Type {
	m := map[string]Type{"f1": Float8E5M2}
	for t := Bool; t < numTypes; t++ {
		m[rows[t].descr] = t // the raw types come last
	}
	return m
}()

// String is the type's name, as NumPy and ml_dtypes call it: "int32", "float16", "bfloat16", "float8_e4m3fn".
func (t Type) String() string { return rows[t].name }

// Size is the number of bytes of one element.
func (t Type) Size() int { return rows[t].size }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return rows[t].kind == 'f' }

// IsInt reports whether t is an integer type; bool is none.
func (t Type) IsInt() bool { return rows[t].kind == 'i' }

// IsSigned reports whether t is a signed integer type.
func (t Type) IsSigned() bool { return rows[t].signed }

// TypeByName finds a type by the name that String gives. The raw types have no name to ask for.
func TypeByName(name string) (Type, bool) {
	for t := Bool; t < Raw8; t++ {
		if rows[t].name == name {
			return t, true
		}
	}
	return Invalid, false
}

// Types lists the types that [TypeByName] finds.
func Types() []Type {
	var out []Type
	for t := Bool; t < Raw8; t++ {
		out = append(out, t)
	}
	return out
}

// Text is an element as text: the shortest that means the same number in its type; raw bytes as hexadecimal digits.
func (t Type) Text(bits uint64) string {
	switch {
	case t == Bool:
		return strconv.FormatBool(bits != 0)
	case t.IsSigned():
		free := 64 - 8*t.Size()
		return strconv.FormatInt(int64(bits<<free)>>free, 10)
	case t.IsInt():
		return strconv.FormatUint(bits, 10)
	case t == Float16:
		return dtype.Float16(bits).String()
	case t == BFloat16:
		return dtype.BFloat16(bits).String()
	case t == Float64:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case t == Float32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case t.IsFloat():
		return strconv.FormatFloat(rows[t].mini.value(bits), 'g', -1, 32)
	}
	return "0x" + strconv.FormatUint(bits, 16)
}

// Number is an element of a floating-point type.
func (t Type) Number(bits uint64) float64 {
	switch t {
	case Float16:
		return dtype.Float16(bits).Float64()
	case BFloat16:
		return dtype.BFloat16(bits).Float64()
	case Float64:
		return math.Float64frombits(bits)
	case Float32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return rows[t].mini.value(bits)
}

// miniFloat is a float format of at most eight bits, with the bias 2^(exp-1)-1.
type miniFloat struct {
	sign     bool
	exp, man int    // bits
	nan      uint64 // from this magnitude on; 0 for none
	inf      uint64 // the magnitude of infinity; 0 for none
}

func (f miniFloat) value(bits uint64) float64 {
	sign := 1.0
	magnitude := bits & (1<<(f.exp+f.man) - 1)
	if f.sign && bits>>(f.exp+f.man)&1 != 0 {
		sign = -1
	}
	switch {
	case f.nan != 0 && magnitude >= f.nan:
		return math.NaN()
	case f.inf != 0 && magnitude == f.inf:
		return math.Inf(int(sign))
	}
	e, m := int(magnitude>>f.man), float64(magnitude&(1<<f.man-1))
	bias := 1<<(f.exp-1) - 1
	if e == 0 && f.man > 0 {
		return sign * math.Ldexp(m, 1-bias-f.man)
	}
	return sign * math.Ldexp(m+float64(int(1)<<f.man), e-bias-f.man)
}
