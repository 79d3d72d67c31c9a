package interop

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
)

// The structs of DLPack, as C lays them out on 64-bit systems.
type (
	dlDevice struct {
		kind, id int32
	}
	dlDataType struct {
		code, bits uint8
		lanes      uint16
	}
	dlTensor struct {
		data       uintptr
		device     dlDevice
		ndim       int32
		dtype      dlDataType
		shape      *int64
		strides    *int64 // in elements; nil for row-major order
		byteOffset uint64
	}
	// dlManaged is DLManagedTensor, of versions before 1.0.
	dlManaged struct {
		tensor  dlTensor
		context uintptr
		deleter uintptr
	}
	// dlVersioned is DLManagedTensorVersioned.
	dlVersioned struct {
		major, minor uint32
		context      uintptr
		deleter      uintptr
		flags        uint64
		tensor       dlTensor
	}
)

// The version of DLPack that is written, and its flag of memory that must not be written (DLPACK_FLAG_BITMASK_READ_ONLY).
const (
	dlMajor, dlMinor = 1, 0
	dlReadOnly       = 1
)

// types are the element types that both have: DLDataTypeCode with the number of bits.
var types = map[dtype.Type]dlDataType{
	dtype.Bool: {6, 8, 1},
	dtype.I8:   {0, 8, 1}, dtype.I16: {0, 16, 1}, dtype.I32: {0, 32, 1}, dtype.I64: {0, 64, 1},
	dtype.U8: {1, 8, 1}, dtype.U16: {1, 16, 1}, dtype.U32: {1, 32, 1}, dtype.U64: {1, 64, 1},
	dtype.F16: {2, 16, 1}, dtype.F32: {2, 32, 1}, dtype.F64: {2, 64, 1}, dtype.BF16: {4, 16, 1},
	dtype.F8E4M3FN: {10, 8, 1}, dtype.F8E5M2: {12, 8, 1}, dtype.F8E8M0FNU: {14, 8, 1},
}

// typeOf finds the element type of DLPack's.
func typeOf(d dlDataType) (dtype.Type, error) {
	for t, known := range types {
		if known == d {
			return t, nil
		}
	}
	return 0, fmt.Errorf("its elements have the code %d, %d bits and %d lanes: no tensors have such elements", d.code, d.bits, d.lanes)
}

// The kinds of devices (DLDeviceType), by the names of ours without their numbers. Memory that the CUDA driver moves by itself is that of the
// GPU, and pinned memory that of the CPU.
const (
	kindCPU         = 1
	kindCUDA        = 2
	kindCUDAHost    = 3
	kindCUDAManaged = 13
)

var kinds = map[int32]string{kindCPU: "cpu", kindCUDA: "cuda", kindCUDAHost: "cpu", kindCUDAManaged: "cuda"}

// deviceOf gives DLPack's name of a device.
func deviceOf(dev *cutile.Device) (dlDevice, error) {
	kind, number, _ := strings.Cut(dev.Name(), ":")
	id, _ := strconv.Atoi(number)
	switch kind {
	case "cpu":
		return dlDevice{kindCPU, 0}, nil
	case "cuda":
		return dlDevice{kindCUDA, int32(id)}, nil
	}
	return dlDevice{}, fmt.Errorf("interop: DLPack has no name for memory of %s: copy the elements with Slice", dev.Name())
}

// on reports whether a device has the memory that DLPack names.
func (d dlDevice) on(dev *cutile.Device) error {
	kind, number, _ := strings.Cut(dev.Name(), ":")
	id, _ := strconv.Atoi(number)
	want, ok := kinds[d.kind]
	switch {
	case !ok:
		return fmt.Errorf("its memory is of a device of DLPack's kind %d: only that of CPUs (1, 3) and of CUDA (2, 13) can be used", d.kind)
	case want != kind:
		return fmt.Errorf("its memory is of a %s, but the device is %s: open the other", want, dev.Name())
	case kind == "cuda" && int(d.id) != id && d.kind == kindCUDA:
		return fmt.Errorf("its memory is of cuda:%d, but the device is %s: open the other", d.id, dev.Name())
	}
	return nil
}

// pointer is an address of C's memory as a pointer.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
