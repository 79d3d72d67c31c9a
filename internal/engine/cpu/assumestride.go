package cpu

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// A promise about nothing but a stride says nothing where the axis has an extent of 1: that stride is never used, and
// front ends rely on it. cuTile Python promises that the stride of each such axis is a multiple of 16 bytes. These
// promises are therefore checked where the view is made, when the extents are known.

// stridePromises gives the assume operations of an entry whose value is used as a stride of tensor views, directly or
// through other such operations, and for nothing else.
func stridePromises(b *tileir.Block) map[*tileir.Op]bool {
	stride, other := map[*tileir.Value]bool{}, map[*tileir.Value]bool{}
	var assumes []*tileir.Op
	for op := range b.All() {
		switch op.Info.Opcode {
		case tileir.OpAssume:
			assumes = append(assumes, op)
		case tileir.OpMakeTensorView:
			markAll(other, op.Group(0))
			markAll(other, op.Group(1))
			markAll(stride, op.Group(2))
		default:
			markAll(other, op.Operands)
		}
	}
	only := map[*tileir.Op]bool{}
	for _, op := range slices.Backward(assumes) { // uses come after what they use
		v := op.Results[0]
		only[op] = stride[v] && !other[v]
		if only[op] {
			stride[op.Operands[0]] = true
		} else {
			other[op.Operands[0]] = true
		}
	}
	return only
}

func markAll(set map[*tileir.Value]bool, values []*tileir.Value) {
	for _, v := range values {
		set[v] = true
	}
}

// strideCheck tests the promises about a stride.
type strideCheck struct {
	axis  int
	check step
}

// strideChecks makes the tests that wait for a make_tensor_view.
func (c *compiler) strideChecks(op *tileir.Op, strides []int64) []strideCheck {
	var checks []strideCheck
	operands := op.Group(2)
	for axis, s := range strides {
		if s != tileir.Dynamic {
			continue
		}
		for v := operands[0]; v.Def != nil && c.strides[v.Def]; v = v.Def.Operands[0] {
			if check := c.promised(v.Def); check != nil {
				checks = append(checks, strideCheck{axis, check})
			}
		}
		operands = operands[1:]
	}
	return checks
}
