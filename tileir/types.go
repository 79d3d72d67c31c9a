package tileir

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Dynamic marks an extent or stride of a view that is known only when the kernel runs.
const Dynamic = math.MinInt64

// MaxTileSize is the greatest number of elements that a tile may have.
const MaxTileSize = 1 << 24

// Type is the type of a value: [*TileType], [TokenType], [*TensorViewType], one of the tile views
// [*PartitionViewType], [*StridedViewType] and [*GatherScatterViewType]; or it is the type of an entry, [*FuncType], or a
// [ScalarType], which values of a valid module do not have. Types are immutable; compare them with [Identical].
type Type interface {
	String() string
	isType()
}

// TileType is an array of elements, or of pointers to elements, whose extents are powers of two.
type TileType struct {
	Elem    Elem  // for a tile of pointers, the element that they point to
	Pointer bool  // a tile of pointers
	PtrAttr bool  // the pointers have the pointer attribute of 13.4, whose only value has no meaning
	Shape   []int // empty for a scalar
}

// ScalarType is an element, or a pointer to one, outside of a tile. Files may have parameters of such types, and
// NVIDIA's disassembler prints them; the assembler and [Verify] refuse them.
type ScalarType struct {
	Elem             Elem
	Pointer, PtrAttr bool
}

// FuncType is the type of a function. The type of an entry has no results.
type FuncType struct{ Params, Results []Type }

// TokenType is the type of the tokens that order memory operations.
type TokenType struct{}

// TensorViewType describes a tensor in memory. Shape and Strides have one entry per dimension; strides count elements. An entry
// is [Dynamic] if its value is an operand of make_tensor_view.
type TensorViewType struct {
	Elem           Elem
	Shape, Strides []int64
	PtrAttr        bool // whether the pointer that it was made from has it
}

// ViewType is the type of a view of a tensor as tiles.
type ViewType interface {
	Type
	// TileType is the type of one tile of the view.
	TileType() *TileType
	// TensorView is the type of the viewed tensor.
	TensorView() *TensorViewType
	// Axes says how the tiles lie, for each axis of a tile.
	Axes() []ViewAxis
	// PaddingValue is the value of loaded elements outside the tensor.
	PaddingValue() Padding
}

// PartitionViewType views a tensor as a grid of tiles that do not overlap.
type PartitionViewType struct {
	Tile    []int
	Tensor  *TensorViewType
	DimMap  []int   // tile dimension i walks tensor dimension DimMap[i]
	Padding Padding // the value of loaded elements outside the tensor
}

// StridedViewType views a tensor as tiles that start Traversal elements apart.
type StridedViewType struct {
	Tile      []int
	Traversal []int
	Tensor    *TensorViewType
	DimMap    []int
	Padding   Padding
}

// GatherScatterViewType views a tensor with one dimension that is indexed element by element.
type GatherScatterViewType struct {
	Tile      []int
	Tensor    *TensorViewType
	SparseDim int
	Padding   Padding
}

// Padding is the value of elements outside the tensor.
type Padding int8

// The padding values; NoPadding leaves such elements undefined.
const (
	NoPadding  Padding = -1
	PadZero    Padding = 0
	PadNegZero Padding = 1
	PadNaN     Padding = 2
	PadPosInf  Padding = 3
	PadNegInf  Padding = 4
)

// String returns the padding's name in the text form.
func (p Padding) String() string {
	if p < 0 || int(p) >= len(PaddingValue.Values) {
		return "none"
	}
	return PaddingValue.Text(int64(p))
}

func (*TileType) isType()              {}
func (TokenType) isType()              {}
func (ScalarType) isType()             {}
func (*FuncType) isType()              {}
func (*TensorViewType) isType()        {}
func (*PartitionViewType) isType()     {}
func (*StridedViewType) isType()       {}
func (*GatherScatterViewType) isType() {}

// Tile makes the type of a tile of elements; no extents make a scalar.
func Tile(e Elem, shape ...int) *TileType { return &TileType{Elem: e, Shape: shape} }

// PointerTile makes the type of a tile of pointers to e.
func PointerTile(e Elem, shape ...int) *TileType {
	return &TileType{Elem: e, Pointer: true, Shape: shape}
}

// Token is the type of tokens.
var Token = TokenType{}

// Size returns the number of elements; for a shape that is too large for any tile, at most 2^31 - 1.
func (t *TileType) Size() int {
	n := 1
	for _, d := range t.Shape {
		if n > 0 && d > math.MaxInt32/n {
			return math.MaxInt32
		}
		n *= d
	}
	return n
}

// Rank returns the number of dimensions.
func (t *TileType) Rank() int { return len(t.Shape) }

// TileType implements [ViewType].
func (v *PartitionViewType) TileType() *TileType { return Tile(v.Tensor.Elem, v.Tile...) }

