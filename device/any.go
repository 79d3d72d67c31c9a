package device

import (
	"github.com/cutile-go/cutile/dtype"
	core "github.com/cutile-go/cutile/internal/device"
)

// AnyTensor is a tensor of any element type: a *Tensor[E]. A type switch or assertion gives that.
type AnyTensor interface {
	Shape() []int
	Strides() []int
	Rank() int
	Len() int
	DType() dtype.Type
	Device() *Device
	IsContiguous() bool
	Err() error
	Close() error
	String() string
	Untyped() *core.Tensor

	contiguous() (AnyTensor, error)
	usableAny() error
}

// Contiguous returns the tensor itself if its elements lie in memory without gaps, in row-major order, else a copy of which that
// holds.
func Contiguous(t AnyTensor) (AnyTensor, error) { return t.contiguous() }

func (t *Tensor[E]) contiguous() (AnyTensor, error) {
	c, err := t.Contiguous()
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (t *Tensor[E]) usableAny() error { return t.usable() }

// typed makes the tensors of each element type.
var typed = map[dtype.Type]func(dev *Device, t core.Tensor) AnyTensor{
	dtype.Bool: as[bool], dtype.I8: as[int8], dtype.I16: as[int16], dtype.I32: as[int32], dtype.I64: as[int64],
	dtype.U8: as[uint8], dtype.U16: as[uint16], dtype.U32: as[uint32], dtype.U64: as[uint64],
	dtype.F16: as[dtype.Float16], dtype.BF16: as[dtype.BFloat16], dtype.F32: as[float32], dtype.F64: as[float64],
	dtype.F8E4M3FN: as[dtype.Float8E4M3FN], dtype.F8E5M2: as[dtype.Float8E5M2], dtype.F8E8M0FNU: as[dtype.Float8E8M0FNU],
	dtype.F8E5M3FNU: as[dtype.Float8E5M3FNU], dtype.TF32: as[dtype.TensorFloat32],
}

func as[E dtype.Elem](dev *Device, t core.Tensor) AnyTensor { return &Tensor[E]{dev: dev, arg: t} }

// Typed returns the *Tensor[E] of a tensor of the packages of this module.
func Typed(dev *Device, t *core.Tensor) AnyTensor { return typed[t.Elem](dev, *t) }
