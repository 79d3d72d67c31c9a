package vulkan

import (
	"slices"
	"unsafe"
)

// Features are what a device may have and the project asks for. [Physical.Open] turns on those that are true.
type Features struct {
	Float64, Float16    bool
	Int64, Int16, Int8  bool
	Storage8, Storage16 bool // 8 and 16 bits are read and written by buffer or address
	BufferDeviceAddress bool
	TimelineSemaphore   bool
	MemoryModel         bool // the Vulkan memory model, and its scope of the whole device
	MemoryModelDevice   bool
	ScalarBlockLayout   bool
	VariablePointers    bool
	// VariableStorage is what VariablePointers includes: pointers into one buffer.
	VariableStorage       bool
	SubgroupExtendedTypes bool
	SubgroupSize          bool // a pipeline may ask for a subgroup size
	FullSubgroups         bool
	ZeroInitialize        bool // of shared memory
	IntegerDotProduct     bool
	AtomicInt64           bool // on buffers
	SharedAtomicInt64     bool
	AtomicFloat32Add      bool
	SharedAtomicFloat32   bool // addition on shared memory
	AtomicFloat64Add      bool
	AtomicFloat16Add      bool
	AtomicFloat32MinMax   bool
	MaximalReconvergence  bool // invocations meet again where the program's text says so
	CooperativeMatrix     bool
	BFloat16              bool
	BFloat16Matrix        bool // cooperative matrices of them
}

// block is a structure of features, which may be chained where its version or extension is there.
type block struct {
	name      string // of the structure, without VkPhysicalDevice
	sType     uint32
	since     uint32 // version of the device that has it built in; 0 for none
	extension string // that has it otherwise; "" for none
}

// The structures, by their index in blocks.
const (
	inFeatures = iota
	in11
	in12
	inSubgroupSize
	inZeroInitialize
	inDotProduct
	inAtomicFloat
	inAtomicFloat2
	inReconvergence
	inCooperativeMatrix
	inBFloat16
)

var blocks = [...]block{
	inFeatures:          {"Features2", typeFeatures2, V1_0, ""},
	in11:                {"Vulkan11Features", typeVulkan11Features, V1_2, ""},
	in12:                {"Vulkan12Features", typeVulkan12Features, V1_2, ""},
	inSubgroupSize:      {"SubgroupSizeControlFeatures", typeSubgroupSizeFeatures, V1_3, "VK_EXT_subgroup_size_control"},
	inZeroInitialize:    {"ZeroInitializeWorkgroupMemoryFeatures", typeZeroInitializeFeatures, V1_3, "VK_KHR_zero_initialize_workgroup_memory"},
	inDotProduct:        {"ShaderIntegerDotProductFeatures", typeIntegerDotProductFeatures, V1_3, "VK_KHR_shader_integer_dot_product"},
	inAtomicFloat:       {"ShaderAtomicFloatFeaturesEXT", typeAtomicFloatFeatures, 0, "VK_EXT_shader_atomic_float"},
	inAtomicFloat2:      {"ShaderAtomicFloat2FeaturesEXT", typeAtomicFloat2Features, 0, "VK_EXT_shader_atomic_float2"},
	inReconvergence:     {"ShaderMaximalReconvergenceFeaturesKHR", typeMaximalReconvergenceFeatures, 0, "VK_KHR_shader_maximal_reconvergence"},
	inCooperativeMatrix: {"CooperativeMatrixFeaturesKHR", typeCooperativeMatrixFeatures, 0, "VK_KHR_cooperative_matrix"},
	inBFloat16:          {"ShaderBfloat16FeaturesKHR", typeBFloat16Features, 0, "VK_KHR_shader_bfloat16"},
}

// feature is a row of the table: the name in the specification, the structure, the place among its booleans.
type feature struct {
	name  string
	block int
	index int
	at    func(f *Features) *bool
}

