//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import (
	"runtime"
	"unsafe"
)

func (d *native) MemGetInfo() (free, total int64, err error) {
	var f, t uint64
	r := d.call(fnMemGetInfo, uintptr(unsafe.Pointer(&f)), uintptr(unsafe.Pointer(&t)))
	return int64(f), int64(t), d.check(fnMemGetInfo, r)
}

func (d *native) MemAlloc(n int64) (DevicePtr, error) {
	var p DevicePtr
	r := d.call(fnMemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n))
	return p, d.check(fnMemAlloc, r)
}

func (d *native) MemFree(p DevicePtr) error {
	return d.check(fnMemFree, d.result(fnMemFree, uintptr(p)))
}

func (d *native) MemcpyHtoD(dst DevicePtr, src []byte) error {
	err := d.check(fnMemcpyHtoD, d.result(fnMemcpyHtoD, uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(src))), uintptr(len(src))))
	runtime.KeepAlive(src)
	return err
}

func (d *native) MemcpyDtoH(dst []byte, src DevicePtr) error {
	err := d.check(fnMemcpyDtoH, d.result(fnMemcpyDtoH, uintptr(unsafe.Pointer(unsafe.SliceData(dst))), uintptr(src), uintptr(len(dst))))
	runtime.KeepAlive(dst)
	return err
}

func (d *native) MemcpyHtoDAsync(dst DevicePtr, src []byte, s Stream) error {
	err := d.check(fnMemcpyHtoDAsync, d.result(fnMemcpyHtoDAsync, uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(src))), uintptr(len(src)), uintptr(s)))
	runtime.KeepAlive(src)
	return err
}

func (d *native) MemcpyDtoHAsync(dst []byte, src DevicePtr, s Stream) error {
	err := d.check(fnMemcpyDtoHAsync, d.result(fnMemcpyDtoHAsync, uintptr(unsafe.Pointer(unsafe.SliceData(dst))), uintptr(src), uintptr(len(dst)), uintptr(s)))
	runtime.KeepAlive(dst)
	return err
}

func (d *native) MemcpyDtoDAsync(dst, src DevicePtr, n int64, s Stream) error {
	return d.check(fnMemcpyDtoDAsync, d.result(fnMemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s)))
}

func (d *native) MemsetD8Async(dst DevicePtr, value byte, n int64, s Stream) error {
	return d.check(fnMemsetD8Async, d.result(fnMemsetD8Async, uintptr(dst), uintptr(value), uintptr(n), uintptr(s)))
}

func (d *native) MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, n int64, s Stream) error {
	return d.check(fnMemcpyPeerAsync, d.result(fnMemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(n), uintptr(s)))
}

const pointerDeviceOrdinal = 9 // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL

func (d *native) PointerGetDevice(p DevicePtr) (int, error) {
	var n int32
	r := d.call(fnPointerGetAttribute, uintptr(unsafe.Pointer(&n)), pointerDeviceOrdinal, uintptr(p))
	return int(n), d.check(fnPointerGetAttribute, r)
}
