package vulkan

// fn indexes the table of functions.
type fn int

const (
	fnEnumerateInstanceVersion fn = iota
	fnEnumerateInstanceExtensionProperties
	fnCreateInstance

	fnDestroyInstance
	fnEnumeratePhysicalDevices
	fnGetPhysicalDeviceProperties
	fnGetPhysicalDeviceProperties2
	fnGetPhysicalDeviceFeatures2
	fnGetPhysicalDeviceQueueFamilyProperties
	fnGetPhysicalDeviceMemoryProperties
	fnEnumerateDeviceExtensionProperties
	fnGetPhysicalDeviceCooperativeMatrixProperties
	fnCreateDevice
	fnGetDeviceProcAddr

	fnDestroyDevice
	fnDeviceWaitIdle
	fnGetDeviceQueue
	fnCreateBuffer
	fnDestroyBuffer
	fnGetBufferMemoryRequirements
	fnGetBufferDeviceAddress
	fnAllocateMemory
	fnFreeMemory
	fnBindBufferMemory
	fnMapMemory
	fnCreateShaderModule
	fnDestroyShaderModule
	fnCreatePipelineLayout
	fnDestroyPipelineLayout
	fnCreatePipelineCache
	fnDestroyPipelineCache
	fnGetPipelineCacheData
	fnCreateComputePipelines
	fnDestroyPipeline
	fnCreateCommandPool
	fnDestroyCommandPool
	fnAllocateCommandBuffers
	fnBeginCommandBuffer
	fnEndCommandBuffer
	fnCmdBindPipeline
	fnCmdPushConstants
	fnCmdDispatch
	fnCmdPipelineBarrier
	fnCmdCopyBuffer
	fnCmdFillBuffer
	fnCmdResetQueryPool
	fnCmdWriteTimestamp
	fnCreateQueryPool
	fnDestroyQueryPool
	fnGetQueryPoolResults
	fnCreateSemaphore
	fnDestroySemaphore
	fnGetSemaphoreCounterValue
	fnWaitSemaphores
	fnQueueSubmit
	numFns
)

// level is whose function it is, which decides how it is found.
type level int

const (
	global level = iota
	ofInstance
	ofDevice
)

// symbol is one function. The methods' arguments follow the specification's order.
type symbol struct {
	name     string
	other    string // names of extensions from before it was part of Vulkan, separated by spaces
	level    level
	result   bool // it gives a VkResult
	optional bool // without it the call gives VK_ERROR_FEATURE_NOT_PRESENT
}

