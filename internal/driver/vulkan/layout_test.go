package vulkan

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// fact is a number that C computes from Vulkan's header, and what this package takes it for.
type fact struct {
	expression string
	ours       uintptr
	extension  string // in whose headers it is, "" for Vulkan 1.3
}

func size[T any](name string) fact {
	var v T
	return fact{"sizeof(" + name + ")", unsafe.Sizeof(v), ""}
}

func offset(structure, field string, ours uintptr) fact {
	return fact{"offsetof(" + structure + ", " + field + ")", ours, ""}
}

func layoutFacts() []fact {
	facts := []fact{
		size[applicationInfo]("VkApplicationInfo"), size[instanceCreateInfo]("VkInstanceCreateInfo"), size[extensionProperties]("VkExtensionProperties"),
		size[physicalDeviceLimits]("VkPhysicalDeviceLimits"), size[physicalDeviceProperties]("VkPhysicalDeviceProperties"),
		size[physicalDeviceProperties2]("VkPhysicalDeviceProperties2"), size[vulkan11Properties]("VkPhysicalDeviceVulkan11Properties"),
		size[vulkan12Properties]("VkPhysicalDeviceVulkan12Properties"), size[subgroupSizeProperties]("VkPhysicalDeviceSubgroupSizeControlProperties"),
		size[queueFamilyProperties]("VkQueueFamilyProperties"), size[memoryProperties]("VkPhysicalDeviceMemoryProperties"),
		size[deviceQueueCreateInfo]("VkDeviceQueueCreateInfo"), size[deviceCreateInfo]("VkDeviceCreateInfo"), size[bufferCreateInfo]("VkBufferCreateInfo"),
		size[memoryRequirements]("VkMemoryRequirements"), size[memoryAllocateInfo]("VkMemoryAllocateInfo"), size[memoryAllocateFlagsInfo]("VkMemoryAllocateFlagsInfo"),
		size[bufferDeviceAddressInfo]("VkBufferDeviceAddressInfo"), size[shaderModuleCreateInfo]("VkShaderModuleCreateInfo"),
		size[pushConstantRange]("VkPushConstantRange"), size[pipelineLayoutCreateInfo]("VkPipelineLayoutCreateInfo"),
		size[pipelineShaderStageCreateInfo]("VkPipelineShaderStageCreateInfo"), size[requiredSubgroupSize]("VkPipelineShaderStageRequiredSubgroupSizeCreateInfo"),
		size[computePipelineCreateInfo]("VkComputePipelineCreateInfo"), size[pipelineCacheCreateInfo]("VkPipelineCacheCreateInfo"),
		size[commandPoolCreateInfo]("VkCommandPoolCreateInfo"), size[commandBufferAllocateInfo]("VkCommandBufferAllocateInfo"),
		size[commandBufferBeginInfo]("VkCommandBufferBeginInfo"), size[memoryBarrier]("VkMemoryBarrier"), size[bufferCopy]("VkBufferCopy"),
		size[submitInfo]("VkSubmitInfo"), size[timelineSemaphoreSubmitInfo]("VkTimelineSemaphoreSubmitInfo"),
		size[semaphoreTypeCreateInfo]("VkSemaphoreTypeCreateInfo"), size[semaphoreCreateInfo]("VkSemaphoreCreateInfo"),
		size[semaphoreWaitInfo]("VkSemaphoreWaitInfo"), size[queryPoolCreateInfo]("VkQueryPoolCreateInfo"),
		{"sizeof(VkCooperativeMatrixPropertiesKHR)", unsafe.Sizeof(cooperativeMatrixProperties{}), "VK_KHR_cooperative_matrix"},
	}
	var l physicalDeviceLimits
	var p physicalDeviceProperties
	var v11 vulkan11Properties
	var v12 vulkan12Properties
	for _, o := range []struct {
		structure, field string
		ours             uintptr
	}{
		{"Limits", "maxStorageBufferRange", unsafe.Offsetof(l.maxStorageBufferRange)}, {"Limits", "maxPushConstantsSize", unsafe.Offsetof(l.maxPushConstantsSize)},
		{"Limits", "maxMemoryAllocationCount", unsafe.Offsetof(l.maxMemoryAllocationCount)},
		{"Limits", "maxComputeSharedMemorySize", unsafe.Offsetof(l.maxComputeSharedMemorySize)},
		{"Limits", "maxComputeWorkGroupCount", unsafe.Offsetof(l.maxComputeWorkGroupCount)},
		{"Limits", "maxComputeWorkGroupInvocations", unsafe.Offsetof(l.maxComputeWorkGroupInvocations)},
		{"Limits", "maxComputeWorkGroupSize", unsafe.Offsetof(l.maxComputeWorkGroupSize)}, {"Limits", "timestampPeriod", unsafe.Offsetof(l.timestampPeriod)},
		{"Properties", "pipelineCacheUUID", unsafe.Offsetof(p.pipelineCacheUUID)}, {"Properties", "limits", unsafe.Offsetof(p.limits)},
		{"Vulkan11Properties", "subgroupSize", unsafe.Offsetof(v11.subgroupSize)},
		{"Vulkan11Properties", "maxMemoryAllocationSize", unsafe.Offsetof(v11.maxMemoryAllocationSize)},
		{"Vulkan12Properties", "driverName", unsafe.Offsetof(v12.driverName)}, {"Vulkan12Properties", "driverInfo", unsafe.Offsetof(v12.driverInfo)},
		{"Vulkan12Properties", "shaderSignedZeroInfNanPreserveFloat16", unsafe.Offsetof(v12.floats)},
		{"Vulkan12Properties", "shaderDenormPreserveFloat16", unsafe.Offsetof(v12.floats) + 12},
		{"Vulkan12Properties", "shaderRoundingModeRTZFloat64", unsafe.Offsetof(v12.floats) + 56},
		{"Vulkan12Properties", "maxTimelineSemaphoreValueDifference", unsafe.Offsetof(v12.maxTimelineDifference)},
	} {
		facts = append(facts, offset("VkPhysicalDevice"+o.structure, o.field, o.ours))
	}
	for _, f := range features {
		b := blocks[f.block]
		name, base := "VkPhysicalDevice"+b.name, unsafe.Offsetof(flags{}.bits)
		if f.block == inFeatures {
			facts = append(facts, offset(name, "features."+f.name, base+4*uintptr(f.index)))
			continue
		}
		fact := offset(name, f.name, base+4*uintptr(f.index))
		if b.since == 0 {
			fact.extension = b.extension
		}
		facts = append(facts, fact)
	}
	return append(facts, typeFacts()...)
}

