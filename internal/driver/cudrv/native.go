//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import (
	"bytes"
	"runtime"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/shlib"
)

func (d *native) Init() error { return d.check(fnInit, d.call(fnInit, 0)) }

func (d *native) DriverGetVersion() (int, error) {
	var v int32
	r := d.call(fnDriverGetVersion, uintptr(unsafe.Pointer(&v)))
	return int(v), d.check(fnDriverGetVersion, r)
}

func (d *native) DeviceGetCount() (int, error) {
	var n int32
	r := d.call(fnDeviceGetCount, uintptr(unsafe.Pointer(&n)))
	return int(n), d.check(fnDeviceGetCount, r)
}

func (d *native) DeviceGet(ordinal int) (Device, error) {
	var dev Device
	r := d.call(fnDeviceGet, uintptr(unsafe.Pointer(&dev)), uintptr(ordinal))
	return dev, d.check(fnDeviceGet, r)
}

func (d *native) DeviceGetName(dev Device) (string, error) {
	name := make([]byte, 256)
	r := d.call(fnDeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(dev))
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	return string(name), d.check(fnDeviceGetName, r)
}

func (d *native) DeviceGetAttribute(dev Device, a Attribute) (int, error) {
	var v int32
	r := d.call(fnDeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(dev))
	return int(v), d.check(fnDeviceGetAttribute, r)
}

func (d *native) DeviceTotalMem(dev Device) (int64, error) {
	var n uint64
	r := d.call(fnDeviceTotalMem, uintptr(unsafe.Pointer(&n)), uintptr(dev))
	return int64(n), d.check(fnDeviceTotalMem, r)
}

func (d *native) DevicePrimaryCtxRetain(dev Device) (Context, error) {
	var c Context
	r := d.call(fnDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&c)), uintptr(dev))
	return c, d.check(fnDevicePrimaryCtxRetain, r)
}

func (d *native) DevicePrimaryCtxRelease(dev Device) error {
	return d.check(fnDevicePrimaryCtxRelease, d.result(fnDevicePrimaryCtxRelease, uintptr(dev)))
}

func (d *native) CtxSetCurrent(c Context) error {
	return d.check(fnCtxSetCurrent, d.result(fnCtxSetCurrent, uintptr(c)))
}

func (d *native) CtxSynchronize() error {
	return d.check(fnCtxSynchronize, d.result(fnCtxSynchronize))
}

// The options of cuModuleLoadDataEx that ask for the compiler's logs (CUjit_option).
const (
	jitInfoLog = 3 + iota
	jitInfoLogSize
	jitErrorLog
	jitErrorLogSize
)

const jitLogBytes = 32 << 10

func (d *native) ModuleLoadData(image []byte) (Module, string, error) {
	if len(image) == 0 {
		return 0, "", &Error{Call: symbols[fnModuleLoadDataEx].name, Code: InvalidImage, Text: "the image is empty"}
	}
	if !bytes.HasPrefix(image, []byte("\x7fELF")) {
		image = append(bytes.Clone(image), 0) // the driver takes PTX as a string
	}
	var m Module
	info, errs := make([]byte, jitLogBytes), make([]byte, jitLogBytes)
	options := []int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize}
	// The driver gives the sizes that it used back in the same words.
	values := []uintptr{0, jitLogBytes, 0, jitLogBytes}
	var pin runtime.Pinner // the addresses lie in words, where the collector does not see them
	defer pin.Unpin()
	pin.Pin(&info[0])
	pin.Pin(&errs[0])
	values[0], values[2] = uintptr(unsafe.Pointer(&info[0])), uintptr(unsafe.Pointer(&errs[0]))
	r := d.call(fnModuleLoadDataEx, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values[0])))
	if r != Success {
		e := d.fail(fnModuleLoadDataEx, r)
		e.Log = logText(errs)
		return 0, "", e
	}
	return m, logText(info), nil
}

// logText is a log up to its zero byte.
func logText(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(bytes.TrimSpace(b))
}

func (d *native) ModuleUnload(m Module) error {
	return d.check(fnModuleUnload, d.result(fnModuleUnload, uintptr(m)))
}

func (d *native) ModuleGetFunction(m Module, name string) (Function, error) {
	var f Function
	r := d.call(fnModuleGetFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(shlib.CString(name))))
	return f, d.check(fnModuleGetFunction, r)
}

func (d *native) FuncGetAttribute(f Function, a FuncAttribute) (int, error) {
	var v int32
	r := d.call(fnFuncGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(f))
	return int(v), d.check(fnFuncGetAttribute, r)
}

func (d *native) FuncSetAttribute(f Function, a FuncAttribute, value int) error {
	return d.check(fnFuncSetAttribute, d.result(fnFuncSetAttribute, uintptr(f), uintptr(a), uintptr(value)))
}

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
