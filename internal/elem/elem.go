// Package elem is the table of element types, one row a type: how each part of the project spells it, how wide it is, and
// for floats the format, from which one codec reads and makes their bits. Package dtype numbers the rows.
//
// A part that knows element types reads the table. What a part lacks stands in internal/testing/completeness, with the
// reason: a new row fails there until each part knows the type or says why not.
package elem

// Kind is the kind of number that a type holds.
type Kind uint8

// The kinds.
const (
	Bool Kind = iota
	Int       // with a sign
	Uint
	Float
)

// Row describes an element type. A part that lacks the type has no name for it.
type Row struct {
	Name string // in messages, and in NumPy and ml_dtypes
	Go   string // of package dtype where Go has no such type
	Cute string // at the SIMT level: of package cute where Go has no such type
	IR   string // in the text form of Tile IR, whose integers have no sign
	PTX  string
	Npy  string // in the head of a .npy file, the byte order aside

	Kind   Kind
	Bits   int     // that count
	Size   int     // bytes of one element
	Memory bool    // tensors may have such elements
	Format *Format // of a float
}

// Table has the element types in the order of the constants of package dtype.
var Table = []Row{
	{Name: "invalid"},
	{"bool", "bool", "bool", "i1", "pred", "b1", Bool, 1, 1, true, nil},
	{"int8", "int8", "int8", "i8", "s8", "i1", Int, 8, 1, true, nil},
	{"int16", "int16", "int16", "i16", "s16", "i2", Int, 16, 2, true, nil},
	{"int32", "int32", "int32", "i32", "s32", "i4", Int, 32, 4, true, nil},
	{"int64", "int64", "int64", "i64", "s64", "i8", Int, 64, 8, true, nil},
	{"uint8", "uint8", "uint8", "i8", "u8", "u1", Uint, 8, 1, true, nil},
	{"uint16", "uint16", "uint16", "i16", "u16", "u2", Uint, 16, 2, true, nil},
	{"uint32", "uint32", "uint32", "i32", "u32", "u4", Uint, 32, 4, true, nil},
	{"uint64", "uint64", "uint64", "i64", "u64", "u8", Uint, 64, 8, true, nil},
	{"float16", "Float16", "Float16", "f16", "f16", "f2", Float, 16, 2, true, NewFormat(Format{Exp: 5, Man: 10, Inf: true})},
	{"bfloat16", "BFloat16", "BFloat16", "bf16", "bf16", "V2", Float, 16, 2, true, NewFormat(Format{Exp: 8, Man: 7, Inf: true})},
	{"float32", "float32", "float32", "f32", "f32", "f4", Float, 32, 4, true, NewFormat(Format{Exp: 8, Man: 23, Inf: true})},
	{"float64", "float64", "float64", "f64", "f64", "f8", Float, 64, 8, true, NewFormat(Format{Exp: 11, Man: 52, Inf: true})},
	{"float8_e4m3fn", "Float8E4M3FN", "Float8E4M3FN", "f8E4M3FN", "e4m3", "V1", Float, 8, 1, true, NewFormat(Format{Exp: 4, Man: 3, NaN: true})},
	{"float8_e5m2", "Float8E5M2", "Float8E5M2", "f8E5M2", "e5m2", "V1", Float, 8, 1, true, NewFormat(Format{Exp: 5, Man: 2, Inf: true})},
	{"float8_e8m0fnu", "Float8E8M0FNU", "", "f8E8M0FNU", "", "V1", Float, 8, 1, true, NewFormat(Format{Exp: 8, Unsigned: true, NaN: true})},
	{"float8_e5m3fnu", "Float8E5M3FNU", "", "fnv8E5M3FNU", "", "", Float, 8, 1, true, NewFormat(Format{Exp: 5, Man: 3, Unsigned: true, NaN: true})},
	{"tf32", "TensorFloat32", "TFloat32", "tf32", "tf32", "", Float, 19, 4, true, NewFormat(Format{Exp: 8, Man: 10, Inf: true, Pad: 13})},
	{"float4_e2m1fn", "Float4E2M1FN", "", "f4E2M1FN", "", "V1", Float, 4, 1, false, NewFormat(Format{Exp: 2, Man: 1})},
	{"int4", "Int4", "", "i4", "", "", Int, 4, 1, false, nil},
}

// ByIR finds the first row that Tile IR spells so: of the integers, the one with a sign. It is nil if there is none.
func ByIR(name string) *Row { return find(func(r *Row) bool { return r.IR == name }) }

// ByPTX finds the row that PTX spells so: nil if there is none.
func ByPTX(name string) *Row { return find(func(r *Row) bool { return r.PTX == name && name != "" }) }

func find(is func(r *Row) bool) *Row {
	for i := range Table[1:] {
		if r := &Table[1+i]; is(r) {
			return r
		}
	}
	return nil
}
