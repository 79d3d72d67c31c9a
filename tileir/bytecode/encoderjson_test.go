package bytecode_test

import (
	"encoding/hex"
	"fmt"
	"math"

	"github.com/cutile-go/cutile/dtype"
	. "github.com/cutile-go/cutile/tileir"
)

// jsonOf describes modules to testdata/encode.py.
type jsonOf map[string]any

func jsonType(t Type) jsonOf {
	switch t := t.(type) {
	case *TileType:
		return jsonOf{"kind": "tile", "elem": t.Elem.Name(), "pointer": t.Pointer, "attr": t.PtrAttr, "shape": list(t.Shape)}
	case *TensorViewType:
		return jsonOf{"kind": "tensor", "elem": t.Elem.Name(), "attr": t.PtrAttr, "shape": list(t.Shape), "strides": list(t.Strides)}
	case *PartitionViewType:
		return jsonOf{"kind": "partition", "tile": t.Tile, "tensor": jsonType(t.Tensor), "dimMap": t.DimMap, "padding": t.Padding}
	case *StridedViewType:
		return jsonOf{"kind": "strided", "tile": t.Tile, "traversal": t.Traversal, "tensor": jsonType(t.Tensor), "dimMap": t.DimMap, "padding": t.Padding}
	case *GatherScatterViewType:
		return jsonOf{"kind": "gather", "tile": t.Tile, "tensor": jsonType(t.Tensor), "sparseDim": t.SparseDim, "padding": t.Padding}
	}
	return jsonOf{"kind": "token"}
}

// list is an empty list in JSON where a nil slice would be null.
func list[T any](xs []T) []T { return append([]T{}, xs...) }

func jsonTypes(vs []*Value) []jsonOf {
	out := []jsonOf{}
	for _, v := range vs {
		out = append(out, jsonType(v.Type))
	}
	return out
}

func jsonAttr(a *AttrInfo, v Attr) jsonOf {
	switch v := v.(type) {
	case Int:
		if a.Coding == EnumAttr {
			return jsonOf{"kind": "enum", "enum": a.Enum.Name, "value": v}
		}
		return jsonOf{"kind": "int", "value": uint32(v)} // the encoder takes no negative numbers
	case *Constant:
		return jsonOf{"kind": "constant", "value": hex.EncodeToString(v.Data)}
	case Numbers:
		ns := []jsonOf{}
		for _, n := range v {
			j := jsonOf{"elem": n.Elem.Name(), "bits": n.Elem.Bits(), "int": n.Bits}
			if n.Elem.IsFloat() {
				j["float"] = fmt.Sprint(floatOf(n))
			}
			ns = append(ns, j)
		}
		return jsonOf{"kind": "numbers", "value": ns}
	case Hints:
		hs := []any{}
		for _, h := range v {
			items := []any{}
			for _, x := range h.Hints {
				var value any = x.Value.Bool
				if x.Value.Elem != NoElem {
					value = x.Value.Int
				}
				items = append(items, []any{x.Name, value})
			}
			hs = append(hs, []any{h.Arch, items})
		}
		return jsonOf{"kind": "hints", "value": hs}
	case DivBy:
		return jsonOf{"kind": "div_by", "value": []any{v.Divisor, v.Every, v.Along}}
	case Bounded:
		return jsonOf{"kind": "bounded", "value": []any{v.Lower, v.Upper}}
	case SameElements:
		return jsonOf{"kind": "same_elements", "value": v}
	}
	return jsonOf{"kind": "plain", "value": v}
}

// floatOf is the number that the bits stand for.
func floatOf(n Number) float64 {
	switch n.Elem {
	case F64:
		return math.Float64frombits(n.Bits)
	case F16:
		return dtype.Float16(n.Bits).Float64()
	case BF16:
		return dtype.BFloat16(n.Bits).Float64()
	}
	return float64(math.Float32frombits(uint32(n.Bits)))
}

// jsonPlace describes a place with its function, which reference files always have; nil for none.
func jsonPlace(l *Loc) jsonOf {
	if l == nil || l.IsZero() {
		return nil
	}
	j := jsonOf{"file": l.File, "line": l.Line, "col": l.Col, "caller": jsonPlace(l.Caller)}
	if s := l.Scope; s != nil && s.File != nil {
		j["function"] = []any{s.File.Name, s.File.Dir, s.Line, s.Name, s.Linkage, s.ScopeLine}
	}
	return j
}

// numbering gives values their numbers, by the rule of docs/bytecode.md.
type numbering struct {
	ids  map[*Value]int
	next int
}

func (n *numbering) define(vs []*Value) {
	for _, v := range vs {
		n.ids[v] = n.next
		n.next++
	}
}

func (n *numbering) ops(ops []*Op, v Version) []jsonOf {
	out := []jsonOf{}
	for _, o := range ops {
		j := jsonOf{"name": o.Info.Mnemonic, "place": jsonPlace(&o.Loc)}
		results := o.Results
		if k := len(o.Info.Results); k > 0 && o.Info.Results[k-1].Since > v {
			results = nil
		}
		j["types"] = jsonTypes(results)
		operands, attrs := jsonOf{}, jsonOf{}
		for i := range o.Info.Operands {
			ids := []int{}
			for _, x := range o.Group(i) {
				ids = append(ids, n.ids[x])
			}
			operands[o.Info.Operands[i].Name] = ids
		}
		for i := range o.Info.Attrs {
			if a := filled(o, i); a != nil {
				attrs[o.Info.Attrs[i].Name] = jsonAttr(&o.Info.Attrs[i], a)
			}
		}
		j["operands"], j["attrs"] = operands, attrs
		regions := []jsonOf{}
		for _, b := range o.Regions {
			if b == nil {
				continue
			}
			before := n.next
			n.define(b.Args)
			regions = append(regions, jsonOf{"args": jsonTypes(b.Args), "ops": n.ops(b.Ops, v)})
			n.next = before
		}
		j["regions"] = regions
		n.define(results)
		out = append(out, j)
	}
	return out
}
