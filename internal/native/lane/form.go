package lane

import (
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/tileir"
)

// form is the type of an element in registers; NoType is a mask.
var forms = map[tileir.Elem]vec.Type{
	tileir.I1: vec.NoType, tileir.I4: vec.I8, tileir.I8: vec.I8, tileir.I16: vec.I16, tileir.I32: vec.I32, tileir.I64: vec.I64,
	tileir.F16: vec.F16, tileir.BF16: vec.F32, tileir.F32: vec.F32, tileir.TF32: vec.F32, tileir.F64: vec.F64,
}

// smalls are the floats of at most eight bits. Their form is their code: a NaN keeps its bits.
var smalls = map[tileir.Elem]*elem.Format{}

func init() {
	for _, row := range elem.Table {
		if row.Format == nil || row.Bits > 8 {
			continue
		}
		e, _ := tileir.ElemByName(row.IR)
		smalls[e], forms[e] = row.Format, vec.I8
	}
}

// Form gives the type that the elements of a tile have in registers, NoType for masks. ok is false for elements that have
// no form here.
func Form(t *tileir.TileType) (form vec.Type, ok bool) {
	if t.Pointer {
		return vec.I64, true
	}
	form, ok = forms[t.Elem]
	return form, ok
}

// Class is the class of registers that hold the form.
func Class(form vec.Type) vec.Class {
	if form == vec.NoType {
		return vec.Mask
	}
	return form.Class()
}

// Stored is the type of an element in memory. Elements of four bits that share a byte are that byte.
func Stored(t *tileir.TileType) vec.Type {
	switch {
	case t.Pointer:
		return vec.I64
	case t.Elem == tileir.I1:
		return vec.I8
	case t.Elem == tileir.F16 || t.Elem == tileir.BF16:
		return vec.I16
	}
	return forms[t.Elem]
}

// Load reads sixteen elements of a tile from memory. Lanes outside the mask, which may be 0, read as zero.
func Load(b *vec.Builder, t *tileir.TileType, m vec.Mem, mask vec.Reg) vec.Reg {
	return FromMemory(b, t, b.Load(Stored(t), m, mask))
}

// Gather reads sixteen elements, whose distances in bytes from a place are in the lanes of an i32.
func Gather(b *vec.Builder, t *tileir.TileType, m vec.Mem, distances, mask vec.Reg) vec.Reg {
	in := vec.Instr{Op: vec.Gather, Type: Stored(t), From: vec.I32, Src: [3]vec.Reg{distances}, Mem: m, Mask: mask, Imm: 1}
	return FromMemory(b, t, b.Emit(in))
}

// LoadFirst reads one element for all lanes.
func LoadFirst(b *vec.Builder, t *tileir.TileType, m vec.Mem) vec.Reg {
	return FromMemory(b, t, b.Emit(vec.Instr{Op: vec.LoadFirst, Type: Stored(t), Mem: m}))
}

// Store writes sixteen elements. Lanes outside the mask, which may be 0, are not written.
func Store(b *vec.Builder, t *tileir.TileType, m vec.Mem, x, mask vec.Reg) {
	b.Store(Stored(t), m, ToMemory(b, t, x), mask)
}

// StoreStream writes sixteen elements past the caches, at an address that is a multiple of the vector's size.
func StoreStream(b *vec.Builder, t *tileir.TileType, m vec.Mem, x vec.Reg) {
	b.Emit(vec.Instr{Op: vec.StoreStream, Type: Stored(t), Mem: m, Src: [3]vec.Reg{ToMemory(b, t, x)}})
}

// StoreFirst writes the element in the first lane.
func StoreFirst(b *vec.Builder, t *tileir.TileType, m vec.Mem, x vec.Reg) {
	b.Emit(vec.Instr{Op: vec.StoreOne, Type: Stored(t), Mem: m, Src: [3]vec.Reg{ToMemory(b, t, x)}})
}

// FromMemory brings what memory holds to the form.
func FromMemory(b *vec.Builder, t *tileir.TileType, x vec.Reg) vec.Reg {
	if t.Pointer {
		return x
	}
	switch t.Elem {
	case tileir.I1:
		return b.Compare(vec.I8, vec.NE, x, b.Bits(vec.I8, 0))
	case tileir.BF16:
		return vecmath.FromBF16(b, x)
	}
	return x
}

// ToMemory is the other direction: the lanes are as wide as elements in memory are. The narrow floats lose nothing, since they are rounded.
func ToMemory(b *vec.Builder, t *tileir.TileType, x vec.Reg) vec.Reg {
	if t.Pointer {
		return x
	}
	switch t.Elem {
	case tileir.I1:
		return b.Pick(vec.I8, x, b.Bits(vec.I8, 1), b.Bits(vec.I8, 0))
	case tileir.BF16:
		return b.Convert(vec.Truncate, vec.I16, vec.I32, b.DoImm(vec.ShrUImm, vec.I32, 16, x))
	}
	return x
}

// Constant is a tile's element in all lanes, given as its bits in a constant of Tile IR.
func Constant(b *vec.Builder, t *tileir.TileType, bits uint64) vec.Reg {
	form, _ := Form(t)
	switch {
	case form == vec.NoType:
		return b.DoImm(vec.MConst, vec.NoType, int64(bits&1))
	case !t.Pointer && t.Elem == tileir.BF16:
		return b.Bits(vec.F32, bits<<16)
	case !t.Pointer && t.Elem == tileir.TF32: // the 19 bits that count
		return b.Bits(vec.F32, bits<<13)
	}
	return b.Bits(form, bits)
}

// round brings a float32 to a number of an element type.
func round(b *vec.Builder, e tileir.Elem, mode vec.Rounding, x vec.Reg) vec.Reg {
	switch e {
	case tileir.F16:
		if mode == vec.Nearest { // as [Emit] does
			return x
		}
		return vecmath.Half(b, mode, x)
	case tileir.BF16:
		return vecmath.Cut(b, mode, 16, x)
	case tileir.TF32:
		return vecmath.Cut(b, mode, 13, x)
	}
	return x
}
