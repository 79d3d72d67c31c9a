package main

import (
	"context"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// gpu is the first GPU with its primary context, in which cuBLAS works, too. It is current on the thread of the goroutine that opened it, which
// keeps that thread.
type gpu struct {
	drv cudrv.Driver
	dev cudrv.Device
}

// openGPU opens the first GPU.
func openGPU() (g gpu, name string, err error) {
	if g.drv, err = cudrv.Open(); err != nil {
		return g, "", err
	}
	if err = g.drv.Init(); err != nil {
		return g, "", err
	}
	if g.dev, err = g.drv.DeviceGet(0); err != nil {
		return g, "", err
	}
	if name, err = g.drv.DeviceGetName(g.dev); err != nil {
		return g, "", err
	}
	ctx, err := g.drv.DevicePrimaryCtxRetain(g.dev)
	if err != nil {
		return g, "", err
	}
	runtime.LockOSThread()
	return g, name, g.drv.CtxSetCurrent(ctx)
}

func (g gpu) close() error {
	defer runtime.UnlockOSThread()
	if err := g.drv.CtxSetCurrent(0); err != nil {
		return err
	}
	return g.drv.DevicePrimaryCtxRelease(g.dev)
}

// openBLAS opens cuBLAS.
func openBLAS(*options) (*machine, error) {
	b, err := loadBLAS()
	if err != nil {
		return nil, err
	}
	g, name, err := openGPU()
	if err != nil {
		return nil, err
	}
	if err := b.create(); err != nil {
		return nil, err
	}
	version, err := b.version()
	if err != nil {
		return nil, err
	}
	return &machine{
		about: fmt.Sprintf("cuBLAS %d (%s) on %s", version, b.path, name),
		job: func(_ context.Context, w *workload, p *problem) (*job, error) {
			return g.product(b, w.dims, p)
		},
		close: func() error {
			if err := b.destroy(); err != nil {
				return err
			}
			return g.close()
		},
	}, nil
}

// product is a workload of kind gemm by cuBLAS.
func (g gpu) product(b *blas, d []int, p *problem) (*job, error) {
	var at [3]cudrv.DevicePtr
	out := make([]f16, size(p.out))
	for i, data := range [][]f16{elements[f16](p.in[0].data), elements[f16](p.in[1].data), out} {
		var err error
		if at[i], err = g.drv.MemAlloc(2 * int64(len(data))); err != nil {
			return nil, err
		}
		if err := g.drv.MemcpyHtoD(at[i], bytesOf(data)); err != nil {
			return nil, err
		}
	}
	return &job{
		clear: func(context.Context) error {
			for i := range out {
				out[i] = elements[f16]([]float32{nan})[0]
			}
			return g.drv.MemcpyHtoD(at[2], bytesOf(out))
		},
		launch: func(context.Context) error {
			return b.multiply(d[0], d[1], d[2], uint64(at[0]), uint64(at[1]), uint64(at[2]))
		},
		sync: func(context.Context) error { return g.drv.CtxSynchronize() },
		read: func(context.Context) ([]float32, error) {
			if err := g.drv.CtxSynchronize(); err != nil {
				return nil, err
			}
			err := g.drv.MemcpyDtoH(bytesOf(out), at[2])
			return numbers(out), err
		},
		close: func() (err error) {
			for _, p := range at {
				if e := g.drv.MemFree(p); err == nil {
					err = e
				}
			}
			return err
		},
	}, nil
}

// bytesOf is the memory of elements.
func bytesOf(x []f16) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 2*len(x)) }
