package vulkan

import (
	"fmt"
	"unsafe"
)

// DeviceType says what a device is (VkPhysicalDeviceType).
type DeviceType uint32

// The types.
const (
	Other DeviceType = iota
	Integrated
	Discrete
	Virtual
	CPU // a software driver
)

var typeNames = [...]string{"other device", "integrated GPU", "discrete GPU", "virtual GPU", "software on the CPU"}

// String is for people, such as "integrated GPU".
func (t DeviceType) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return typeNames[Other]
}

// Physical is a device that is there, and what it says about itself. Info may be changed before Open, as tests do.
type Physical struct {
	Info
	in     *Instance
	handle uintptr
}

// Info describes a device. Everything but the first block of fields is zero where the device is older than Vulkan 1.2.
type Info struct {
	Name               string
	Type               DeviceType
	Version            uint32 // of Vulkan, see [VersionName]
	DriverVersion      uint32 // packed as the driver's maker likes
	VendorID, DeviceID uint32
	CacheUUID          [16]byte // names the format of pipeline caches
	Limits             Limits
	Memory             []MemoryType
	Heaps              []Heap
	Families           []QueueFamily
	Extensions         []string

	Driver     string // its name and version in words, such as "llvmpipe, Mesa 25.0.7"
	Features   Features
	Subgroup   Subgroup
	Floats     FloatControls
	Matrices   []CooperativeMatrix
	MaxAlloc   uint64 // bytes of one allocation, as the driver promises; more may work
	MaxPending uint64 // how far a timeline semaphore's pending value may be ahead
}

// Limits are bounds of kernels and launches.
type Limits struct {
	PushConstants  uint32    // bytes
	Allocations    uint32    // at a time
	Shared         uint32    // bytes of a workgroup's shared memory
	Grid           [3]uint32 // workgroups of a dispatch
	Invocations    uint32    // of a workgroup
	WorkgroupSize  [3]uint32
	TimestampTick  float64 // nanoseconds
	StorageBuffers uint32  // bytes of a buffer in a descriptor; addresses know no such bound
}

// Subgroup says what is known of the invocations that run in step.
type Subgroup struct {
	Size        uint32 // where nothing is asked for
	Min, Max    uint32 // what may be asked for; Size where nothing may be
	MaxPerGroup uint32 // of a workgroup that asks; 0 where nothing may be asked for
	Operations  uint32 // VkSubgroupFeatureFlags
	Compute     bool   // operations are there in compute shaders
	CanAsk      bool   // of compute shaders a size may be asked for
}

// FloatControls are the modes that a shader can be promised, each for floats of 16, 32 and 64 bits.
type FloatControls struct {
	SignedZeroInfNaN, DenormPreserve, FlushToZero, RoundEven, RoundZero [3]bool
	// Denorms and Rounding say for which widths a kernel may choose apart.
	Denorms, Rounding Independence
}

// Independence says whether the modes of floats of different widths may differ (VkShaderFloatControlsIndependence).
type Independence uint32

// The kinds of independence.
const (
	Only32 Independence = iota // those of 32 bits from the others
	Each
	NoWidth
)

// Properties of memory (VkMemoryPropertyFlagBits).
const (
	DeviceLocal  uint32 = 1
	HostVisible  uint32 = 2
	HostCoherent uint32 = 4
	HostCached   uint32 = 8
)

// MemoryType is a kind of memory.
type MemoryType struct {
	Index uint32 // for [Device.AllocateMemory]
	Flags uint32
	Heap  int // among the heaps
}

// Heap is a pool that types of memory share.
type Heap struct {
	Size        uint64
	DeviceLocal bool
}

// QueueFamily is a kind of queues.
type QueueFamily struct {
	Index         uint32
	Count         uint32
	Compute       bool
	Graphics      bool
	TimestampBits uint32 // that mean something; 0 where there are no timestamps
}

// Component is VkComponentTypeKHR, a type of cooperative matrices' elements.
type Component uint32

// Some components.
const (
	Float16 Component = 0
	Float32 Component = 1
	Sint8   Component = 3
	Sint32  Component = 5
	Uint8   Component = 7
	Uint32  Component = 9

	BFloat16 Component = 1000141000
)

// CooperativeMatrix is a product of matrices that hardware makes; the scope is SPIR-V's.
type CooperativeMatrix struct {
	M, N, K         uint32
	A, B, C, Result Component
	Saturating      bool
	Scope           uint32
}

