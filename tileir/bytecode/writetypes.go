package bytecode

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/tileir"
)

// tagOf is elemTags the other way round.
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
		w.fail(nil, "type %v needs version %v, but the target is %v", e, e.Since(), w.version)
	}
	var b [2]byte
	return w.types.add(binary.AppendUvarint(b[:0], tagOf[e-tileir.I1]))
}

func (w *writer) appendType(out []byte, t tileir.Type) []byte {
	return binary.AppendUvarint(out, uint64(w.typeID(t)))
}

// typeID interns a type of values, and before it the types that it is made of.
func (w *writer) typeID(t tileir.Type) int {
	if id, ok := w.typeIDs[t]; ok {
		return id
	}
	if s, ok := t.(tileir.ScalarType); ok {
		id := w.elem(s.Elem)
		if s.Pointer {
			id = w.pointer(id, s.PtrAttr)
		}
		return id
	}
	var room [96]byte
	b := room[:0]
	switch t := t.(type) {
	case *tileir.TileType:
		e := w.elem(t.Elem)
		if t.Pointer {
			e = w.pointer(e, t.PtrAttr)
		}
		b = binary.AppendUvarint(append(b, tileTag), uint64(e))
		b = binary.AppendUvarint(b, uint64(len(t.Shape)))
		for _, d := range t.Shape {
			b = binary.LittleEndian.AppendUint64(b, uint64(d))
		}
	case tileir.TokenType:
		b = append(b, tokenTag)
	case *tileir.TensorViewType:
		e := w.elem(t.Elem)
		b = binary.AppendUvarint(w.appendPointerFlags(append(b, tensorViewTag), t.PtrAttr), uint64(e))
		b = appendI64s(appendI64s(b, t.Shape), t.Strides)
		b = appendPointerAttr(b, t.PtrAttr)
	case tileir.ViewType:
		b = w.appendView(b, t)
	default:
		w.fail(nil, "a value has no type")
	}
	id := w.types.add(b)
	w.typeIDs[t] = id
	return id
}

func (w *writer) pointer(elem int, attr bool) int {
	var b [8]byte
	out := binary.AppendUvarint(w.appendPointerFlags(append(b[:0], ptrTag), attr), uint64(elem))
	return w.types.add(appendPointerAttr(out, attr))
}

// appendPointerFlags writes the flags that pointers and tensor views have since 13.4: whether an attribute follows.
func (w *writer) appendPointerFlags(b []byte, attr bool) []byte {
	switch {
	case w.version >= tileir.V13_4:
		return append(b, bit(attr))
	case attr:
		w.fail(nil, "pointer attributes need version %v, but the target is %v", tileir.V13_4, w.version)
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

func (w *writer) appendView(b []byte, t tileir.ViewType) []byte {
	if t.TensorView() == nil {
		w.fail(nil, "a view has no tensor")
		return b
	}
	tensor := uint64(w.typeID(t.TensorView()))
	var padding tileir.Padding
	head := func(tag byte, p tileir.Padding, since tileir.Version, name string) {
		if w.version < since {
			w.fail(nil, "type %s needs version %v, but the target is %v", name, since, w.version)
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

// signature interns the type of a function without results.
func (w *writer) signature(params []*tileir.Value) int {
	b := binary.AppendUvarint([]byte{funcTag}, uint64(len(params)))
	for _, p := range params {
		b = w.appendType(b, p.Type)
	}
	return w.types.add(append(b, 0))
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
