package vulkan

import (
	"errors"
	"unsafe"
)

// Objects of code. Zero is none.
type (
	Shader         uint64 // VkShaderModule
	PipelineLayout uint64 // VkPipelineLayout
	PipelineCache  uint64 // VkPipelineCache
	Pipeline       uint64 // VkPipeline
)

// stageCompute is VK_SHADER_STAGE_COMPUTE_BIT.
const stageCompute = 0x20

// CreateShader takes SPIR-V. Drivers do not check it: a wrong module may end the process.
func (d *Device) CreateShader(words []uint32) (Shader, error) {
	if len(words) == 0 {
		return 0, errors.New("BUG: a shader module without words")
	}
	return create[Shader](d, fnCreateShaderModule, "VkShaderModule",
		unsafe.Pointer(&shaderModuleCreateInfo{header: header{sType: typeShaderModuleCreateInfo}, size: 4 * uint64(len(words)), code: &words[0]}))
}

// DestroyShader gives a module back; pipelines that were made of it stay.
func (d *Device) DestroyShader(s Shader) {
	d.destroy(fnDestroyShaderModule, uint64(s), "VkShaderModule")
}

// CreatePipelineLayout makes the layout of pipelines that take push constants and no descriptors.
func (d *Device) CreatePipelineLayout(pushBytes uint32) (PipelineLayout, error) {
	return create[PipelineLayout](d, fnCreatePipelineLayout, "VkPipelineLayout",
		unsafe.Pointer(&pipelineLayoutCreateInfo{header: header{sType: typePipelineLayoutCreateInfo},
			pushCount: 1, push: &pushConstantRange{stageCompute, 0, pushBytes}}))
}

// DestroyPipelineLayout gives a layout back.
func (d *Device) DestroyPipelineLayout(l PipelineLayout) {
	d.destroy(fnDestroyPipelineLayout, uint64(l), "VkPipelineLayout")
}

// CreatePipelineCache makes a cache of compiled pipelines, from what PipelineCacheData gave once or from nothing.
func (d *Device) CreatePipelineCache(data []byte) (PipelineCache, error) {
	return create[PipelineCache](d, fnCreatePipelineCache, "VkPipelineCache",
		unsafe.Pointer(&pipelineCacheCreateInfo{header: header{sType: typePipelineCacheCreateInfo},
			size: uint64(len(data)), data: unsafe.Pointer(unsafe.SliceData(data))}))
}

// DestroyPipelineCache gives a cache back.
func (d *Device) DestroyPipelineCache(c PipelineCache) {
	d.destroy(fnDestroyPipelineCache, uint64(c), "VkPipelineCache")
}

// PipelineCacheData is a cache's content.
func (d *Device) PipelineCacheData(c PipelineCache) ([]byte, error) {
	var n uint64
	r := d.call(fnGetPipelineCacheData, d.handle, uintptr(c), uintptr(unsafe.Pointer(&n)), 0)
	if err := d.check(fnGetPipelineCacheData, r); err != nil || n == 0 {
		return nil, err
	}
	data := make([]byte, n)
	r = d.call(fnGetPipelineCacheData, d.handle, uintptr(c), uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&data[0])))
	return data[:min(n, uint64(len(data)))], d.check(fnGetPipelineCacheData, r)
}

// CreateComputePipeline makes a pipeline of a module's entry point. subgroup is the size that every subgroup has to have,
// with all its invocations where full says so; 0 leaves the size to the driver.
func (d *Device) CreateComputePipeline(cache PipelineCache, layout PipelineLayout, s Shader, entry string, subgroup uint32, full bool) (Pipeline, error) {
	const requireFull = 2
	info := &computePipelineCreateInfo{header: header{sType: typeComputePipelineCreateInfo}, layout: layout, baseIndex: -1,
		stage: pipelineShaderStageCreateInfo{header: header{sType: typePipelineShaderStageCreateInfo}, stage: stageCompute, module: s, name: cString(entry)}}
	if subgroup != 0 {
		info.stage.next = unsafe.Pointer(&requiredSubgroupSize{header{sType: typeRequiredSubgroupSize}, subgroup})
	}
	if full {
		info.stage.flags = requireFull
	}
	var p Pipeline
	r := d.call(fnCreateComputePipelines, d.handle, uintptr(cache), 1, uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&p)))
	if r > Success { // VK_PIPELINE_COMPILE_REQUIRED, which nobody asked for
		return 0, &Error{Call: symbols[fnCreateComputePipelines].name, Code: r}
	}
	return p, d.made(fnCreateComputePipelines, r, "VkPipeline")
}

// DestroyPipeline gives a pipeline back; nothing that is submitted may use it.
func (d *Device) DestroyPipeline(p Pipeline) { d.destroy(fnDestroyPipeline, uint64(p), "VkPipeline") }