// describe asks for everything.
func (p *Physical) describe() error {
	var props physicalDeviceProperties
	p.in.call(fnGetPhysicalDeviceProperties, p.handle, uintptr(unsafe.Pointer(&props)))
	l := &props.limits
	p.Info = Info{
		Name: goString(props.deviceName[:]), Type: DeviceType(props.deviceType), Version: props.apiVersion, DriverVersion: props.driverVersion,
		VendorID: props.vendorID, DeviceID: props.deviceID, CacheUUID: props.pipelineCacheUUID,
		Limits: Limits{PushConstants: l.maxPushConstantsSize, Allocations: l.maxMemoryAllocationCount, Shared: l.maxComputeSharedMemorySize,
			Grid: l.maxComputeWorkGroupCount, Invocations: l.maxComputeWorkGroupInvocations, WorkgroupSize: l.maxComputeWorkGroupSize,
			TimestampTick: float64(l.timestampPeriod), StorageBuffers: l.maxStorageBufferRange},
	}
	p.describeMemory()
	p.describeQueues()
	var err error
	if p.Extensions, err = extensionNames(func(n *uint32, list *extensionProperties) error {
		r := p.in.call(fnEnumerateDeviceExtensionProperties, p.handle, 0, uintptr(unsafe.Pointer(n)), uintptr(unsafe.Pointer(list)))
		return p.in.check(fnEnumerateDeviceExtensionProperties, r)
	}); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if p.Version < V1_2 {
		return nil
	}
	p.describeMore()
	c := newChain(p.Version, p.Extensions)
	p.in.call(fnGetPhysicalDeviceFeatures2, p.handle, uintptr(unsafe.Pointer(c.structs[inFeatures])))
	p.Features = c.read()
	if p.Features.CooperativeMatrix {
		if err := p.describeMatrices(); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// describeMore reads what Vulkan 1.2 added.
func (p *Physical) describeMore() {
	v12 := &vulkan12Properties{header: header{sType: typeVulkan12Properties}}
	v11 := &vulkan11Properties{header: header{typeVulkan11Properties, unsafe.Pointer(v12)}}
	sizes := &subgroupSizeProperties{header: header{sType: typeSubgroupSizeProperties}}
	sizable, _ := blocks[inSubgroupSize].available(p.Version, p.Extensions)
	if sizable {
		v12.next = unsafe.Pointer(sizes)
	}
	props := &physicalDeviceProperties2{header: header{typeProperties2, unsafe.Pointer(v11)}}
	p.in.call(fnGetPhysicalDeviceProperties2, p.handle, uintptr(unsafe.Pointer(props)))

	const compute = 0x20 // VK_SHADER_STAGE_COMPUTE_BIT
	n := v11.subgroupSize
	p.Subgroup = Subgroup{Size: n, Min: n, Max: n, Operations: v11.subgroupSupportedOperations, Compute: v11.subgroupSupportedStages&compute != 0}
	if sizable && sizes.stages&compute != 0 {
		p.Subgroup.Min, p.Subgroup.Max, p.Subgroup.MaxPerGroup, p.Subgroup.CanAsk = sizes.min, sizes.max, sizes.maxPerWorkgroup, true
	}
	p.Driver = goString(v12.driverName[:])
	if info := goString(v12.driverInfo[:]); info != "" {
		p.Driver += ", " + info
	}
	p.Floats.Denorms, p.Floats.Rounding = Independence(v12.denormBehaviorIndependent), Independence(v12.roundingModeIndependent)
	p.MaxAlloc, p.MaxPending = v11.maxMemoryAllocationSize, v12.maxTimelineDifference
	for i, to := range []*[3]bool{&p.Floats.SignedZeroInfNaN, &p.Floats.DenormPreserve, &p.Floats.FlushToZero, &p.Floats.RoundEven, &p.Floats.RoundZero} {
		for j, v := range v12.floats[i] {
			to[j] = v != 0
		}
	}
}

func (p *Physical) describeMemory() {
	var m memoryProperties
	p.in.call(fnGetPhysicalDeviceMemoryProperties, p.handle, uintptr(unsafe.Pointer(&m)))
	for i := range m.heaps[:min(m.heapCount, 16)] {
		p.Heaps = append(p.Heaps, Heap{m.heaps[i].size, m.heaps[i].flags&1 != 0})
	}
	for i := range m.types[:min(m.typeCount, 32)] {
		if t := m.types[i]; int(t.heap) < len(p.Heaps) {
			p.Memory = append(p.Memory, MemoryType{uint32(i), t.flags, int(t.heap)})
		}
	}
}

func (p *Physical) describeQueues() {
	list, _ := enumerate(func(n *uint32, list *queueFamilyProperties) error {
		p.in.call(fnGetPhysicalDeviceQueueFamilyProperties, p.handle, uintptr(unsafe.Pointer(n)), uintptr(unsafe.Pointer(list)))
		return nil
	})
	for i, q := range list {
		p.Families = append(p.Families, QueueFamily{uint32(i), q.count, q.flags&2 != 0, q.flags&1 != 0, q.timestampValidBits})
	}
}

func (p *Physical) describeMatrices() error {
	if !p.in.has(fnGetPhysicalDeviceCooperativeMatrixProperties) {
		return nil
	}
	var n uint32
	ask := func(list *cooperativeMatrixProperties) error {
		r := p.in.call(fnGetPhysicalDeviceCooperativeMatrixProperties, p.handle, uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(list)))
		return p.in.check(fnGetPhysicalDeviceCooperativeMatrixProperties, r)
	}
	if err := ask(nil); err != nil || n == 0 {
		return err
	}
	list := make([]cooperativeMatrixProperties, min(n, 1<<16))
	n = uint32(len(list))
	for i := range list {
		list[i].sType = typeCooperativeMatrixProperties
	}
	if err := ask(&list[0]); err != nil {
		return err
	}
	for _, m := range list[:min(int(n), len(list))] {
		p.Matrices = append(p.Matrices, CooperativeMatrix{m.m, m.n, m.k, Component(m.a), Component(m.b), Component(m.c), Component(m.result), m.saturatingAccumulation != 0, m.scope})
	}
	return nil
}
