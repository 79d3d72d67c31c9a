package cute

// Tensor memory, of sm_100a and sm_103a: 128 lanes by 512 columns of 32 bits, where products of matrices accumulate. One thread
// starts a product; the threads of four warps read it, each thread a lane.
//
// What one thread does in tensor memory comes before what others do there if it has waited for it ([TensorMemWaitLoads],
// [TensorMemWaitStores], or the barrier of [Mbarriers.ArriveAfterProducts]), calls [TensorMemBefore], and the others call
// [TensorMemAfter] when a barrier has let them through. A product is waited for by its barrier and [TensorMemAfter] alone.

// TensorMem is columns of tensor memory.
type TensorMem struct{ at int }

// AllocTensorMem allocates columns, a static power of two from 32 to 512, for the block. All its threads call it. They must be
// given back by [TensorMem.Free].
func AllocTensorMem(columns int) TensorMem {
	slot := Alloc[int32](MakeLayout(I(1)), 16)
	if WarpIdx() == 0 {
		tensorMemAlloc("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", slot, 0, columns)
	}
	SyncThreads()
	return TensorMem{int(slot.At(0))}
}

// Free gives the columns back that were allocated together. All threads of the block call it, when they have waited for what
// they do there.
func (t TensorMem) Free(columns int) {
	SyncThreads()
	if WarpIdx() == 0 {
		tensorMemFree(t.at, columns)
	}
}

//cutile:intrinsic memdo
func tensorMemAlloc(op string, slot Tensor[int32], i int, more ...int) { panic(deviceOnly) }

//cutile:ptx tcgen05.dealloc.cta_group::1.sync.aligned.b32 at columns
func tensorMemFree(at, columns int) { panic(deviceOnly) }

// Column returns the columns from the n-th on.
func (t TensorMem) Column(n int) TensorMem { return TensorMem{t.at + n} }

// lanes is the address of the lanes that the thread's warp reaches.
func (t TensorMem) lanes() int { return t.at + WarpIdx()%4<<21 }

// LoadTensorMem starts loading the first columns of t into registers: those of lane i by thread i of four warps, one element of
// 16 or 32 bits a column. See [TensorMemWaitLoads].
func LoadTensorMem[T Elem](t TensorMem, dst Tensor[T]) { tensorMemMove("ld", dst, t.lanes()) }

// StoreTensorMem is the way back. See [TensorMemWaitStores].
func StoreTensorMem[T Elem](src Tensor[T], t TensorMem) { tensorMemMove("st", src, t.lanes()) }

//cutile:intrinsic tensormemmove
func tensorMemMove[T Elem](op string, regs Tensor[T], at int) { panic(deviceOnly) }

// TensorMemWaitLoads waits for the loads of the warp. Nothing may write to the columns before.
//
//cutile:ptx tcgen05.wait::ld.sync.aligned
func TensorMemWaitLoads() { panic(deviceOnly) }

// TensorMemWaitStores waits for the stores of the warp. Nothing may touch the columns before.
//
//cutile:ptx tcgen05.wait::st.sync.aligned
func TensorMemWaitStores() { panic(deviceOnly) }

// TensorMemBefore orders what the thread did in tensor memory before the barrier that it will arrive at.
//
//cutile:ptx tcgen05.fence::before_thread_sync
func TensorMemBefore() { panic(deviceOnly) }

// TensorMemAfter orders what the thread will do in tensor memory after the barrier that it has waited for.
//
//cutile:ptx tcgen05.fence::after_thread_sync
func TensorMemAfter() { panic(deviceOnly) }

// TensorCore selects an instruction of the tensor core; see [MmaTensorCore].
type TensorCore struct {
	N       int  // columns: a multiple of 16 up to 256
	AMajorM bool // A is contiguous along M, not K: 16-bit elements only
	BMajorN bool // B is contiguous along N, not K: 16-bit elements only
}

// MmaTensorCore returns an instruction of one thread, for sm_100a and sm_103a only, of shape (128,N,K), where K elements take 32
// bytes. A and B are in shared memory, with layouts such as [KMajor] and [MNMajor], the result in tensor memory. Integers are for
// sm_100a alone. See [TensorGemm].
func MmaTensorCore[A, B, C Num](t TensorCore) MmaAtom {
	return tensorCore[A, B, C](t.N, t.AMajorM, t.BMajorN)
}

//cutile:intrinsic tensorcore
func tensorCore[A, B, C Num](n int, majorM, majorN bool) MmaAtom { panic(deviceOnly) }

// TensorGemm starts D = A B, or D += A B, for parts of [PartitionA] and [PartitionB] with one or more repetitions along N and K.
// One thread calls it. Row i of D is lane i of d, and its element j column j. The writes of other threads to A and B come
// before it by [FenceAsyncShared] and a barrier; A and B must not be written before it was waited for.
func TensorGemm[A, B Elem](mma TiledMma, d TensorMem, a Tensor[A], b Tensor[B], add bool) {
	tensorGemm(mma, d.at, a, b, add)
}

//cutile:intrinsic tensorgemm
func tensorGemm[A, B Elem](mma TiledMma, d int, a Tensor[A], b Tensor[B], add bool) {
	panic(deviceOnly)
}

// ArriveAfterProducts counts an arrival at barrier i when the products that the thread has started are done. The number of
// arrivals given to [Mbarriers.Init] must include it. It needs sm_100a or sm_103a.
func (b Mbarriers) ArriveAfterProducts(i int) {
	memDo("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64", b.mem, i)
}

// ReleaseAfterProducts is [PipelineAsync.Release] when the products that the thread has started are done.
func (p PipelineAsync) ReleaseAfterProducts(s PipelineState) { p.empty.ArriveAfterProducts(s.Index) }
