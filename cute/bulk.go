package cute

// Copies by the tensor memory accelerator, which one thread starts (sm_90). Writes of other threads to shared memory that
// a copy reads come before it by [FenceAsyncShared] and a barrier.

// BulkLoad starts copying all of src, in global memory, to dst, in shared memory. Both are contiguous; their addresses and size
// are multiples of 16 bytes. The bytes count at barrier i, which must expect them.
func BulkLoad[T Elem](src, dst Tensor[T], b Mbarriers, i int) { bulkLoad(src, dst, b.mem, i) }

//cutile:intrinsic bulkload
func bulkLoad[T Elem](src, dst Tensor[T], bar Tensor[uint64], i int) { panic(deviceOnly) }

// BulkStore starts copying all of src, in shared memory, to dst, in global memory. See [BulkCommit].
//
//cutile:intrinsic bulkstore
func BulkStore[T Elem](src, dst Tensor[T]) { panic(deviceOnly) }

// BulkCommit puts the stores that the thread has started into a group.
//
//cutile:ptx cp.async.bulk.commit_group
func BulkCommit() { panic(deviceOnly) }

// BulkWait waits until at most n of the thread's last groups, a static number, are pending.
//
//cutile:ptx cp.async.bulk.wait_group n
func BulkWait(n int) { panic(deviceOnly) }

// BulkWaitRead waits until at most n of the thread's last groups are still reading shared memory.
//
//cutile:ptx cp.async.bulk.wait_group.read n
func BulkWaitRead(n int) { panic(deviceOnly) }

// TensorMap describes a tensor in global memory and the boxes of it that are copied. [TensorMapOf] makes it in the program
// that calls the host function. It is passed as an argument to the host function and to kernels, which read it from global
// memory.
type TensorMap struct {
	host any // what [TensorMapOf] made
}

// TensorLoad starts copying the box at a coordinate, whose first mode is the contiguous one, to dst in shared memory. dst
// begins at a multiple of 128 bytes and is as large as a box. Elements outside the tensor become zero. The box's bytes count at
// barrier i, which must expect them.
func TensorLoad[T Elem](m TensorMap, dst Tensor[T], b Mbarriers, i int, crd ...int) {
	tensorLoad(m, dst, b.mem, i, 0, crd...)
}

// TensorLoadMulticast is [TensorLoad] to the same position in every block of the cluster whose bit is set in a mask,
// which is not 0; the bytes count at the barrier of each.
func TensorLoadMulticast[T Elem](m TensorMap, dst Tensor[T], b Mbarriers, i int, blocks uint16, crd ...int) {
	tensorLoad(m, dst, b.mem, i, blocks, crd...)
}

//cutile:intrinsic tensorload
func tensorLoad[T Elem](m TensorMap, dst Tensor[T], bar Tensor[uint64], i int, blocks uint16, crd ...int) {
	panic(deviceOnly)
}

// TensorStore starts copying src, in shared memory, to the box at a coordinate; elements outside the tensor are not written.
// See [BulkCommit].
//
//cutile:intrinsic tensorstore
func TensorStore[T Elem](m TensorMap, src Tensor[T], crd ...int) { panic(deviceOnly) }

// TensorReduce is like [TensorStore], but combines each element with the one in global memory by [OpAdd], [OpMin], [OpMax],
// [OpAnd], [OpOr] or [OpXor].
func TensorReduce[T Elem](op AtomicOp, m TensorMap, src Tensor[T], crd ...int) {
	tensorReduce(string(op), m, src, crd...)
}

//cutile:intrinsic tensorreduce
func tensorReduce[T Elem](op string, m TensorMap, src Tensor[T], crd ...int) { panic(deviceOnly) }

// TensorPrefetch fetches the box at a coordinate into the L2 cache.
//
//cutile:intrinsic tensorprefetch
func TensorPrefetch(m TensorMap, crd ...int) { panic(deviceOnly) }

// PrefetchTensorMap fetches a tensor map into the cache.
//
//cutile:intrinsic prefetchmap
func PrefetchTensorMap(m TensorMap) { panic(deviceOnly) }
