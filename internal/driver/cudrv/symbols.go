//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

// fn indexes the table of symbols.
type fn int

const (
	fnInit fn = iota
	fnDriverGetVersion
	fnDeviceGetCount
	fnDeviceGet
	fnDeviceGetName
	fnDeviceGetAttribute
	fnDeviceTotalMem
	fnDevicePrimaryCtxRetain
	fnDevicePrimaryCtxRelease
	fnGetErrorName
	fnGetErrorString
	fnCtxSetCurrent
	fnCtxSynchronize
	fnModuleLoadDataEx
	fnModuleUnload
	fnModuleGetFunction
	fnFuncGetAttribute
	fnFuncSetAttribute
	fnLaunchKernel
	fnLaunchKernelEx
	fnMemGetInfo
	fnMemAlloc
	fnMemFree
	fnMemcpyHtoD
	fnMemcpyDtoH
	fnMemcpyHtoDAsync
	fnMemcpyDtoHAsync
	fnMemcpyDtoDAsync
	fnMemsetD8Async
	fnStreamCreate
	fnStreamDestroy
	fnStreamSynchronize
	fnStreamQuery
	fnStreamWaitEvent
	fnEventCreate
	fnEventDestroy
	fnEventRecord
	fnEventSynchronize
	fnEventQuery
	fnEventElapsedTime
	fnTensorMapEncodeTiled
	fnStreamBeginCapture
	fnStreamEndCapture
	fnGraphDestroy
	fnGraphInstantiate
	fnGraphExecUpdate
	fnGraphLaunch
	fnGraphExecDestroy
	fnMemPoolCreate
	fnMemPoolDestroy
	fnMemPoolSetAttribute
	fnMemPoolGetAttribute
	fnMemPoolTrimTo
	fnMemPoolSetAccess
	fnMemAllocFromPoolAsync
	fnMemFreeAsync
	fnMemHostAlloc
	fnMemFreeHost
	fnDeviceCanAccessPeer
	fnMemcpyPeerAsync
	fnPointerGetAttribute
	fnOccupancyMaxActiveBlocks
	numFns
)

// symbol is one function of the library. The driver keeps old forms of a function under its plain name and the form that
// today's headers mean under a versioned one; the first of exports that is there is taken.
type symbol struct {
	name     string // as errors and traces call it
	exports  string // in order, separated by spaces; empty where it is name
	optional bool   // without it the call gives CUDA_ERROR_NOT_FOUND
}

