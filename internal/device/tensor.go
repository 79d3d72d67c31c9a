package device

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/device/strided"
)

// Tensor is a tensor of any element type: a view of a device's memory.
type Tensor struct {
	Memory *Memory
	View   strided.View
	Elem   dtype.Type
	Spec   bool  // it stands for tensors to come, aligned and without memory
	Err    error // why there is no such tensor
}

// Address is what a pointer to the first element holds in a kernel; 0 for a Spec.
func (t *Tensor) Address() uint64 {
	if t.Spec {
		return 0
	}
	return t.Memory.Address() + uint64(t.View.Offset*t.Elem.Size())
}