var symbols = [numFns]symbol{
	fnEnumerateInstanceVersion:             {name: "vkEnumerateInstanceVersion", result: true, optional: true}, // since 1.1
	fnEnumerateInstanceExtensionProperties: {name: "vkEnumerateInstanceExtensionProperties", result: true},
	fnCreateInstance:                       {name: "vkCreateInstance", result: true},

	fnDestroyInstance:                              {name: "vkDestroyInstance", level: ofInstance},
	fnEnumeratePhysicalDevices:                     {name: "vkEnumeratePhysicalDevices", level: ofInstance, result: true},
	fnGetPhysicalDeviceProperties:                  {name: "vkGetPhysicalDeviceProperties", level: ofInstance},
	fnGetPhysicalDeviceProperties2:                 {name: "vkGetPhysicalDeviceProperties2", level: ofInstance},
	fnGetPhysicalDeviceFeatures2:                   {name: "vkGetPhysicalDeviceFeatures2", level: ofInstance},
	fnGetPhysicalDeviceQueueFamilyProperties:       {name: "vkGetPhysicalDeviceQueueFamilyProperties", level: ofInstance},
	fnGetPhysicalDeviceMemoryProperties:            {name: "vkGetPhysicalDeviceMemoryProperties", level: ofInstance},
	fnEnumerateDeviceExtensionProperties:           {name: "vkEnumerateDeviceExtensionProperties", level: ofInstance, result: true},
	fnGetPhysicalDeviceCooperativeMatrixProperties: {name: "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", level: ofInstance, result: true, optional: true},
	fnCreateDevice:                                 {name: "vkCreateDevice", level: ofInstance, result: true},
	fnGetDeviceProcAddr:                            {name: "vkGetDeviceProcAddr", level: ofInstance},

	fnDestroyDevice:               {name: "vkDestroyDevice", level: ofDevice},
	fnDeviceWaitIdle:              {name: "vkDeviceWaitIdle", level: ofDevice, result: true},
	fnGetDeviceQueue:              {name: "vkGetDeviceQueue", level: ofDevice},
	fnCreateBuffer:                {name: "vkCreateBuffer", level: ofDevice, result: true},
	fnDestroyBuffer:               {name: "vkDestroyBuffer", level: ofDevice},
	fnGetBufferMemoryRequirements: {name: "vkGetBufferMemoryRequirements", level: ofDevice},
	fnGetBufferDeviceAddress:      {name: "vkGetBufferDeviceAddress", other: "vkGetBufferDeviceAddressKHR", level: ofDevice},
	fnAllocateMemory:              {name: "vkAllocateMemory", level: ofDevice, result: true},
	fnFreeMemory:                  {name: "vkFreeMemory", level: ofDevice},
	fnBindBufferMemory:            {name: "vkBindBufferMemory", level: ofDevice, result: true},
	fnMapMemory:                   {name: "vkMapMemory", level: ofDevice, result: true},
	fnCreateShaderModule:          {name: "vkCreateShaderModule", level: ofDevice, result: true},
	fnDestroyShaderModule:         {name: "vkDestroyShaderModule", level: ofDevice},
	fnCreatePipelineLayout:        {name: "vkCreatePipelineLayout", level: ofDevice, result: true},
	fnDestroyPipelineLayout:       {name: "vkDestroyPipelineLayout", level: ofDevice},
	fnCreatePipelineCache:         {name: "vkCreatePipelineCache", level: ofDevice, result: true},
	fnDestroyPipelineCache:        {name: "vkDestroyPipelineCache", level: ofDevice},
	fnGetPipelineCacheData:        {name: "vkGetPipelineCacheData", level: ofDevice, result: true},
	fnCreateComputePipelines:      {name: "vkCreateComputePipelines", level: ofDevice, result: true},
	fnDestroyPipeline:             {name: "vkDestroyPipeline", level: ofDevice},
	fnCreateCommandPool:           {name: "vkCreateCommandPool", level: ofDevice, result: true},
	fnDestroyCommandPool:          {name: "vkDestroyCommandPool", level: ofDevice},
	fnAllocateCommandBuffers:      {name: "vkAllocateCommandBuffers", level: ofDevice, result: true},
	fnBeginCommandBuffer:          {name: "vkBeginCommandBuffer", level: ofDevice, result: true},
	fnEndCommandBuffer:            {name: "vkEndCommandBuffer", level: ofDevice, result: true},
	fnCmdBindPipeline:             {name: "vkCmdBindPipeline", level: ofDevice},
	fnCmdPushConstants:            {name: "vkCmdPushConstants", level: ofDevice},
	fnCmdDispatch:                 {name: "vkCmdDispatch", level: ofDevice},
	fnCmdPipelineBarrier:          {name: "vkCmdPipelineBarrier", level: ofDevice},
	fnCmdCopyBuffer:               {name: "vkCmdCopyBuffer", level: ofDevice},
	fnCmdFillBuffer:               {name: "vkCmdFillBuffer", level: ofDevice},
	fnCmdResetQueryPool:           {name: "vkCmdResetQueryPool", level: ofDevice},
	fnCmdWriteTimestamp:           {name: "vkCmdWriteTimestamp", level: ofDevice},
	fnCreateQueryPool:             {name: "vkCreateQueryPool", level: ofDevice, result: true},
	fnDestroyQueryPool:            {name: "vkDestroyQueryPool", level: ofDevice},
	fnGetQueryPoolResults:         {name: "vkGetQueryPoolResults", level: ofDevice, result: true},
	fnCreateSemaphore:             {name: "vkCreateSemaphore", level: ofDevice, result: true},
	fnDestroySemaphore:            {name: "vkDestroySemaphore", level: ofDevice},
	fnGetSemaphoreCounterValue:    {name: "vkGetSemaphoreCounterValue", other: "vkGetSemaphoreCounterValueKHR", level: ofDevice, result: true},
	fnWaitSemaphores:              {name: "vkWaitSemaphores", other: "vkWaitSemaphoresKHR", level: ofDevice, result: true},
	fnQueueSubmit:                 {name: "vkQueueSubmit", level: ofDevice, result: true},
}
