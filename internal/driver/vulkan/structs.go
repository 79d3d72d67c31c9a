package vulkan

import "unsafe"

// The structures of Vulkan. On machines of 64 bits Go lays them out as C does. Pointers in them are typed, so that the
// collector sees what they point to.

// The numbers that say what a structure is (VkStructureType).
const (
	typeApplicationInfo               = 0
	typeInstanceCreateInfo            = 1
	typeDeviceQueueCreateInfo         = 2
	typeDeviceCreateInfo              = 3
	typeSubmitInfo                    = 4
	typeMemoryAllocateInfo            = 5
	typeSemaphoreCreateInfo           = 9
	typeQueryPoolCreateInfo           = 11
	typeBufferCreateInfo              = 12
	typeShaderModuleCreateInfo        = 16
	typePipelineCacheCreateInfo       = 17
	typePipelineShaderStageCreateInfo = 18
	typeComputePipelineCreateInfo     = 29
	typePipelineLayoutCreateInfo      = 30
	typeCommandPoolCreateInfo         = 39
	typeCommandBufferAllocateInfo     = 40
	typeCommandBufferBeginInfo        = 42
	typeMemoryBarrier                 = 46
	typeVulkan11Features              = 49
	typeVulkan11Properties            = 50
	typeVulkan12Features              = 51
	typeVulkan12Properties            = 52
	typeFeatures2                     = 1000059000
	typeProperties2                   = 1000059001
	typeMemoryAllocateFlagsInfo       = 1000060000
	typeSemaphoreTypeCreateInfo       = 1000207002
	typeTimelineSemaphoreSubmitInfo   = 1000207003
	typeSemaphoreWaitInfo             = 1000207004
	typeSubgroupSizeProperties        = 1000225000
	typeRequiredSubgroupSize          = 1000225001
	typeSubgroupSizeFeatures          = 1000225002
	typeBufferDeviceAddressInfo       = 1000244001
	typeAtomicFloatFeatures           = 1000260000
	typeAtomicFloat2Features          = 1000273000
	typeIntegerDotProductFeatures     = 1000280000
	typeZeroInitializeFeatures        = 1000325000
	typeMaximalReconvergenceFeatures  = 1000434000
	typeBFloat16Features              = 1000141000
	typeCooperativeMatrixFeatures     = 1000506000
	typeCooperativeMatrixProperties   = 1000506001
)

// header begins every structure that can be chained.
type header struct {
	sType uint32
	next  unsafe.Pointer
}

type applicationInfo struct {
	header
	application        *byte
	applicationVersion uint32
	engine             *byte
	engineVersion      uint32
	apiVersion         uint32
}

type instanceCreateInfo struct {
	header
	flags          uint32
	application    *applicationInfo
	layerCount     uint32
	layers         **byte
	extensionCount uint32
	extensions     **byte
}

type extensionProperties struct {
	name    [256]byte
	version uint32
}

type physicalDeviceLimits struct {
	_                                  [7]uint32
	maxStorageBufferRange              uint32
	maxPushConstantsSize               uint32
	maxMemoryAllocationCount           uint32
	_                                  uint32
	_                                  [2]uint64
	_                                  [38]uint32
	maxComputeSharedMemorySize         uint32
	maxComputeWorkGroupCount           [3]uint32
	maxComputeWorkGroupInvocations     uint32
	maxComputeWorkGroupSize            [3]uint32
	_                                  [13]uint32
	minMemoryMapAlignment              uint64
	_                                  [2]uint64
	minStorageBufferOffsetAlignment    uint64
	_                                  [21]uint32
	timestampComputeAndGraphics        uint32
	timestampPeriod                    float32 // nanoseconds of a tick
	_                                  [12]uint32
	optimalBufferCopyOffsetAlignment   uint64
	optimalBufferCopyRowPitchAlignment uint64
	nonCoherentAtomSize                uint64
}

type physicalDeviceProperties struct {
	apiVersion, driverVersion, vendorID, deviceID, deviceType uint32
	deviceName                                                [256]byte
	pipelineCacheUUID                                         [16]byte
	limits                                                    physicalDeviceLimits
	sparse                                                    [5]uint32
}

type physicalDeviceProperties2 struct {
	header
	properties physicalDeviceProperties
}

type vulkan11Properties struct {
	header
	deviceUUID, driverUUID      [16]byte
	deviceLUID                  [8]byte
	deviceNodeMask              uint32
	deviceLUIDValid             uint32
	subgroupSize                uint32
	subgroupSupportedStages     uint32
	subgroupSupportedOperations uint32
	_                           [6]uint32
	maxMemoryAllocationSize     uint64
}

type vulkan12Properties struct {
	header
	driverID                  uint32
	driverName, driverInfo    [256]byte
	conformance               [4]byte
	denormBehaviorIndependent uint32
	roundingModeIndependent   uint32
	floats                    [5][3]uint32 // what FloatControls has, each for 16, 32 and 64 bits
	_                         [29]uint32
	maxTimelineDifference     uint64
	_                         uint32
}

type subgroupSizeProperties struct {
	header
	min, max, maxPerWorkgroup, stages uint32
}

// flags is every structure of features: an array of VkBool32. It is longer than any of them.
type flags struct {
	header
	bits [80]uint32
}

type queueFamilyProperties struct {
	flags, count, timestampValidBits uint32
	granularity                      [3]uint32
}

type memoryType struct{ flags, heap uint32 }

type memoryHeap struct {
	size  uint64
	flags uint32
}

type memoryProperties struct {
	typeCount uint32
	types     [32]memoryType
	heapCount uint32
	heaps     [16]memoryHeap
}

type cooperativeMatrixProperties struct {
	header
	m, n, k                uint32
	a, b, c, result        uint32
	saturatingAccumulation uint32
	scope                  uint32
}

type deviceQueueCreateInfo struct {
	header
	flags, family, count uint32
	priorities           *float32
}

type deviceCreateInfo struct {
	header
	flags          uint32
	queueCount     uint32
	queues         *deviceQueueCreateInfo
	layerCount     uint32
	layers         **byte
	extensionCount uint32
	extensions     **byte
	features       unsafe.Pointer
}
