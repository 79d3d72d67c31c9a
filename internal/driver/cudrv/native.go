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

func (d *native) DeviceCanAccessPeer(dev, peer Device) (bool, error) {
	var can int32
	r := d.call(fnDeviceCanAccessPeer, uintptr(unsafe.Pointer(&can)), uintptr(dev), uintptr(peer))
	return can != 0, d.check(fnDeviceCanAccessPeer, r)
}

func (d *native) OccupancyMaxActiveBlocks(f Function, threads int, shared uint32) (int, error) {
	var n int32
	r := d.call(fnOccupancyMaxActiveBlocks, uintptr(unsafe.Pointer(&n)), uintptr(f), uintptr(threads), uintptr(shared))
	return int(n), d.check(fnOccupancyMaxActiveBlocks, r)
}

func (d *native) FuncSetAttribute(f Function, a FuncAttribute, value int) error {
	return d.check(fnFuncSetAttribute, d.result(fnFuncSetAttribute, uintptr(f), uintptr(a), uintptr(value)))
}
