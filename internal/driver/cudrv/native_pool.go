//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import "unsafe"

// location is CUmemLocation.
type location struct {
	kind int32
	id   Device
}

// poolProps is CUmemPoolProps. What is 0 is left to the driver.
type poolProps struct {
	allocation int32
	handles    int32
	location   location
	_          [72]byte // security attributes, greatest size, usage, reserved
}

// access is CUmemAccessDesc.
type access struct {
	location location
	flags    int32
}

const (
	pinnedMemory   = 1 // CU_MEM_ALLOCATION_TYPE_PINNED
	deviceLocation = 1 // CU_MEM_LOCATION_TYPE_DEVICE
	readWrite      = 3 // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
)

func (d *native) MemPoolCreate(dev Device) (MemPool, error) {
	var p MemPool
	props := poolProps{allocation: pinnedMemory, location: location{deviceLocation, dev}}
	r := d.call(fnMemPoolCreate, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(&props)))
	return p, d.check(fnMemPoolCreate, r)
}

func (d *native) MemPoolDestroy(p MemPool) error {
	return d.check(fnMemPoolDestroy, d.result(fnMemPoolDestroy, uintptr(p)))
}

func (d *native) MemPoolSetAttribute(p MemPool, a PoolAttribute, value uint64) error {
	return d.check(fnMemPoolSetAttribute, d.call(fnMemPoolSetAttribute, uintptr(p), uintptr(a), uintptr(unsafe.Pointer(&value))))
}

func (d *native) MemPoolGetAttribute(p MemPool, a PoolAttribute) (uint64, error) {
	var value uint64
	r := d.call(fnMemPoolGetAttribute, uintptr(p), uintptr(a), uintptr(unsafe.Pointer(&value)))
	return value, d.check(fnMemPoolGetAttribute, r)
}

func (d *native) MemPoolTrimTo(p MemPool, keep int64) error {
	return d.check(fnMemPoolTrimTo, d.result(fnMemPoolTrimTo, uintptr(p), uintptr(keep)))
}

func (d *native) MemPoolSetAccess(p MemPool, from Device) error {
	desc := access{location{deviceLocation, from}, readWrite}
	return d.check(fnMemPoolSetAccess, d.call(fnMemPoolSetAccess, uintptr(p), uintptr(unsafe.Pointer(&desc)), 1))
}

func (d *native) MemAllocFromPoolAsync(n int64, pool MemPool, s Stream) (DevicePtr, error) {
	var p DevicePtr
	r := d.call(fnMemAllocFromPoolAsync, uintptr(unsafe.Pointer(&p)), uintptr(n), uintptr(pool), uintptr(s))
	return p, d.check(fnMemAllocFromPoolAsync, r)
}

func (d *native) MemFreeAsync(p DevicePtr, s Stream) error {
	return d.check(fnMemFreeAsync, d.result(fnMemFreeAsync, uintptr(p), uintptr(s)))
}

const portableHost = 1 // CU_MEMHOSTALLOC_PORTABLE: pinned for all contexts

func (d *native) MemHostAlloc(n int) ([]byte, error) {
	var p unsafe.Pointer
	r := d.call(fnMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n), portableHost)
	if err := d.check(fnMemHostAlloc, r); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

func (d *native) MemFreeHost(b []byte) error {
	return d.check(fnMemFreeHost, d.result(fnMemFreeHost, uintptr(unsafe.Pointer(unsafe.SliceData(b)))))
}
