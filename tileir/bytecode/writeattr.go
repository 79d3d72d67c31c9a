package bytecode

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/tileir"
)

// appendAttrs writes the attributes that lie inline, and refuses those that the version cannot hold.
func (w *writer) appendAttrs(out []byte, o *tileir.Op) []byte {
	for i := range o.Info.Attrs {
		a, v := &o.Info.Attrs[i], o.Attrs[i]
		switch {
		case a.Since > w.version:
			if !isDefault(a, v) {
				w.fail(o, "attribute %s needs version %v, but the target is %v", a.Name, a.Since, w.version)
			}
		case a.Coding == tileir.UnitAttr, a.Optional && v == nil:
		default:
			out = w.appendAttr(out, o, a, v)
		}
	}
	return out
}

// isDefault reports whether an attribute says nothing that its absence does not say.
func isDefault(a *tileir.AttrInfo, v tileir.Attr) bool {
	switch v := v.(type) {
	case nil:
		return true
	case tileir.Int:
		return a.HasDefault && int64(v) == a.Default
	case tileir.Bool:
		return !bool(v)
	case tileir.Bools:
		for _, b := range v {
			if b {
				return false
			}
		}
		return true
	}
	return false
}

func (w *writer) appendAttr(out []byte, o *tileir.Op, a *tileir.AttrInfo, v tileir.Attr) []byte {
	if v == nil && a.HasDefault {
		if a.Coding == tileir.BoolArrayAttr {
			return appendNoBounds(out, o)
		}
		v = tileir.Int(a.Default)
	}
	switch v := v.(type) {
	case tileir.Int:
		if a.Coding == tileir.EnumAttr {
			return binary.AppendUvarint(out, uint64(v))
		}
		if a.Coding == tileir.VarintAttr {
			if a.Width == 32 {
				return binary.AppendUvarint(out, uint64(uint32(v)))
			}
			return binary.AppendUvarint(out, uint64(v))
		}
	case tileir.Bool:
		if a.Coding == tileir.BoolAttr {
			return append(out, bit(bool(v)))
		}
	case tileir.String:
		if a.Coding == tileir.StringAttr {
			return w.appendString(out, string(v))
		}
	case *tileir.Constant:
		if a.Coding == tileir.ConstantAttr && v != nil {
			return w.appendConstant(out, v.Data)
		}
	case tileir.Ints:
		if a.Coding == tileir.Int32ArrayAttr {
			return appendI32s(out, v)
		}
	case tileir.Bools:
		if a.Coding == tileir.BoolArrayAttr {
			out = binary.AppendUvarint(out, uint64(len(v)))
			for _, b := range v {
				out = append(out, bit(b))
			}
			return out
		}
	case tileir.Numbers:
		if a.Coding == tileir.NumberArrayAttr {
			return w.appendNumbers(out, v)
		}
	case tileir.Hints:
		if a.Coding == tileir.HintsAttr {
			return w.appendHints(out, v)
		}
	case tileir.DivBy, tileir.Bounded, tileir.SameElements:
		if a.Coding == tileir.PredicateAttr {
			return appendPredicate(out, v)
		}
	}
	w.fail(o, "attribute %s is missing or of the wrong kind", a.Name)
	return out
}

// appendNoBounds writes the default of inbounds: false for each index.
func appendNoBounds(out []byte, o *tileir.Op) []byte {
	n := 0
	if i := o.Info.OperandIndex("index"); i >= 0 {
		n = len(o.Group(i))
	}
	out = binary.AppendUvarint(out, uint64(n))
	return append(out, make([]byte, n)...)
}

func (w *writer) appendNumbers(out []byte, ns tileir.Numbers) []byte {
	out = binary.AppendUvarint(out, uint64(len(ns)))
	for _, n := range ns {
		out = w.appendNumber(out, n)
	}
	return out
}

func (w *writer) appendNumber(out []byte, n tileir.Number) []byte {
	tag := byte(integerTag)
	if n.Elem.IsFloat() {
		tag = floatTag
	}
	out = binary.AppendUvarint(append(out, tag), uint64(w.elem(n.Elem)))
	switch {
	case tag == integerTag:
		return binary.AppendUvarint(out, n.Bits)
	case n.Elem.Bits() <= 8:
		return append(out, byte(n.Bits))
	}
	return appendZigzag(out, int64(n.Bits))
}

// appendTagged writes an attribute that names its own kind.
func (w *writer) appendTagged(out []byte, a tileir.Attr) []byte {
	switch a := a.(type) {
	case tileir.Number:
		return w.appendNumber(out, a)
	case tileir.Bool:
		return append(out, boolTag, bit(bool(a)))
	case tileir.TypeValue:
		return w.appendType(append(out, typeTag), a.Type)
	case tileir.String:
		return w.appendString(append(out, stringTag), string(a))
	case tileir.List:
		out = binary.AppendUvarint(append(out, arrayTag), uint64(len(a)))
		for _, x := range a {
			out = w.appendTagged(out, x)
		}
		return out
	case tileir.Dict:
		out = binary.AppendUvarint(append(out, dictionaryTag), uint64(len(a)))
		for _, x := range a {
			out = w.appendTagged(w.appendString(out, x.Name), x.Value)
		}
		return out
	case tileir.Hints:
		return w.appendHints(append(out, optimizationHintsTag), a)
	case tileir.DivBy, tileir.Bounded, tileir.SameElements:
		return appendPredicate(out, a)
	}
	w.fail(nil, "a hint is a %T, which has no encoding", a)
	return out
}

// appendHints writes optimisation hints without their tag.
func (w *writer) appendHints(out []byte, hs tileir.Hints) []byte {
	out = binary.AppendUvarint(out, uint64(len(hs)))
	for _, h := range hs {
		out = append(w.appendString(out, h.Arch), dictionaryTag)
		out = binary.AppendUvarint(out, uint64(len(h.Hints)))
		for _, x := range h.Hints {
			out = w.appendString(out, x.Name)
			switch e := x.Value.Elem; {
			case x.Value.Other != nil:
				out = w.appendTagged(out, x.Value.Other)
			case e == tileir.NoElem:
				out = append(out, boolTag, bit(x.Value.Bool))
			default:
				out = binary.AppendUvarint(append(out, integerTag), uint64(w.elem(e)))
				out = binary.AppendUvarint(out, uint64(x.Value.Int)&(1<<e.Bits()-1))
			}
		}
	}
	return out
}

func appendPredicate(out []byte, v tileir.Attr) []byte {
	switch v := v.(type) {
	case tileir.DivBy:
		out = binary.AppendUvarint(append(out, divByTag), v.Divisor)
		return appendPair(out, v.Every, v.Along)
	case tileir.Bounded:
		return appendPair(append(out, boundedTag), v.Lower, v.Upper)
	case tileir.SameElements:
		return appendI64s(append(out, sameElementsTag), v)
	}
	return out
}

// appendPair writes a byte that tells which of two numbers are given, and those.
func appendPair(out []byte, a, b *int64) []byte {
	out = append(out, bit(a != nil)|bit(b != nil)<<1)
	if a != nil {
		out = appendZigzag(out, *a)
	}
	if b != nil {
		out = appendZigzag(out, *b)
	}
	return out
}
