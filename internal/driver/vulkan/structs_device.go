package vulkan

import "unsafe"

type bufferCreateInfo struct {
	header
	flags          uint32
	size           uint64
	usage, sharing uint32
	familyCount    uint32
	families       *uint32
}

type memoryRequirements struct {
	size, alignment uint64
	types           uint32
}

type memoryAllocateInfo struct {
	header
	size uint64
	typ  uint32
}

type memoryAllocateFlagsInfo struct {
	header
	flags, devices uint32
}

type bufferDeviceAddressInfo struct {
	header
	buffer Buffer
}

type shaderModuleCreateInfo struct {
	header
	flags uint32
	size  uint64 // in bytes
	code  *uint32
}

type pushConstantRange struct{ stages, offset, size uint32 }

type pipelineLayoutCreateInfo struct {
	header
	flags     uint32
	setCount  uint32
	sets      *uint64
	pushCount uint32
	push      *pushConstantRange
}

type pipelineShaderStageCreateInfo struct {
	header
	flags, stage   uint32
	module         Shader
	name           *byte
	specialization unsafe.Pointer
}

type requiredSubgroupSize struct {
	header
	size uint32
}

type computePipelineCreateInfo struct {
	header
	flags     uint32
	stage     pipelineShaderStageCreateInfo
	layout    PipelineLayout
	base      Pipeline
	baseIndex int32
}

type pipelineCacheCreateInfo struct {
	header
	flags uint32
	size  uint64
	data  unsafe.Pointer
}

type commandPoolCreateInfo struct {
	header
	flags, family uint32
}

type commandBufferAllocateInfo struct {
	header
	pool         CommandPool
	level, count uint32
}

type commandBufferBeginInfo struct {
	header
	flags       uint32
	inheritance unsafe.Pointer
}

type memoryBarrier struct {
	header
	from, to uint32
}

type bufferCopy struct{ from, to, size uint64 }

type submitInfo struct {
	header
	waitCount    uint32
	waits        *Semaphore
	waitStages   *uint32
	commandCount uint32
	commands     *CommandBuffer
	signalCount  uint32
	signals      *Semaphore
}

type timelineSemaphoreSubmitInfo struct {
	header
	waitCount   uint32
	waits       *uint64
	signalCount uint32
	signals     *uint64
}

type semaphoreTypeCreateInfo struct {
	header
	typ     uint32
	initial uint64
}

type semaphoreCreateInfo struct {
	header
	flags uint32
}

type semaphoreWaitInfo struct {
	header
	flags      uint32
	count      uint32
	semaphores *Semaphore
	values     *uint64
}

type queryPoolCreateInfo struct {
	header
	flags, typ, count, statistics uint32
}
