// Package cudrv is the CUDA driver as a Go interface: the calls that a runtime needs, no more, and nothing about
// kernels, tensors or files.
//
// [Open] loads the driver's library when the program runs (libcuda.so.1, nvcuda.dll), so a program needs neither cgo nor
// CUDA's headers and starts on a machine without a GPU. With the build tag nocuda, and on systems that have no CUDA
// driver, Open gives an error and nothing is linked. Package fake has a driver that works on the program's own memory.
//
// The methods are named after the driver's functions. CUDA keeps the current context per operating system thread, and a
// goroutine may move between threads: callers lock the thread (runtime.LockOSThread), call CtxSetCurrent, make their
// calls and unlock. The methods that need a context are those that follow CtxSetCurrent in [Driver].
package cudrv

import "unsafe"

// Handles of the driver. Zero is none, except for [Stream], where it is the default stream.
type (
	Device   int32   // CUdevice
	Context  uintptr // CUcontext
	Module   uintptr // CUmodule
	Function uintptr // CUfunction
	Stream   uintptr // CUstream
	Event    uintptr // CUevent
	Graph    uintptr // CUgraph: work that was captured
	Exec     uintptr // CUgraphExec: a graph that can be launched
	MemPool  uintptr // CUmemoryPool
)

// DevicePtr is an address in a device's memory. The program must not dereference it.
type DevicePtr uint64

// Attribute names a property of a device (CUdevice_attribute).
type Attribute int32

// The attributes that the project asks for.
const (
	MaxThreadsPerBlock Attribute = 1
	MaxBlockDimX       Attribute = 2 // Y and Z follow
	MaxGridDimX        Attribute = 5 // Y and Z follow
	MultiprocessorCnt  Attribute = 16
	ComputeMajor       Attribute = 75
	ComputeMinor       Attribute = 76
	MaxSharedOptin     Attribute = 97 // bytes of shared memory that a block may ask for
	MemoryPools        Attribute = 115
)

// PoolAttribute names a property of a memory pool (CUmemPool_attribute).
type PoolAttribute int32

// The attributes of pools, in bytes.
const (
	PoolReleaseThreshold PoolAttribute = 4 // so much unused memory is kept when somebody waits for a stream
	PoolReserved         PoolAttribute = 5 // that the pool holds, used or not
	PoolUsed             PoolAttribute = 7
)

// FuncAttribute names a property of a loaded function (CUfunction_attribute).
type FuncAttribute int32

// The attributes of functions.
const (
	FuncMaxThreads    FuncAttribute = 0
	FuncSharedBytes   FuncAttribute = 1 // static shared memory
	FuncLocalBytes    FuncAttribute = 3 // local memory of a thread: spills and arrays
	FuncRegisters     FuncAttribute = 4
	FuncDynamicShared FuncAttribute = 8 // may be set, up to MaxSharedOptin
	// FuncNonPortableCluster, set to 1, allows clusters of more than 8 blocks. Drivers since CUDA 11.8 know it.
	FuncNonPortableCluster FuncAttribute = 14
)

// LaunchAttributeID names a property of a launch (CUlaunchAttributeID).
type LaunchAttributeID uint32

// ProgrammaticSerialization lets a kernel start before the one before it on the stream has ended: its value is 1. The
// kernel itself waits for what it needs (griddepcontrol.wait in PTX). Compute capability 9.0 and later.
const ProgrammaticSerialization LaunchAttributeID = 6

// Cooperative makes all blocks of a kernel run at once, or refuses the launch: its value is 1.
const Cooperative LaunchAttributeID = 2

// ClusterDimension gives a launch clusters of so many blocks along each axis: its value is the three extents. Compute capability 9.0 and later.
const ClusterDimension LaunchAttributeID = 4

// LaunchAttribute is a property of a launch as the driver lays it out (CUlaunchAttribute).
type LaunchAttribute struct {
	ID    LaunchAttributeID
	_     uint32
	Value [16]uint32
}

