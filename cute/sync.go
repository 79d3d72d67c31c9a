package cute

// NamedBarrier is one of the block's 16 barriers, for some of its warps. [SyncThreads] uses number 0.
type NamedBarrier struct {
	ID      int // 0 to 15
	Threads int // number of threads that it waits for, including those that only arrive: a multiple of 32
}

// Sync waits for the barrier's threads; their writes to shared and global memory are visible after it.
func (b NamedBarrier) Sync() { barSync(b.ID, b.Threads) }

// Arrive counts the thread without waiting.
func (b NamedBarrier) Arrive() { barArrive(b.ID, b.Threads) }

//cutile:ptx barrier.sync id threads
func barSync(id, threads int) { panic(deviceOnly) }

//cutile:ptx barrier.arrive id threads
func barArrive(id, threads int) { panic(deviceOnly) }

// SyncThreadsCount is [SyncThreads], and returns for how many threads the condition is true.
//
//cutile:ptx bar.red.popc.u32 0 cond -> 0..1024
func SyncThreadsCount(cond bool) int { panic(deviceOnly) }

// SyncThreadsAnd is [SyncThreads], and reports whether the condition is true for all threads.
//
//cutile:ptx bar.red.and.pred 0 cond
func SyncThreadsAnd(cond bool) bool { panic(deviceOnly) }

// SyncThreadsOr is [SyncThreads], and reports whether the condition is true for any thread.
//
//cutile:ptx bar.red.or.pred 0 cond
func SyncThreadsOr(cond bool) bool { panic(deviceOnly) }

// FenceBlock orders this thread's earlier reads and writes before its later ones, as seen by the threads of the block.
//
//cutile:ptx fence.acq_rel.cta
func FenceBlock() { panic(deviceOnly) }

// FenceCluster is [FenceBlock] for the threads of the cluster. It needs sm_90.
//
//cutile:ptx fence.acq_rel.cluster
func FenceCluster() { panic(deviceOnly) }

// FenceGPU is [FenceBlock] for all threads of the device.
//
//cutile:ptx fence.acq_rel.gpu
func FenceGPU() { panic(deviceOnly) }

// FenceSystem is [FenceBlock] for the host and all devices.
//
//cutile:ptx fence.acq_rel.sys
func FenceSystem() { panic(deviceOnly) }

// FenceAsync orders what the thread itself wrote before what asynchronous copies and multiplications read. It needs sm_90.
//
//cutile:ptx fence.proxy.async
func FenceAsync() { panic(deviceOnly) }

// FenceAsyncShared is [FenceAsync] for shared memory of the block.
//
//cutile:ptx fence.proxy.async.shared::cta
func FenceAsyncShared() { panic(deviceOnly) }

// FenceBarrierInit makes the barriers that this thread initialised visible to the cluster. It needs sm_90.
//
//cutile:ptx fence.mbarrier_init.release.cluster
func FenceBarrierInit() { panic(deviceOnly) }

// CpAsyncCommit puts the asynchronous copies that the thread has started, and that are in no group yet, into a group.
//
//cutile:ptx cp.async.commit_group
func CpAsyncCommit() { panic(deviceOnly) }

// CpAsyncWait waits until at most n of the thread's last groups, a static number, are pending. The copied elements are visible
// to other threads after a barrier.
//
//cutile:ptx cp.async.wait_group n
func CpAsyncWait(n int) { panic(deviceOnly) }

// CpAsyncWaitAll waits until all copies of the thread have ended, including those in no group.
//
//cutile:ptx cp.async.wait_all
func CpAsyncWaitAll() { panic(deviceOnly) }

// Nanosleep suspends the thread for about the given number of nanoseconds, at most a million.
//
//cutile:ptx nanosleep.u32 ns
func Nanosleep(ns int) { panic(deviceOnly) }

// GridWait waits until the grids before this one, which it may overlap with, have ended. It needs sm_90.
//
//cutile:ptx griddepcontrol.wait
func GridWait() { panic(deviceOnly) }

// GridLaunchDependents allows the grids after this one to start once all blocks have called it. It needs sm_90.
//
//cutile:ptx griddepcontrol.launch_dependents
func GridLaunchDependents() { panic(deviceOnly) }

// Clock returns the multiprocessor's counter of clock cycles.
//
//cutile:ptx mov.u64 %clock64
func Clock() int64 { panic(deviceOnly) }