// TileType implements [ViewType].
func (v *StridedViewType) TileType() *TileType { return Tile(v.Tensor.Elem, v.Tile...) }

// TileType implements [ViewType].
func (v *GatherScatterViewType) TileType() *TileType { return Tile(v.Tensor.Elem, v.Tile...) }

// TensorView implements [ViewType].
func (v *PartitionViewType) TensorView() *TensorViewType { return v.Tensor }

// TensorView implements [ViewType].
func (v *StridedViewType) TensorView() *TensorViewType { return v.Tensor }

// TensorView implements [ViewType].
func (v *GatherScatterViewType) TensorView() *TensorViewType { return v.Tensor }

// Identical reports whether two types are identical.
func Identical(a, b Type) bool {
	switch a := a.(type) {
	case *TileType:
		b, ok := b.(*TileType)
		return ok && a.Elem == b.Elem && a.Pointer == b.Pointer && (a.PtrAttr == b.PtrAttr || !a.Pointer) &&
			slices.Equal(a.Shape, b.Shape)
	case TokenType, ScalarType:
		return a == b
	case *TensorViewType:
		b, ok := b.(*TensorViewType)
		return ok && (a == b || a.Elem == b.Elem && a.PtrAttr == b.PtrAttr && slices.Equal(a.Shape, b.Shape) &&
			slices.Equal(a.Strides, b.Strides))
	case *PartitionViewType:
		b, ok := b.(*PartitionViewType)
		return ok && a.Padding == b.Padding && slices.Equal(a.Tile, b.Tile) && slices.Equal(a.DimMap, b.DimMap) &&
			Identical(a.Tensor, b.Tensor)
	case *StridedViewType:
		b, ok := b.(*StridedViewType)
		return ok && a.Padding == b.Padding && slices.Equal(a.Tile, b.Tile) && slices.Equal(a.DimMap, b.DimMap) &&
			slices.Equal(a.Traversal, b.Traversal) && Identical(a.Tensor, b.Tensor)
	case *GatherScatterViewType:
		b, ok := b.(*GatherScatterViewType)
		return ok && a.Padding == b.Padding && slices.Equal(a.Tile, b.Tile) && a.SparseDim == b.SparseDim &&
			Identical(a.Tensor, b.Tensor)
	case *FuncType:
		b, ok := b.(*FuncType)
		return ok && slices.EqualFunc(a.Params, b.Params, Identical) && slices.EqualFunc(a.Results, b.Results, Identical)
	}
	return false
}

// String returns the type in the text form, such as tile<64x64xf32> or tile<ptr<f16>>.
func (t *TileType) String() string {
	var b strings.Builder
	b.WriteString("tile<")
	for _, d := range t.Shape {
		b.WriteString(strconv.Itoa(d))
		b.WriteByte('x')
	}
	b.WriteString(ScalarType{t.Elem, t.Pointer, t.PtrAttr}.String() + ">")
	return b.String()
}

// String returns the type in the text form, such as i32 or ptr<f32>.
func (t ScalarType) String() string {
	switch {
	case t.Pointer && t.PtrAttr:
		return "ptr<" + t.Elem.String() + ", <none>>"
	case t.Pointer:
		return "ptr<" + t.Elem.String() + ">"
	}
	return t.Elem.String()
}

// String returns the type in the text form, such as (tile<i32>, tile<ptr<f32>>) -> (), without the dialect's name.
func (t *FuncType) String() string {
	if len(t.Results) == 1 {
		return typeList(t.Params) + " -> " + fmt.Sprint(t.Results[0])
	}
	return typeList(t.Params) + " -> " + typeList(t.Results)
}

func typeList(ts []Type) string {
	texts := make([]string, len(ts))
	for i, t := range ts {
		texts[i] = fmt.Sprint(t)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// String returns "token".
func (TokenType) String() string { return "token" }

// String returns the type in the text form, such as tensor_view<?x?xf16, strides=[?,1]>.
func (t *TensorViewType) String() string {
	if t == nil {
		return "no tensor_view" // of a view that is not whole, in a message
	}
	var b strings.Builder
	b.WriteString("tensor_view<")
	for _, d := range t.Shape {
		b.WriteString(extent(d) + "x")
	}
	b.WriteString(t.Elem.String())
	if len(t.Strides) > 0 {
		b.WriteString(", strides=[")
		for i, s := range t.Strides {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(extent(s))
		}
		b.WriteByte(']')
	}
	if t.PtrAttr {
		b.WriteString(", #cuda_tile.ptr_attr<none>")
	}
	b.WriteByte('>')
	return b.String()
}

func extent(d int64) string {
	if d == Dynamic {
		return "?"
	}
	return strconv.FormatInt(d, 10)
}
