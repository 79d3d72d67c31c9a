package bind

import (
	"slices"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Tensors describes the tensors among the bits that Pack gives, for a launch that is watched. writes says by parameter
// which are written.
func (c *Call) Tensors(writes []bool) (all []engine.Tensor) {
	bit := 0
	for i := range c.slots {
		s := &c.slots[i]
		if s.param.Kind == compile.Scalar {
			bit++
		}
		if s.tensor == nil {
			continue
		}
		v := s.tensor.View
		t := engine.Tensor{Arg: bit, Name: s.param.Name, Pointer: s.param.Kind == compile.Ptr, Size: s.tensor.Elem.Size(),
			Elem: &elem.Table[s.tensor.Elem], Shape: slices.Clone(v.Shape), Strides: slices.Clone(v.Strides), Writes: writes[s.index]}
		all = append(all, t)
		if bit++; !t.Pointer {
			bit += 2 * len(v.Shape)
		}
	}
	return all
}