// typeFacts are the numbers of structures.
func typeFacts() []fact {
	var facts []fact
	for name, n := range map[string]uintptr{
		"APPLICATION_INFO": typeApplicationInfo, "INSTANCE_CREATE_INFO": typeInstanceCreateInfo, "DEVICE_QUEUE_CREATE_INFO": typeDeviceQueueCreateInfo,
		"DEVICE_CREATE_INFO": typeDeviceCreateInfo, "SUBMIT_INFO": typeSubmitInfo, "MEMORY_ALLOCATE_INFO": typeMemoryAllocateInfo,
		"SEMAPHORE_CREATE_INFO": typeSemaphoreCreateInfo, "QUERY_POOL_CREATE_INFO": typeQueryPoolCreateInfo, "BUFFER_CREATE_INFO": typeBufferCreateInfo,
		"SHADER_MODULE_CREATE_INFO": typeShaderModuleCreateInfo, "PIPELINE_CACHE_CREATE_INFO": typePipelineCacheCreateInfo,
		"PIPELINE_SHADER_STAGE_CREATE_INFO": typePipelineShaderStageCreateInfo, "COMPUTE_PIPELINE_CREATE_INFO": typeComputePipelineCreateInfo,
		"PIPELINE_LAYOUT_CREATE_INFO": typePipelineLayoutCreateInfo, "COMMAND_POOL_CREATE_INFO": typeCommandPoolCreateInfo,
		"COMMAND_BUFFER_ALLOCATE_INFO": typeCommandBufferAllocateInfo, "COMMAND_BUFFER_BEGIN_INFO": typeCommandBufferBeginInfo,
		"MEMORY_BARRIER": typeMemoryBarrier, "PHYSICAL_DEVICE_VULKAN_1_1_FEATURES": typeVulkan11Features,
		"PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES": typeVulkan11Properties, "PHYSICAL_DEVICE_VULKAN_1_2_FEATURES": typeVulkan12Features,
		"PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES": typeVulkan12Properties, "PHYSICAL_DEVICE_FEATURES_2": typeFeatures2,
		"PHYSICAL_DEVICE_PROPERTIES_2": typeProperties2, "MEMORY_ALLOCATE_FLAGS_INFO": typeMemoryAllocateFlagsInfo,
		"SEMAPHORE_TYPE_CREATE_INFO": typeSemaphoreTypeCreateInfo, "TIMELINE_SEMAPHORE_SUBMIT_INFO": typeTimelineSemaphoreSubmitInfo,
		"SEMAPHORE_WAIT_INFO": typeSemaphoreWaitInfo, "PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES": typeSubgroupSizeProperties,
		"PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO": typeRequiredSubgroupSize,
		"PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES":           typeSubgroupSizeFeatures, "BUFFER_DEVICE_ADDRESS_INFO": typeBufferDeviceAddressInfo,
		"PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT":          typeAtomicFloatFeatures,
		"PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT":        typeAtomicFloat2Features,
		"PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES":       typeIntegerDotProductFeatures,
		"PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES": typeZeroInitializeFeatures,
		"PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR": typeMaximalReconvergenceFeatures,
		"PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR":           typeCooperativeMatrixFeatures,
		"COOPERATIVE_MATRIX_PROPERTIES_KHR":                         typeCooperativeMatrixProperties,
		"PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR":              typeBFloat16Features,
	} {
		f := fact{"VK_STRUCTURE_TYPE_" + name, n, ""}
		switch {
		case strings.Contains(name, "COOPERATIVE"):
			f.extension = "VK_KHR_cooperative_matrix"
		case strings.Contains(name, "BFLOAT16"):
			f.extension = "VK_KHR_shader_bfloat16"
		case strings.Contains(name, "MAXIMAL"):
			f.extension = "VK_KHR_shader_maximal_reconvergence"
		}
		facts = append(facts, f)
	}
	for name, c := range map[string]Component{
		"FLOAT16": Float16, "FLOAT32": Float32, "SINT8": Sint8, "SINT32": Sint32, "UINT8": Uint8, "UINT32": Uint32,
	} {
		facts = append(facts, fact{"VK_COMPONENT_TYPE_" + name + "_KHR", uintptr(c), "VK_KHR_cooperative_matrix"})
	}
	return append(facts, fact{"VK_COMPONENT_TYPE_BFLOAT16_KHR", uintptr(BFloat16), "VK_KHR_shader_bfloat16"})
}

