//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import (
	"runtime"
	"sync"
	"unsafe"
)

func (d *native) LaunchKernel(f Function, grid, block [3]uint32, shared uint32, s Stream, params []unsafe.Pointer) error {
	err := d.check(fnLaunchKernel, d.result(fnLaunchKernel, uintptr(f),
		uintptr(grid[0]), uintptr(grid[1]), uintptr(grid[2]),
		uintptr(block[0]), uintptr(block[1]), uintptr(block[2]),
		uintptr(shared), uintptr(s), uintptr(unsafe.Pointer(unsafe.SliceData(params))), 0))
	runtime.KeepAlive(params)
	return err
}

// launchConfig is CUlaunchConfig.
type launchConfig struct {
	grid, block [3]uint32
	shared      uint32
	stream      Stream
	attrs       *LaunchAttribute
	numAttrs    uint32
}

var spareConfigs = sync.Pool{New: func() any { return new(launchConfig) }}

func (d *native) LaunchKernelEx(f Function, grid, block [3]uint32, shared uint32, s Stream, attrs []LaunchAttribute, params []unsafe.Pointer) error {
	c := spareConfigs.Get().(*launchConfig)
	*c = launchConfig{grid, block, shared, s, unsafe.SliceData(attrs), uint32(len(attrs))}
	err := d.check(fnLaunchKernelEx, d.result(fnLaunchKernelEx,
		uintptr(unsafe.Pointer(c)), uintptr(f), uintptr(unsafe.Pointer(unsafe.SliceData(params))), 0))
	runtime.KeepAlive(params)
	*c = launchConfig{}
	spareConfigs.Put(c)
	return err
}
