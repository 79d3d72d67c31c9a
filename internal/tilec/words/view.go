package words

import (
	"go/constant"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// completion is a view type that is being completed from the arguments of its constructor.
type completion struct {
	*call
	desc   *describe.Desc
	result *decl.Expr
}

// completions lists the functions that make the view types, by kind.
var completions map[describe.Kind]func(c *completion) tileir.Type

// init makes the table, since a literal of it would refer to itself.
func init() {
	completions = map[describe.Kind]func(c *completion) tileir.Type{
		// A tensor view has the element type of the Go type, and extents and strides as far as they
		// are constants.
		describe.TensorViewKind: func(c *completion) tileir.Type {
			return &tileir.TensorViewType{Elem: c.desc.Elem.IR, Shape: c.static("shape"), Strides: c.static("strides")}
		},
		// A partition view has the shape of its tiles from the Go type.
		describe.PartitionViewKind: func(c *completion) tileir.Type {
			return &tileir.PartitionViewType{Tile: c.desc.Shape, Tensor: c.tensor(), DimMap: c.dimMap(), Padding: c.padding()}
		},
		// A strided view has the steps between its tiles as well.
		describe.StridedViewKind: func(c *completion) tileir.Type {
			return &tileir.StridedViewType{
				Tile: c.desc.Shape, Traversal: c.ints("traversal_strides"), Tensor: c.tensor(), DimMap: c.dimMap(), Padding: c.padding(),
			}
		},
		// The indices of a gather replace one dimension, which is known when the kernel is
		// compiled.
		describe.GatherScatterViewKind: func(c *completion) tileir.Type {
			return &tileir.GatherScatterViewType{
				Tile: c.desc.Shape, Tensor: c.tensor(), SparseDim: int(c.integer(c.field("sparse_dim"))), Padding: c.padding(),
			}
		},
	}
}

// viewType completes a view type. Go's type has the shape of the tiles; strides, order and padding
// come from the arguments of the constructor.
func (c *call) viewType(d *describe.Desc, result *decl.Expr) tileir.Type {
	return completions[d.Kind](&completion{c, d, result})
}

// field gives the expression that a directive has for a part of the type.
func (c *completion) field(name string) *decl.Expr {
	e := c.result.Field(name)
	if e == nil {
		c.Fail(c.pos, "the directive of %s does not give %s", c.fn.Name(), name)
	}
	return e
}

// tensor gives the type of the tensor view that a view is made of.
func (c *completion) tensor() *tileir.TensorViewType {
	// The tensor's own type was completed when its view was made.
	v, _ := c.get(c.field("tensor_view").Name)
	return v.(*emit.Tile).V.Type.(*tileir.TensorViewType)
}

// ints gives a list of known integers.
func (c *completion) ints(name string) []int { return c.integers(c.field(name)) }

// padding gives the padding that the constructor takes. A constructor may have none.
func (c *completion) padding() tileir.Padding {
	if c.result.Field("padding_value") == nil {
		return tileir.NoPadding
	}
	return tileir.Padding(c.integer(c.field("padding_value")))
}

// dimMap gives the order of the dimensions. If none is given, it is the order of the tensor.
func (c *completion) dimMap() []int {
	var dims []int
	if c.result.Field("dim_map") != nil {
		dims = c.ints("dim_map")
	}
	if dims == nil {
		for i := range c.desc.Shape {
			// The dimensions of the tiles are then those of the tensor, in order.
			dims = append(dims, i)
		}
	}
	return dims
}

// static gives the constants of a list, and Dynamic for its other elements: the type has room for
// the known ones only.
func (c *completion) static(name string) []int64 {
	v, _ := c.get(c.field(name).Args[0].Name)
	out := []int64{}
	for _, x := range v.(*emit.List).Elems {
		n := int64(tileir.Dynamic)
		// A stride that a launch found to be 1 is a constant, too.
		if k, ok := x.(constant.Value); ok {
			n = emit.Whole(k)
		}
		out = append(out, n)
	}
	return out
}