// TestLayout compares sizes, offsets and numbers with Vulkan's header, where a C compiler finds it.
func TestLayout(t *testing.T) {
	cc, dir := testenv.CC(t), t.TempDir()
	facts := layoutFacts()
	var text strings.Builder
	text.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include <vulkan/vulkan_core.h>\nint main(void) {\n")
	for _, f := range facts {
		line := fmt.Sprintf("printf(\"%%zu\\n\", (size_t)%s);\n", f.expression)
		if f.extension != "" { // older headers lack it
			line = fmt.Sprintf("#ifdef %s\n%s#else\nputs(\"%d\");\n#endif\n", f.extension, line, f.ours)
		}
		text.WriteString(line)
	}
	text.WriteString("return 0;\n}\n")
	source, program := filepath.Join(dir, "layout.c"), filepath.Join(dir, "layout")
	if err := os.WriteFile(source, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-o", program, source).CombinedOutput(); err != nil {
		if strings.Contains(string(out), "vulkan_core.h") && strings.Contains(string(out), "No such file") && !testenv.Required("vulkan") {
			t.Skip("Vulkan's headers are not installed")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(facts) {
		t.Fatalf("got %d numbers, want %d", len(lines), len(facts))
	}
	for i, f := range facts {
		if ours := fmt.Sprint(f.ours); lines[i] != ours {
			t.Errorf("%s is %s, but %s here", f.expression, lines[i], ours)
		}
	}
}
