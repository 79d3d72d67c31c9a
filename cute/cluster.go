package cute

// Clusters of blocks, which the launch asks for (sm_90). See [Launch].

// ClusterRank returns the number of the block in its cluster.
//
//cutile:ptx mov.u32 %cluster_ctarank -> 0..15
func ClusterRank() int { panic(deviceOnly) }

// ClusterBlocks returns the number of blocks of the cluster.
//
//cutile:ptx mov.u32 %cluster_nctarank -> 1..16
func ClusterBlocks() int { panic(deviceOnly) }

// BlockInCluster returns the position of the block in its cluster.
func BlockInCluster() Dim3 { return Dim3{clusterX(), clusterY(), clusterZ()} }

// ClusterIdx returns the position of the cluster in the grid.
func ClusterIdx() Dim3 { return Dim3{clusterIDX(), clusterIDY(), clusterIDZ()} }

//cutile:ptx mov.u32 %cluster_ctaid.x -> 0..15
func clusterX() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %cluster_ctaid.y -> 0..15
func clusterY() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %cluster_ctaid.z -> 0..15
func clusterZ() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %clusterid.x -> 0..2147483646
func clusterIDX() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %clusterid.y -> 0..65534
func clusterIDY() int { panic(deviceOnly) }

//cutile:ptx mov.u32 %clusterid.z -> 0..65534
func clusterIDZ() int { panic(deviceOnly) }

// ClusterArrive counts the thread at the barrier of the cluster; its earlier writes are visible after [ClusterWait].
//
//cutile:ptx barrier.cluster.arrive.release
func ClusterArrive() { panic(deviceOnly) }

// ClusterArriveRelaxed is [ClusterArrive] without ordering memory.
//
//cutile:ptx barrier.cluster.arrive.relaxed
func ClusterArriveRelaxed() { panic(deviceOnly) }

// ClusterWait waits for all threads of the cluster to arrive.
//
//cutile:ptx barrier.cluster.wait.acquire
func ClusterWait() { panic(deviceOnly) }

// ClusterSync waits for all threads of the cluster.
func ClusterSync() {
	ClusterArrive()
	ClusterWait()
}

// Remote returns the tensor at the same position in the shared memory of another block of the cluster.
//
//cutile:intrinsic remote
func Remote[T Elem](t Tensor[T], rank int) Tensor[T] { panic(deviceOnly) }

// StoreAsync writes an element of 32 or 64 bits to the shared memory of another block of the cluster (see [Remote]) and counts
// its bytes at barrier i of that block.
func StoreAsync[T Num](remote Tensor[T], v T, at int, b Mbarriers, i, rank int) {
	storeAsync(remote, v, at, Remote(b.mem, rank), i)
}

//cutile:intrinsic storeasync
func storeAsync[T Num](remote Tensor[T], v T, at int, bar Tensor[uint64], i int) { panic(deviceOnly) }
