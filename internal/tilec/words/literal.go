package words

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// constant evaluates the value of a tile: one element that fills it, or a list of all its elements.
func (w *wanted) constant() tileir.Attr {
	d := w.TileDesc(w.results[0])
	// An address is known only when the program runs.
	if d == nil || d.Pointer {
		w.Fail(w.pos, "there are no constants of type %s", w.results[0])
	}
	t := d.Tile()
	v := w.known(w.expr)
	list, ok := v.(*emit.List)
	if !ok {
		return &tileir.Constant{Type: t, Data: encode(d.Elem.IR, w.encoded(v, d.Elem))}
	}
	// Go's type of a list does not have the number of its elements.
	if len(list.Elems) != t.Size() {
		w.Fail(w.pos, "%d elements are given for a tile of shape %s", len(list.Elems), describe.ShapeText(d.Shape))
	}
	return &tileir.Constant{Type: t, Data: w.encodeList(list, t.Size(), d.Elem)}
}

// encoded gives the bits of an element.
func (w *wanted) encoded(v emit.Value, e describe.Elem) uint64 {
	// Bits refuses a number that the type cannot hold.
	n, ok := w.Bits(w.pos, v, e)
	if !ok {
		w.Fail(w.pos, "a text cannot live on the device")
	}
	return n
}

// encodeList encodes the elements of a list, followed by zeros up to a length.
func (w *wanted) encodeList(list *emit.List, size int, e describe.Elem) []byte {
	all := make([]uint64, size)
	for i, v := range list.Elems {
		all[i] = w.encoded(v, e)
	}
	return encode(e.IR, all...)
}

// encode gives elements as the data of a constant. Each truth value takes a bit. A single one takes
// a byte of equal bits, as it fills a tile of any size.
func encode(e tileir.Elem, all ...uint64) []byte {
	if e == tileir.I1 && len(all) == 1 {
		return []byte{byte(-int8(all[0] & 1))}
	}
	// The bits of truth values are packed, the first one lowest.
	if e == tileir.I1 {
		out := make([]byte, (len(all)+7)/8)
		for i, n := range all {
			out[i/8] |= byte(n&1) << (i % 8)
		}
		return out
	}
	size := (e.Bits() + 7) / 8
	out := make([]byte, 0, size*len(all))
	for _, n := range all {
		if e == tileir.TF32 { // without the bits below that memory has
			n >>= 32 - e.Bits()
		}
		out = append(out, binary.LittleEndian.AppendUint64(nil, n)[:size]...)
	}
	return out
}

// symbol makes memory of the module, symbol(values, align, constant), and gives its name. A
// position in the source has one such memory, however often it is lowered. Its size is a power of
// two, as that of every tile; zeros fill the rest.
func (w *wanted) symbol() tileir.Attr {
	d := w.TileDesc(w.results[0])
	args := w.expr.Args
	if w.expr.Name != "symbol" || len(args) != 3 || d == nil || !d.Pointer {
		w.fail("want symbol(values, align, constant) for a pointer")
	}
	list, ok := w.known(args[0]).(*emit.List)
	if !ok || len(list.Elems) == 0 {
		w.Fail(w.pos, "%s of %s needs at least one element", args[0].Name, w.fn.Name())
	}
	// The number of elements of a tile is a power of two.
	size := 1 << bits.Len(uint(len(list.Elems)-1))
	data := w.encodeList(list, size, d.Elem)
	// A position and a type identify the memory, since a loop lowers the same call again.
	key := emit.GlobalKey{At: w.Pos, Elem: d.Elem.IR, Size: size}
	g := w.Globals[key]
	if g == nil {
		g = &tileir.Global{Name: fmt.Sprintf("%s_global%d", w.Entry.Name, len(w.Globals)), Loc: w.Loc()}
		w.Globals[key] = g
		w.Global = append(w.Global, g)
	}
	// The last lowering of the call decides, as a loop that is lowered again may know other values.
	g.Value = &tileir.Constant{Type: tileir.Tile(d.Elem.IR, size), Data: data}
	g.Align, g.Constant = w.integer(args[1]), w.integer(args[2]) != 0
	return tileir.String(g.Name)
}
