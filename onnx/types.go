package onnx

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// elemType is an element type of ONNX: TensorProto.DataType. Those that arrays cannot have are without one here.
type elemType struct {
	name string
	elem dtype.Type
}

var elemTypes = map[int64]elemType{
	1: {"float", dtype.F32}, 2: {"uint8", dtype.U8}, 3: {"int8", dtype.I8}, 4: {"uint16", dtype.U16}, 5: {"int16", dtype.I16},
	6: {"int32", dtype.I32}, 7: {"int64", dtype.I64}, 8: {"string", dtype.Invalid}, 9: {"bool", dtype.Bool}, 10: {"float16", dtype.F16},
	11: {"double", dtype.F64}, 12: {"uint32", dtype.U32}, 13: {"uint64", dtype.U64}, 14: {"complex64", dtype.Invalid},
	15: {"complex128", dtype.Invalid}, 16: {"bfloat16", dtype.BF16}, 17: {"float8e4m3fn", dtype.F8E4M3FN},
	18: {"float8e4m3fnuz", dtype.Invalid}, 19: {"float8e5m2", dtype.F8E5M2}, 20: {"float8e5m2fnuz", dtype.Invalid},
	21: {"uint4", dtype.Invalid}, 22: {"int4", dtype.Invalid}, 23: {"float4e2m1", dtype.Invalid}, 24: {"float8e8m0", dtype.Invalid},
	25: {"uint2", dtype.Invalid}, 26: {"int2", dtype.Invalid},
}

// typeOf gives the element type of a DataType.
func typeOf(code int64) (dtype.Type, error) {
	t, ok := elemTypes[code]
	switch {
	case !ok:
		return dtype.Invalid, fmt.Errorf("element type %d is unknown", code)
	case t.elem == dtype.Invalid:
		return dtype.Invalid, fmt.Errorf("element type %s is not supported", t.name)
	}
	return t.elem, nil
}

// Dim is an extent of an input or output: a number, or a name such as "batch" for any number, or neither.
type Dim struct {
	N    int // -1 if it is not fixed
	Name string
}

// String returns the number, the name, or a question mark.
func (d Dim) String() string {
	switch {
	case d.N >= 0:
		return fmt.Sprint(d.N)
	case d.Name != "":
		return d.Name
	}
	return "?"
}

// Info describes an input or output of a model.
type Info struct {
	Name string
	Elem dtype.Type // dtype.Invalid if it is no tensor, or has an element type that is not supported
	Dims []Dim      // nil if Rank is -1
	Rank int        // -1 if the model does not tell
	Type string     // the element type as ONNX names it, or another kind of value, such as a sequence
}

// String returns a text such as "input float [batch 576]".
func (i Info) String() string {
	if i.Rank < 0 {
		return i.Name + " " + i.Type
	}
	dims := make([]string, len(i.Dims))
	for k, d := range i.Dims {
		dims[k] = d.String()
	}
	return fmt.Sprintf("%s %s [%s]", i.Name, i.Type, strings.Join(dims, " "))
}

// infoOf describes a value as its ValueInfoProto says.
func infoOf(v *wire.Info) (Info, error) {
	i := Info{Name: v.Name, Rank: -1, Type: "any"}
	switch t := v.Type; {
	case t == nil:
	case t.Sequence != nil:
		i.Type = "sequence"
	case t.Optional != nil:
		i.Type = "optional"
	case t.Other:
		i.Type = "map or sparse tensor"
	case t.Tensor != nil:
		e, ok := elemTypes[t.Tensor.Elem]
		if !ok && t.Tensor.Elem != 0 {
			return i, fmt.Errorf("element type %d is unknown", t.Tensor.Elem)
		}
		i.Type, i.Elem = e.name, e.elem
		if t.Tensor.Shape == nil {
			return i, nil
		}
		i.Rank = len(t.Tensor.Shape.Dims)
		for k, d := range t.Tensor.Shape.Dims {
			n := -1
			if d.Known && d.Value >= 0 { // some exporters write -1 for what is open
				if d.Value > maxElements {
					return i, fmt.Errorf("axis %d has extent %d, expected 0 to %d", k, d.Value, maxElements)
				}
				n = int(d.Value)
			}
			i.Dims = append(i.Dims, Dim{N: n, Name: d.Param})
		}
	}
	return i, nil
}
