package gomlx

import (
	"context"
	"errors"
	"fmt"
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

// view gives a tensor of its own for the same memory: several executions may read a buffer at the same time, a tensor is for one
// goroutine.
func (x *Buffer) view() (device.AnyTensor, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tensor == nil {
		return nil, fmt.Errorf("cutile: the buffer of %s was finalized or donated", x.shape)
	}
	return x.storage.view(x.tensor), nil
}

// free frees the memory when the work that is queued on it has ended.
func (x *Buffer) free() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tensor == nil {
		return nil
	}
	err := x.tensor.Close()
	x.tensor = nil
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
	t, err := x.view()
	if err != nil || t.Len() == 0 {
		return err
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

// HasSharedBuffers returns false: results lie in memory of the device, which Go programs cannot read in place.
func (b *Backend) HasSharedBuffers() bool { return false }

var errShared = errors.New("cutile: no shared buffers: HasSharedBuffers is false; use BufferFromFlatData and BufferToFlatData")

// NewSharedBuffer returns an error.
func (b *Backend) NewSharedBuffer(backends.DeviceNum, shapes.Shape) (backends.Buffer, any, error) {
	return nil, nil, errShared
}

// BufferData returns an error.
func (b *Backend) BufferData(backends.Buffer) (any, error) { return nil, errShared }

// BufferCopyToDevice returns an error: there is one device.
func (b *Backend) BufferCopyToDevice(source backends.Buffer, n backends.DeviceNum) (backends.Buffer, error) {
	if err := checkDevice(n); err != nil {
		return nil, err
	}
	return nil, errors.New("cutile: the buffer is on device 0 already")
}