var features = []feature{
	{"shaderFloat64", inFeatures, 39, func(f *Features) *bool { return &f.Float64 }},
	{"shaderInt64", inFeatures, 40, func(f *Features) *bool { return &f.Int64 }},
	{"shaderInt16", inFeatures, 41, func(f *Features) *bool { return &f.Int16 }},
	{"storageBuffer16BitAccess", in11, 0, func(f *Features) *bool { return &f.Storage16 }},
	{"variablePointersStorageBuffer", in11, 7, func(f *Features) *bool { return &f.VariableStorage }},
	{"variablePointers", in11, 8, func(f *Features) *bool { return &f.VariablePointers }},
	{"storageBuffer8BitAccess", in12, 2, func(f *Features) *bool { return &f.Storage8 }},
	{"shaderBufferInt64Atomics", in12, 5, func(f *Features) *bool { return &f.AtomicInt64 }},
	{"shaderSharedInt64Atomics", in12, 6, func(f *Features) *bool { return &f.SharedAtomicInt64 }},
	{"shaderFloat16", in12, 7, func(f *Features) *bool { return &f.Float16 }},
	{"shaderInt8", in12, 8, func(f *Features) *bool { return &f.Int8 }},
	{"scalarBlockLayout", in12, 31, func(f *Features) *bool { return &f.ScalarBlockLayout }},
	{"shaderSubgroupExtendedTypes", in12, 34, func(f *Features) *bool { return &f.SubgroupExtendedTypes }},
	{"timelineSemaphore", in12, 37, func(f *Features) *bool { return &f.TimelineSemaphore }},
	{"bufferDeviceAddress", in12, 38, func(f *Features) *bool { return &f.BufferDeviceAddress }},
	{"vulkanMemoryModel", in12, 41, func(f *Features) *bool { return &f.MemoryModel }},
	{"vulkanMemoryModelDeviceScope", in12, 42, func(f *Features) *bool { return &f.MemoryModelDevice }},
	{"subgroupSizeControl", inSubgroupSize, 0, func(f *Features) *bool { return &f.SubgroupSize }},
	{"computeFullSubgroups", inSubgroupSize, 1, func(f *Features) *bool { return &f.FullSubgroups }},
	{"shaderZeroInitializeWorkgroupMemory", inZeroInitialize, 0, func(f *Features) *bool { return &f.ZeroInitialize }},
	{"shaderIntegerDotProduct", inDotProduct, 0, func(f *Features) *bool { return &f.IntegerDotProduct }},
	{"shaderBufferFloat32AtomicAdd", inAtomicFloat, 1, func(f *Features) *bool { return &f.AtomicFloat32Add }},
	{"shaderBufferFloat64AtomicAdd", inAtomicFloat, 3, func(f *Features) *bool { return &f.AtomicFloat64Add }},
	{"shaderSharedFloat32AtomicAdd", inAtomicFloat, 5, func(f *Features) *bool { return &f.SharedAtomicFloat32 }},
	{"shaderBufferFloat16AtomicAdd", inAtomicFloat2, 1, func(f *Features) *bool { return &f.AtomicFloat16Add }},
	{"shaderBufferFloat32AtomicMinMax", inAtomicFloat2, 3, func(f *Features) *bool { return &f.AtomicFloat32MinMax }},
	{"shaderMaximalReconvergence", inReconvergence, 0, func(f *Features) *bool { return &f.MaximalReconvergence }},
	{"cooperativeMatrix", inCooperativeMatrix, 0, func(f *Features) *bool { return &f.CooperativeMatrix }},
	{"shaderBFloat16Type", inBFloat16, 0, func(f *Features) *bool { return &f.BFloat16 }},
	{"shaderBFloat16CooperativeMatrix", inBFloat16, 2, func(f *Features) *bool { return &f.BFloat16Matrix }},
}

// Names lists the features that are true by their names in the specification.
func (f *Features) Names() []string { return f.names(true) }

// Missing lists the features that are false by their names in the specification.
func (f *Features) Missing() []string { return f.names(false) }

// Hide makes the feature of a name false, and reports whether there is one.
func (f *Features) Hide(name string) bool {
	i := slices.IndexFunc(features, func(row feature) bool { return row.name == name })
	if i >= 0 {
		*features[i].at(f) = false
	}
	return i >= 0
}

func (f *Features) names(want bool) []string {
	var out []string
	for _, row := range features {
		if *row.at(f) == want {
			out = append(out, row.name)
		}
	}
	return out
}

// available reports whether a structure may be chained, and names the extension that it takes.
func (b block) available(version uint32, extensions []string) (ok bool, extension string) {
	if b.since != 0 && version >= b.since {
		return true, ""
	}
	return b.extension != "" && slices.Contains(extensions, b.extension), b.extension
}

// chain is the structures that a device takes, the first of which leads to the others.
type chain struct {
	structs    [len(blocks)]*flags // nil for what the device does not know
	extensions []string            // that they take
}

func newChain(version uint32, extensions []string) *chain {
	c := &chain{}
	var last *flags
	for i, b := range blocks {
		ok, extension := b.available(version, extensions)
		if !ok {
			continue
		}
		s := &flags{header: header{sType: b.sType}}
		if last != nil {
			last.next = unsafe.Pointer(s)
		}
		c.structs[i], last = s, s
		if extension != "" {
			c.extensions = append(c.extensions, extension)
		}
	}
	return c
}

// read takes what a driver has written.
func (c *chain) read() (f Features) {
	for _, row := range features {
		if s := c.structs[row.block]; s != nil {
			*row.at(&f) = s.bits[row.index] != 0
		}
	}
	return f
}

// write asks for features; it names the first one that has no place on the device.
func (c *chain) write(f Features) (missing string) {
	for _, row := range features {
		if !*row.at(&f) {
			continue
		}
		s := c.structs[row.block]
		if s == nil {
			return row.name
		}
		s.bits[row.index] = 1
	}
	return ""
}
