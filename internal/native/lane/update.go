package lane

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Update is how an atomic operation changes elements of memory.
type Update struct {
	Mode tileir.Int
	Elem tileir.Elem
}

// updates give what becomes of elements and operands, both in their forms.
var updates = map[tileir.Int]func(b *vec.Builder, u Update, old, arg vec.Reg) vec.Reg{
	tileir.AtomicAdd: integer(vec.Add), tileir.AtomicAnd: integer(vec.And), tileir.AtomicOr: integer(vec.Or), tileir.AtomicXor: integer(vec.Xor),
	tileir.AtomicMax: integer(vec.Max), tileir.AtomicMin: integer(vec.Min), tileir.AtomicUMax: integer(vec.MaxU), tileir.AtomicUMin: integer(vec.MinU),
	tileir.AtomicXchg: func(_ *vec.Builder, _ Update, _, arg vec.Reg) vec.Reg { return arg },
	tileir.AtomicAddF: addFloats,
}

func integer(op vec.Op) func(b *vec.Builder, u Update, old, arg vec.Reg) vec.Reg {
	return func(b *vec.Builder, u Update, old, arg vec.Reg) vec.Reg { return b.Do(op, forms[u.Elem], old, arg) }
}

// addFloats adds, with one rounding.
func addFloats(b *vec.Builder, u Update, old, arg vec.Reg) vec.Reg {
	if u.Elem != tileir.F16 {
		return round(b, u.Elem, vec.Nearest, b.Do(vec.FAdd, forms[u.Elem], old, arg))
	}
	wide := func(x vec.Reg) vec.Reg { return b.Convert(vec.FConvert, vec.F32, vec.F16, x) }
	return b.Convert(vec.FConvert, vec.F16, vec.F32, b.Do(vec.FAdd, vec.F32, wide(old), wide(arg)))
}

// Known reports whether there are instructions for the update: of elements that are swapped as a whole.
func (u Update) Known() bool {
	if updates[u.Mode] == nil || u.Elem.Bytes() < 2 || u.Elem == tileir.TF32 {
		return false
	}
	return u.Mode == tileir.AtomicXchg || u.Elem.IsFloat() == (u.Mode == tileir.AtomicAddF)
}

// Emit gives what becomes of sixteen elements, given in their forms.
func (u Update) Emit(b *vec.Builder, old, arg vec.Reg) vec.Reg {
	return updates[u.Mode](b, u, old, arg)
}

// Splat gives the form of an element, whose bits a scalar has as in memory, in all lanes.
func Splat(b *vec.Builder, t *tileir.TileType, x vec.Reg) vec.Reg {
	return FromMemory(b, t, b.Do(vec.Splat, Stored(t), x))
}

// First is a scalar with the bits that memory would have of the first element.
func First(b *vec.Builder, t *tileir.TileType, x vec.Reg) vec.Reg {
	return b.Do(vec.SFirst, bitsOf(t), ToMemory(b, t, x))
}

// bitsOf is the integer type of an element in memory.
func bitsOf(t *tileir.TileType) vec.Type { return vec.IntOf(Stored(t).Bytes()) }
