package gomlx

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/cutile-go/cutile/device"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// Buffer is an array on the device.
type Buffer struct {
	backend *Backend
	shape   shapes.Shape
	storage *storage

	mu     sync.Mutex
	tensor device.AnyTensor // nil after BufferFinalize
	flat   any              // the slice that tensor wraps, if it is shared with the program
	uses   int              // executions that are being queued
}

// buffer checks that x is a buffer of the back end.
func (b *Backend) buffer(x backends.Buffer) (*Buffer, error) {
	buf, ok := x.(*Buffer)
	switch {
	case !ok || buf == nil:
		return nil, fmt.Errorf("cutile: the buffer is a %T, expected one of this back end", x)
	case buf.backend != b:
		return nil, errors.New("cutile: the buffer belongs to another back end of the same name: copy the tensor to this one")
	}
	return buf, nil
}

// use gives a tensor of its own for the same memory, until done is called: several executions may read a buffer at the same time, a
// tensor is for one goroutine. shared tells whether the program has a slice of the memory.
func (x *Buffer) use() (t device.AnyTensor, shared bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tensor == nil {
		return nil, false, fmt.Errorf("cutile: the buffer of %s was finalized or donated", x.shape)
	}
	x.uses++
	return x.storage.view(x.tensor), x.flat != nil, nil
}

func (x *Buffer) done() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.uses--
}

// free frees the memory when the work that is queued on it has ended.
func (x *Buffer) free() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tensor == nil {
		return nil
	}
	err := x.tensor.Close()
	x.tensor, x.flat = nil, nil
	return err
}

// BufferFinalize frees a buffer. After Finalize of the back end, which frees all of them, it does nothing, as when it is called
// again.
func (b *Backend) BufferFinalize(buffer backends.Buffer) error {
	x, err := b.buffer(buffer)
	if err != nil || b.IsFinalized() {
		return err
	}
	return x.free()
}

// BufferShape returns the shape of a buffer.
func (b *Backend) BufferShape(buffer backends.Buffer) (shapes.Shape, error) {
	x, err := b.buffer(buffer)
	if err != nil {
		return shapes.Invalid(), err
	}
	return x.shape.Clone(), nil
}

// BufferDeviceNum returns 0.
func (b *Backend) BufferDeviceNum(buffer backends.Buffer) (backends.DeviceNum, error) {
	_, err := b.buffer(buffer)
	return 0, err
}

// BufferToFlatData waits for the work on a buffer and copies its elements to a slice of their Go type and number.
func (b *Backend) BufferToFlatData(buffer backends.Buffer, flat any) error {
	x, err := b.buffer(buffer)
	if err != nil {
		return err
	}
	if err := b.usable(); err != nil {
		return err
	}
	at, err := memoryOf(flat, x.shape)
	if err != nil {
		return err
	}
	t, _, err := x.use()
	if err != nil {
		return err
	}
	defer x.done()
	if t.Len() == 0 {
		return nil
	}
	return x.storage.download(context.Background(), t, at)
}

// BufferFromFlatData copies the elements of a slice to the device.
func (b *Backend) BufferFromFlatData(n backends.DeviceNum, flat any, shape shapes.Shape) (backends.Buffer, error) {
	if err := errors.Join(b.usable(), checkDevice(n)); err != nil {
		return nil, err
	}
	s, err := storageOf(shape.DType)
	if err != nil {
		return nil, err
	}
	at, err := memoryOf(flat, shape)
	if err != nil {
		return nil, err
	}
	t, err := s.upload(b.dev, at, s.tensorShape(shape.Dimensions))
	if err != nil {
		return nil, fmt.Errorf("cutile: a buffer of %s: %w", shape, err)
	}
	return &Buffer{backend: b, shape: shape.Clone(), storage: s, tensor: t}, nil
}

// HasSharedBuffers reports whether the memory of the device is the program's: true for the CPU.
func (b *Backend) HasSharedBuffers() bool { return b.shared }

var errShared = errors.New("cutile: the device has memory of its own, no shared buffers: use BufferFromFlatData and BufferToFlatData")

// NewSharedBuffer makes a buffer of zeros and returns the slice that it consists of. The program may change elements while no
// execution uses them: Execute waits for computations that read shared buffers.
func (b *Backend) NewSharedBuffer(n backends.DeviceNum, shape shapes.Shape) (backends.Buffer, any, error) {
	if err := errors.Join(b.usable(), checkDevice(n)); err != nil {
		return nil, nil, err
	}
	if !b.shared {
		return nil, nil, errShared
	}
	s, err := storageOf(shape.DType)
	if err != nil {
		return nil, nil, err
	}
	x := &Buffer{backend: b, shape: shape.Clone(), storage: s}
	if err := x.share(s.slice(product(shape.Dimensions))); err != nil {
		return nil, nil, err
	}
	return x, x.flat, nil
}

// share makes a slice the memory of a buffer.
func (x *Buffer) share(flat reflect.Value) error {
	from := x.storage.wrap
	if flat.Len() == 0 {
		from = x.storage.upload
	}
	t, err := from(x.backend.dev, flat.UnsafePointer(), x.storage.tensorShape(x.shape.Dimensions))
	if err != nil {
		return fmt.Errorf("cutile: a shared buffer of %s: %w", x.shape, err)
	}
	x.tensor, x.flat = t, flat.Interface()
	return nil
}

// BufferData waits for the work on a buffer and returns the slice that it consists of. The buffer of a result moves to memory that
// is shared with the program when it is first asked for.
func (b *Backend) BufferData(buffer backends.Buffer) (any, error) {
	x, err := b.buffer(buffer)
	if err != nil {
		return nil, err
	}
	if err := b.usable(); err != nil {
		return nil, err
	}
	if !b.shared {
		return nil, errShared
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.tensor == nil:
		return nil, fmt.Errorf("cutile: the buffer of %s was finalized or donated", x.shape)
	case x.flat != nil:
		return x.flat, nil
	}
	old := x.tensor
	flat := x.storage.slice(product(x.shape.Dimensions))
	if flat.Len() > 0 {
		if err := x.storage.download(context.Background(), old, flat.UnsafePointer()); err != nil {
			return nil, err
		}
	}
	if err := x.share(flat); err != nil {
		return nil, err
	}
	if x.uses == 0 { // else the garbage collector closes it
		old.Close()
	}
	return x.flat, nil
}

// BufferCopyToDevice returns an error: there is one device.
func (b *Backend) BufferCopyToDevice(source backends.Buffer, n backends.DeviceNum) (backends.Buffer, error) {
	if err := checkDevice(n); err != nil {
		return nil, err
	}
	return nil, errors.New("cutile: the buffer is on device 0 already")
}