var symbols = [numFns]symbol{
	fnInit:                    {name: "cuInit"},
	fnDriverGetVersion:        {name: "cuDriverGetVersion"},
	fnDeviceGetCount:          {name: "cuDeviceGetCount"},
	fnDeviceGet:               {name: "cuDeviceGet"},
	fnDeviceGetName:           {name: "cuDeviceGetName"},
	fnDeviceGetAttribute:      {name: "cuDeviceGetAttribute"},
	fnDeviceTotalMem:          {name: "cuDeviceTotalMem", exports: "cuDeviceTotalMem_v2"},
	fnDevicePrimaryCtxRetain:  {name: "cuDevicePrimaryCtxRetain"},
	fnDevicePrimaryCtxRelease: {name: "cuDevicePrimaryCtxRelease", exports: "cuDevicePrimaryCtxRelease_v2"},
	fnGetErrorName:            {name: "cuGetErrorName", optional: true},
	fnGetErrorString:          {name: "cuGetErrorString", optional: true},
	fnCtxSetCurrent:           {name: "cuCtxSetCurrent"},
	fnCtxSynchronize:          {name: "cuCtxSynchronize"},
	fnModuleLoadDataEx:        {name: "cuModuleLoadDataEx"},
	fnModuleUnload:            {name: "cuModuleUnload"},
	fnModuleGetFunction:       {name: "cuModuleGetFunction"},
	fnFuncGetAttribute:        {name: "cuFuncGetAttribute"},
	fnFuncSetAttribute:        {name: "cuFuncSetAttribute", optional: true},
	fnLaunchKernel:            {name: "cuLaunchKernel"},
	fnLaunchKernelEx:          {name: "cuLaunchKernelEx", optional: true},
	fnMemGetInfo:              {name: "cuMemGetInfo", exports: "cuMemGetInfo_v2", optional: true},
	fnMemAlloc:                {name: "cuMemAlloc", exports: "cuMemAlloc_v2"},
	fnMemFree:                 {name: "cuMemFree", exports: "cuMemFree_v2"},
	fnMemcpyHtoD:              {name: "cuMemcpyHtoD", exports: "cuMemcpyHtoD_v2"},
	fnMemcpyDtoH:              {name: "cuMemcpyDtoH", exports: "cuMemcpyDtoH_v2"},
	fnMemcpyHtoDAsync:         {name: "cuMemcpyHtoDAsync", exports: "cuMemcpyHtoDAsync_v2"},
	fnMemcpyDtoHAsync:         {name: "cuMemcpyDtoHAsync", exports: "cuMemcpyDtoHAsync_v2"},
	fnMemcpyDtoDAsync:         {name: "cuMemcpyDtoDAsync", exports: "cuMemcpyDtoDAsync_v2"},
	fnMemsetD8Async:           {name: "cuMemsetD8Async"},
	fnStreamCreate:            {name: "cuStreamCreate"},
	fnStreamDestroy:           {name: "cuStreamDestroy", exports: "cuStreamDestroy_v2"},
	fnStreamSynchronize:       {name: "cuStreamSynchronize"},
	fnStreamQuery:             {name: "cuStreamQuery"},
	fnStreamWaitEvent:         {name: "cuStreamWaitEvent"},
	fnEventCreate:             {name: "cuEventCreate"},
	fnEventDestroy:            {name: "cuEventDestroy", exports: "cuEventDestroy_v2"},
	fnEventRecord:             {name: "cuEventRecord"},
	fnEventSynchronize:        {name: "cuEventSynchronize"},
	fnEventQuery:              {name: "cuEventQuery"},
	fnEventElapsedTime:        {name: "cuEventElapsedTime", exports: "cuEventElapsedTime_v2 cuEventElapsedTime"},
	fnTensorMapEncodeTiled:    {name: "cuTensorMapEncodeTiled", optional: true},
	fnStreamBeginCapture:      {name: "cuStreamBeginCapture", exports: "cuStreamBeginCapture_v2", optional: true},
	fnStreamEndCapture:        {name: "cuStreamEndCapture", optional: true},
	fnGraphDestroy:            {name: "cuGraphDestroy", optional: true},
	fnGraphInstantiate:        {name: "cuGraphInstantiateWithFlags", optional: true},
	fnGraphExecUpdate:         {name: "cuGraphExecUpdate", exports: "cuGraphExecUpdate_v2", optional: true},
	fnGraphLaunch:             {name: "cuGraphLaunch", optional: true},
	fnGraphExecDestroy:        {name: "cuGraphExecDestroy", optional: true},
	fnMemPoolCreate:           {name: "cuMemPoolCreate", optional: true},
	fnMemPoolDestroy:          {name: "cuMemPoolDestroy", optional: true},
	fnMemPoolSetAttribute:     {name: "cuMemPoolSetAttribute", optional: true},
	fnMemPoolGetAttribute:     {name: "cuMemPoolGetAttribute", optional: true},
	fnMemPoolTrimTo:           {name: "cuMemPoolTrimTo", optional: true},
	fnMemPoolSetAccess:        {name: "cuMemPoolSetAccess", optional: true},
	fnMemAllocFromPoolAsync:   {name: "cuMemAllocFromPoolAsync", optional: true},
	fnMemFreeAsync:            {name: "cuMemFreeAsync", optional: true},
	fnMemHostAlloc:            {name: "cuMemHostAlloc", optional: true},
	fnMemFreeHost:             {name: "cuMemFreeHost", optional: true},
	fnDeviceCanAccessPeer:     {name: "cuDeviceCanAccessPeer", optional: true},
	fnMemcpyPeerAsync:         {name: "cuMemcpyPeerAsync", optional: true},
	fnPointerGetAttribute:     {name: "cuPointerGetAttribute", optional: true},

	fnOccupancyMaxActiveBlocks: {name: "cuOccupancyMaxActiveBlocksPerMultiprocessor", optional: true},
}
