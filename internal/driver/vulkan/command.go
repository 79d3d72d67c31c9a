package vulkan

import (
	"runtime"
	"unsafe"
)

// CommandPool holds command buffers (VkCommandPool). One caller at a time may use it or record into its buffers.
type CommandPool uint64

// CommandBuffer is a list of commands (VkCommandBuffer). It lives as long as its pool.
type CommandBuffer uintptr

// CreateCommandPool makes a pool whose buffers can be recorded again one by one.
func (d *Device) CreateCommandPool(family uint32) (CommandPool, error) {
	const resetBuffers = 2
	return create[CommandPool](d, fnCreateCommandPool, "VkCommandPool",
		unsafe.Pointer(&commandPoolCreateInfo{header{sType: typeCommandPoolCreateInfo}, resetBuffers, family}))
}

// DestroyCommandPool gives a pool back, with its buffers.
func (d *Device) DestroyCommandPool(p CommandPool) {
	d.destroy(fnDestroyCommandPool, uint64(p), "VkCommandPool")
}

// AllocateCommandBuffer makes a command buffer.
func (d *Device) AllocateCommandBuffer(p CommandPool) (CommandBuffer, error) {
	info := &commandBufferAllocateInfo{header: header{sType: typeCommandBufferAllocateInfo}, pool: p, count: 1}
	var c CommandBuffer
	r := d.call(fnAllocateCommandBuffers, d.handle, uintptr(unsafe.Pointer(info)), uintptr(unsafe.Pointer(&c)))
	return c, d.check(fnAllocateCommandBuffers, r)
}

// once describes a recording that is submitted once. It is never written.
var once = &commandBufferBeginInfo{header: header{sType: typeCommandBufferBeginInfo}, flags: 1}

// Begin starts a recording and drops what was recorded before.
func (d *Device) Begin(c CommandBuffer) error {
	return d.check(fnBeginCommandBuffer, d.quick(fnBeginCommandBuffer, uintptr(c), uintptr(unsafe.Pointer(once))))
}

// End ends a recording; it tells of errors of the commands.
func (d *Device) End(c CommandBuffer) error {
	return d.check(fnEndCommandBuffer, d.quick(fnEndCommandBuffer, uintptr(c)))
}

// CmdBindPipeline chooses what CmdDispatch runs.
func (d *Device) CmdBindPipeline(c CommandBuffer, p Pipeline) {
	const compute = 1
	d.quick(fnCmdBindPipeline, uintptr(c), compute, uintptr(p))
}

// CmdPushConstants sets push constants from the first byte on. They are copied; data must not lie on a stack, and its length
// is a multiple of 4.
func (d *Device) CmdPushConstants(c CommandBuffer, l PipelineLayout, data []byte) {
	d.quick(fnCmdPushConstants, uintptr(c), uintptr(l), stageCompute, 0, uintptr(len(data)), uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	runtime.KeepAlive(data)
}

// CmdDispatch runs the pipeline over a grid of workgroups.
func (d *Device) CmdDispatch(c CommandBuffer, x, y, z uint32) {
	d.quick(fnCmdDispatch, uintptr(c), uintptr(x), uintptr(y), uintptr(z))
}

// Stages of the pipeline and kinds of access (VkPipelineStageFlagBits, VkAccessFlagBits).
const (
	stageBottom   = 0x2000
	stageDispatch = 0x800
	stageTransfer = 0x1000
	stageHost     = 0x4000
	stageAll      = 0x10000

	accessHostRead = 0x2000
	accessRead     = 0x8000  // of any kind
	accessWrite    = 0x10000 // of any kind
)

// everything orders all accesses of a device. It is never written.
var everything = &memoryBarrier{header{sType: typeMemoryBarrier}, accessWrite, accessRead | accessWrite}

// toHost makes what a device has written visible to the program. It is never written.
var toHost = &memoryBarrier{header{sType: typeMemoryBarrier}, accessWrite, accessHostRead}

// CmdBarrier makes commands behind it wait for those before it and see what they wrote.
func (d *Device) CmdBarrier(c CommandBuffer) { d.barrier(c, stageDispatch|stageTransfer, everything) }

// CmdHostBarrier makes what commands before it wrote visible to the program, once it has waited for them.
func (d *Device) CmdHostBarrier(c CommandBuffer) { d.barrier(c, stageHost, toHost) }

func (d *Device) barrier(c CommandBuffer, to uintptr, b *memoryBarrier) {
	d.quick(fnCmdPipelineBarrier, uintptr(c), stageDispatch|stageTransfer, to, 0, 1, uintptr(unsafe.Pointer(b)), 0, 0, 0, 0)
}

// CmdCopyBuffer copies bytes from one buffer to another, or within one where they do not overlap.
func (d *Device) CmdCopyBuffer(c CommandBuffer, from, to Buffer, fromOffset, toOffset, size uint64) {
	d.call(fnCmdCopyBuffer, uintptr(c), uintptr(from), uintptr(to), 1, uintptr(unsafe.Pointer(&bufferCopy{fromOffset, toOffset, size})))
}

// CmdFillBuffer repeats a word. Offset and size are multiples of 4.
func (d *Device) CmdFillBuffer(c CommandBuffer, b Buffer, offset, size uint64, word uint32) {
	d.quick(fnCmdFillBuffer, uintptr(c), uintptr(b), uintptr(offset), uintptr(size), uintptr(word))
}
