package cute

// ThreadIdx returns the position of the thread in its block.
func ThreadIdx() Dim3 { return Dim3{tidX(), tidY(), tidZ()} }

// BlockIdx returns the position of the block in the grid.
func BlockIdx() Dim3 { return Dim3{ctaidX(), ctaidY(), ctaidZ()} }

// BlockDim returns the number of threads of a block, which is static.
func BlockDim() Dim3 { return Dim3{blockExtent(0), blockExtent(1), blockExtent(2)} }

// GridDim returns the number of blocks of the grid.
func GridDim() Dim3 { return Dim3{nctaidX(), nctaidY(), nctaidZ()} }

// LaneIdx returns the position of the thread in its warp.
//
//cutile:ptx mov.u32 %laneid -> 0..31
func LaneIdx() int { panic(deviceOnly) }

// WarpIdx returns the number of the thread's warp, counted along X of the block.
func WarpIdx() int { return tidX() / 32 }

// SyncThreads waits for all threads of the block that have not ended; their writes to shared and global memory are visible
// after it. Threads of one warp may reach it separately, and it does not wait for a thread that ends without calling it, as on
// GPUs since sm_70 (CUDA C++ Programming Guide, Independent Thread Scheduling).
//
//cutile:ptx bar.sync 0
func SyncThreads() { panic(deviceOnly) }

// SyncWarp waits for the threads of the warp whose bits are set in a mask.
//
//cutile:ptx bar.warp.sync mask
func SyncWarp(mask uint32) { panic(deviceOnly) }

//cutile:ptx mov.u32 %tid.x -> 0..1023
func tidX() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %tid.y -> 0..1023
func tidY() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %tid.z -> 0..63
func tidZ() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %ctaid.x -> 0..2147483646
func ctaidX() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %ctaid.y -> 0..65534
func ctaidY() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %ctaid.z -> 0..65534
func ctaidZ() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %nctaid.x -> 1..2147483647
func nctaidX() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %nctaid.y -> 1..65535
func nctaidY() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %nctaid.z -> 1..65535
func nctaidZ() int { panic(deviceOnly) }
