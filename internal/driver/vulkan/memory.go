package vulkan

import "unsafe"

// Objects of memory. Zero is none.
type (
	Buffer uint64 // VkBuffer
	Memory uint64 // VkDeviceMemory
)

// bufferUsage is what every buffer may be used for: source and destination of copies, and access by address.
const bufferUsage = 1 | 2 | 0x20 | 0x20000

// CreateBuffer makes a buffer, which has no memory yet.
func (d *Device) CreateBuffer(size uint64) (Buffer, error) {
	return create[Buffer](d, fnCreateBuffer, "VkBuffer",
		unsafe.Pointer(&bufferCreateInfo{header: header{sType: typeBufferCreateInfo}, size: size, usage: bufferUsage}))
}

// DestroyBuffer gives a buffer back, not its memory.
func (d *Device) DestroyBuffer(b Buffer) { d.destroy(fnDestroyBuffer, uint64(b), "VkBuffer") }

// BufferRequirements says what memory a buffer takes: bytes, alignment, and a bit for each type of memory that serves.
func (d *Device) BufferRequirements(b Buffer) (size, alignment uint64, types uint32) {
	var r memoryRequirements
	d.call(fnGetBufferMemoryRequirements, d.handle, uintptr(b), uintptr(unsafe.Pointer(&r)))
	return r.size, r.alignment, r.types
}

// AllocateMemory gives memory whose addresses kernels may use. Its content is undefined.
func (d *Device) AllocateMemory(size uint64, memoryType uint32) (Memory, error) {
	const deviceAddress = 2
	addresses := &memoryAllocateFlagsInfo{header: header{sType: typeMemoryAllocateFlagsInfo}, flags: deviceAddress}
	return create[Memory](d, fnAllocateMemory, "VkDeviceMemory",
		unsafe.Pointer(&memoryAllocateInfo{header{typeMemoryAllocateInfo, unsafe.Pointer(addresses)}, size, memoryType}))
}

// FreeMemory gives memory back, mapped or not. No buffer may use it.
func (d *Device) FreeMemory(m Memory) { d.destroy(fnFreeMemory, uint64(m), "VkDeviceMemory") }

// BindBuffer gives a buffer its memory.
func (d *Device) BindBuffer(b Buffer, m Memory, offset uint64) error {
	return d.check(fnBindBufferMemory, d.quick(fnBindBufferMemory, d.handle, uintptr(b), uintptr(m), uintptr(offset)))
}

// Map makes all of some memory that is HostVisible part of the program's memory, until it is freed.
func (d *Device) Map(m Memory) (unsafe.Pointer, error) {
	const whole = ^uintptr(0)
	var p unsafe.Pointer
	r := d.call(fnMapMemory, d.handle, uintptr(m), 0, whole, 0, uintptr(unsafe.Pointer(&p)))
	return p, d.check(fnMapMemory, r)
}

// BufferAddress is the address of a buffer's first byte for kernels.
func (d *Device) BufferAddress(b Buffer) uint64 {
	info := &bufferDeviceAddressInfo{header{sType: typeBufferDeviceAddressInfo}, b}
	return uint64(syscallN(d.addr[fnGetBufferDeviceAddress], d.handle, uintptr(unsafe.Pointer(info))))
}