// TensorType is the type of a tensor map's elements (CUtensorMapDataType).
type TensorType int32

// TensorMap is what a tensor map is made of; see cuTensorMapEncodeTiled. The slices have an element for each dimension, the
// innermost one first.
type TensorMap struct {
	Type    TensorType
	Addr    DevicePtr
	Dims    []uint64
	Strides []uint64 // in bytes, without that of the innermost dimension
	Box     []uint32
	Steps   []uint32
	Swizzle int // bytes: 0, 32, 64 or 128
}

// Driver is the CUDA driver. Every error is an [*Error] unless said otherwise. The methods may be called from several
// goroutines.
type Driver interface {
	// Init must come first; calling it again does nothing.
	Init() error
	// DriverGetVersion is the newest CUDA version that the driver supports, 1000*major + 10*minor.
	DriverGetVersion() (int, error)
	DeviceGetCount() (int, error)
	DeviceGet(ordinal int) (Device, error)
	DeviceGetName(d Device) (string, error)
	DeviceGetAttribute(d Device, a Attribute) (int, error)
	// DeviceTotalMem is in bytes.
	DeviceTotalMem(d Device) (int64, error)
	// DevicePrimaryCtxRetain gives the context that a process shares with the CUDA runtime. Each call needs a release.
	DevicePrimaryCtxRetain(d Device) (Context, error)
	DevicePrimaryCtxRelease(d Device) error
	// ErrorText gives the driver's name and sentence for a code; both are empty where it knows none.
	ErrorText(code Result) (name, text string)

	// CtxSetCurrent binds a context to the calling thread.
	CtxSetCurrent(c Context) error
	// CtxSynchronize waits for all work of the context.
	CtxSynchronize() error

	// ModuleLoadData loads a cubin, a fat binary, PTX (which the driver compiles) or, with a driver that takes it, Tile IR
	// bytecode. log is what the driver's compiler said, empty for a cubin; on an error it is in the Error.
	ModuleLoadData(image []byte) (m Module, log string, err error)
	ModuleUnload(m Module) error
	ModuleGetFunction(m Module, name string) (Function, error)
	FuncGetAttribute(f Function, a FuncAttribute) (int, error)
	FuncSetAttribute(f Function, a FuncAttribute, value int) error
	// LaunchKernel queues a kernel. params[i] points to the bytes of parameter i; they are copied. Neither the slice nor
	// what it points to may lie on a stack. It does not allocate.
	LaunchKernel(f Function, grid, block [3]uint32, sharedBytes uint32, s Stream, params []unsafe.Pointer) error
	// LaunchKernelEx is LaunchKernel with attributes, which must not lie on a stack either. Drivers before CUDA 11.8 lack it:
	// the error is NotFound, and nothing is queued.
	LaunchKernelEx(f Function, grid, block [3]uint32, sharedBytes uint32, s Stream, attrs []LaunchAttribute, params []unsafe.Pointer) error

	// OccupancyMaxActiveBlocks is how many blocks of so many threads and bytes of dynamic shared memory a multiprocessor runs at once.
	OccupancyMaxActiveBlocks(f Function, threads int, sharedBytes uint32) (int, error)

	// TensorMapEncodeTiled encodes a tensor map. Drivers before CUDA 12.0 lack it: the error is NotFound.
	TensorMapEncodeTiled(m *TensorMap) ([128]byte, error)

	// MemGetInfo gives the free and the total bytes.
	MemGetInfo() (free, total int64, err error)
	// MemAlloc gives memory aligned to 256 bytes at least; its content is undefined.
	MemAlloc(bytes int64) (DevicePtr, error)
	MemFree(p DevicePtr) error

	// MemPoolCreate makes a pool of memory of a device. Drivers before CUDA 11.2 lack pools: the error is NotFound. Devices that have
	// none have the attribute MemoryPools 0.
	MemPoolCreate(d Device) (MemPool, error)
	MemPoolDestroy(p MemPool) error
	MemPoolSetAttribute(p MemPool, a PoolAttribute, value uint64) error
	MemPoolGetAttribute(p MemPool, a PoolAttribute) (uint64, error)
	// MemPoolTrimTo gives unused memory back to the system, all but a number of bytes.
	MemPoolTrimTo(p MemPool, keep int64) error
	// MemPoolSetAccess lets another device access the pool's memory.
	MemPoolSetAccess(p MemPool, from Device) error
	// MemAllocFromPoolAsync gives memory that work on the stream may use at once, and other streams after it; its content is undefined.
	MemAllocFromPoolAsync(bytes int64, p MemPool, s Stream) (DevicePtr, error)
	// MemFreeAsync gives memory back to its pool when the stream comes to it.
	MemFreeAsync(p DevicePtr, s Stream) error

	// MemHostAlloc gives memory of the host that the device copies from and to by itself (pinned memory): the asynchronous copies return
	// before they have happened.
	MemHostAlloc(bytes int) ([]byte, error)
	// MemFreeHost frees it. Copies must have ended.
	MemFreeHost(b []byte) error

	MemcpyHtoD(dst DevicePtr, src []byte) error
	MemcpyDtoH(dst []byte, src DevicePtr) error
	// MemcpyHtoDAsync queues a copy. If src is ordinary memory, it has been read when the call returns.
	MemcpyHtoDAsync(dst DevicePtr, src []byte, s Stream) error
	// MemcpyDtoHAsync queues a copy. If dst is ordinary memory, the call returns when the copy is done.
	MemcpyDtoHAsync(dst []byte, src DevicePtr, s Stream) error
	MemcpyDtoDAsync(dst, src DevicePtr, bytes int64, s Stream) error
	MemsetD8Async(dst DevicePtr, value byte, bytes int64, s Stream) error

	// PointerGetDevice is the number of the device that has the memory at an address. An address of no memory is InvalidValue.
	PointerGetDevice(p DevicePtr) (ordinal int, err error)
	// DeviceCanAccessPeer reports whether a device can access another one's memory.
	DeviceCanAccessPeer(d, peer Device) (bool, error)
	// MemcpyPeerAsync queues a copy from the memory of one context to that of another one.
	MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes int64, s Stream) error

	// StreamCreate makes a stream that does not wait for the default stream.
	StreamCreate() (Stream, error)
	StreamDestroy(s Stream) error
	StreamSynchronize(s Stream) error
	// StreamQuery reports whether all work of the stream is done.
	StreamQuery(s Stream) (bool, error)
	StreamWaitEvent(s Stream, e Event) error

	// EventCreate makes an event that takes the time.
	EventCreate() (Event, error)
	EventDestroy(e Event) error
	EventRecord(e Event, s Stream) error
	EventSynchronize(e Event) error
	// EventQuery reports whether the stream has come to the event.
	EventQuery(e Event) (bool, error)
	// EventElapsedTime is the time from one event to another in milliseconds, to about half a microsecond.
	EventElapsedTime(from, to Event) (float32, error)

	// StreamBeginCapture makes a stream keep what is queued on it, up to StreamEndCapture, instead of doing it. Other threads
	// may use the driver meanwhile (CU_STREAM_CAPTURE_MODE_RELAXED). Drivers before CUDA 11.4 lack graphs as they are used here:
	// the error is NotFound.
	StreamBeginCapture(s Stream) error
	StreamEndCapture(s Stream) (Graph, error)
	GraphDestroy(g Graph) error
	GraphInstantiate(g Graph) (Exec, error)
	// GraphExecUpdate gives what can be launched the arguments of another graph with the same work in the same order. Otherwise the error is
	// GraphExecUpdateFailure. Drivers before CUDA 12.0 lack it: the error is NotFound.
	GraphExecUpdate(e Exec, g Graph) error
	// GraphLaunch queues all the work. It does not allocate.
	GraphLaunch(e Exec, s Stream) error
	// GraphExecDestroy frees it, after what is queued of it has ended.
	GraphExecDestroy(e Exec) error
}
