package bytecode

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/tileir"
)

// tagOf gives the tag of an element type.
var tagOf = func() (t [len(elemTagList)]uint64) {
	for _, e := range elemTagList {
		t[e.elem-tileir.I1] = e.tag
	}
	return t
}()

// elem interns an element type.
func (w *writer) elem(e tileir.Elem) int {
	if e < tileir.I1 || int(e-tileir.I1) >= len(tagOf) {
		w.fail(nil, "a type has no element type")
		return 0
	}
	if e.Since() > w.version {
		w.lacks("type %v needs version %v, but the target is %v", e, e.Since(), w.version)
		return 0
	}
	var b [2]byte
	return w.types.add(binary.AppendUvarint(b[:0], tagOf[e-tileir.I1]))
}

func (w *writer) appendType(out []byte, t tileir.Type) []byte {
	return binary.AppendUvarint(out, uint64(w.typeID(t)))
}

// typeID interns a type, and before it the types that it is made of.
func (w *writer) typeID(t tileir.Type) int {
	if t == w.last && t != nil {
		return w.lastID
	}
	id, ok := w.typeIDs[t]
	if !ok {
		switch t := t.(type) {
		case tileir.ScalarType:
			return w.elemOrPointer(t.Elem, t.Pointer, t.PtrAttr)
		case *tileir.FuncType:
			return w.funcType(t)
		}
		if id = w.newType(t); w.err != nil {
			return 0
		}
		w.typeIDs[t] = id
	}
	w.last, w.lastID = t, id
	return id
}

// internType numbers the type that was written at the end of the table, unless it was refused.
func (w *writer) internType() int {
	if w.err != nil {
		w.types.drop()
		return 0
	}
	return w.types.intern()
}

// newType interns a type by its bytes. These grow at the end of the table, so all that it is made of must be there.
func (w *writer) newType(t tileir.Type) int {
	p := &w.types
	switch t := t.(type) {
	case *tileir.TileType:
		e := w.elemOrPointer(t.Elem, t.Pointer, t.PtrAttr)
		b := binary.AppendUvarint(append(p.data, tileTag), uint64(e))
		b = binary.AppendUvarint(b, uint64(len(t.Shape)))
		for _, d := range t.Shape {
			b = binary.LittleEndian.AppendUint64(b, uint64(d))
		}
		p.data = b
	case tileir.TokenType:
		p.data = append(p.data, tokenTag)
	case *tileir.TensorViewType:
		e := w.elem(t.Elem)
		b := binary.AppendUvarint(w.appendPointerFlags(append(p.data, tensorViewTag), t.PtrAttr), uint64(e))
		p.data = appendPointerAttr(appendI64s(appendI64s(b, t.Shape), t.Strides), t.PtrAttr)
	case tileir.ViewType:
		if t.TensorView() == nil {
			w.fail(nil, "a view has no tensor")
			return 0
		}
		tensor := uint64(w.typeID(t.TensorView()))
		p.data = w.appendView(p.data, t, tensor)
	default:
		w.fail(nil, "a value has no type")
		return 0
	}
	return w.internType()
}

func (w *writer) funcType(t *tileir.FuncType) int {
	w.parts = w.parts[:0]
	for _, p := range t.Params {
		w.parts = append(w.parts, w.typeID(p))
	}
	for _, r := range t.Results {
		w.parts = append(w.parts, w.typeID(r))
	}
	return w.function(len(t.Params))
}

// entryType is funcType of [tileir.Entry.Type].
func (w *writer) entryType(e *tileir.Entry) int {
	w.parts = w.parts[:0]
	for _, p := range e.Params {
		w.parts = append(w.parts, w.typeID(p.Type))
	}
	return w.function(len(w.parts))
}

// function interns the type of a function whose n parameters, and then its results, are in w.parts.
func (w *writer) function(n int) int {
	b := appendIDs(append(w.types.data, funcTag), w.parts[:n])
	w.types.data = appendIDs(b, w.parts[n:])
	return w.internType()
}

// appendIDs writes how many numbers there are, and the numbers.
func appendIDs(b []byte, ids []int) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id))
	}
	return b
}

func (w *writer) elemOrPointer(e tileir.Elem, pointer, attr bool) int {
	id := w.elem(e)
	if !pointer {
		return id
	}
	p := &w.types
	b := binary.AppendUvarint(w.appendPointerFlags(append(p.data, ptrTag), attr), uint64(id))
	p.data = appendPointerAttr(b, attr)
	return w.internType()
}

// appendPointerFlags writes the flags that pointers and tensor views have since 13.4: whether an attribute follows.
func (w *writer) appendPointerFlags(b []byte, attr bool) []byte {
	switch {
	case w.version >= tileir.V13_4:
		return append(b, bit(attr))
	case attr:
		w.lacks("pointer attributes need version %v, but the target is %v", tileir.V13_4, w.version)
	}
	return b
}

// appendPointerAttr writes the only value of the attribute, if there is one.
func appendPointerAttr(b []byte, attr bool) []byte {
	if attr {
		return append(b, 0)
	}
	return b
}

// appendView writes a view of tiles; tensor is the number of its tensor's type.
func (w *writer) appendView(b []byte, t tileir.ViewType, tensor uint64) []byte {
	var padding tileir.Padding
	head := func(tag byte, p tileir.Padding, since tileir.Version, name string) {
		if w.version < since {
			w.lacks("type %s needs version %v, but the target is %v", name, since, w.version)
		}
		padding = p
		b = append(b, tag)
		if w.version >= tileir.V13_3 {
			b = append(b, bit(p != tileir.NoPadding))
		}
	}
	switch t := t.(type) {
	case *tileir.PartitionViewType:
		head(partitionViewTag, t.Padding, tileir.V13_1, "partition_view")
		b = binary.AppendUvarint(appendI32s(b, t.Tile), tensor)
		b = appendI32s(b, t.DimMap)
	case *tileir.StridedViewType:
		head(stridedViewTag, t.Padding, tileir.V13_3, "strided_view")
		b = appendI32s(appendI32s(b, t.Tile), t.Traversal)
		b = appendI32s(binary.AppendUvarint(b, tensor), t.DimMap)
	case *tileir.GatherScatterViewType:
		head(gatherScatterViewTag, t.Padding, tileir.V13_3, "gather_scatter_view")
		b = binary.AppendUvarint(appendI32s(b, t.Tile), tensor)
		b = binary.AppendUvarint(b, uint64(t.SparseDim))
	}
	if w.version < tileir.V13_3 {
		b = append(b, bit(padding != tileir.NoPadding))
	}
	if padding != tileir.NoPadding {
		b = binary.AppendUvarint(b, uint64(padding))
	}
	return b
}

func appendI64s(b []byte, xs []int64) []byte {
	b = binary.AppendUvarint(b, uint64(len(xs)))
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

func appendI32s(b []byte, xs []int) []byte {
	b = binary.AppendUvarint(b, uint64(len(xs)))
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}
