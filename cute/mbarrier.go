package cute

// Mbarriers is a list of barriers in shared memory (mbarrier). A barrier counts arrivals and, for asynchronous copies, bytes;
// when all have arrived its phase ends, and the next one begins with the same count. Phases have parity 0, 1, 0, …
type Mbarriers struct{ mem Tensor[uint64] }

// MakeMbarriers allocates shared memory for n barriers, which [Mbarriers.Init] must initialise.
func MakeMbarriers(n int) Mbarriers { return Mbarriers{Alloc[uint64](MakeLayout(I(n)), 8)} }

// Init initialises barrier i for phases of the given number of arrivals. One thread calls it; the others may use the barrier
// after that thread has called [FenceBarrierInit] and after a barrier of the block or the cluster.
func (b Mbarriers) Init(i, arrivals int) { memDo("mbarrier.init.shared.b64", b.mem, i, arrivals) }

// Invalidate frees the memory of barrier i for other uses.
func (b Mbarriers) Invalidate(i int) { memDo("mbarrier.inval.shared.b64", b.mem, i) }

// Arrive counts an arrival at barrier i. The thread's earlier writes are visible to threads that wait.
func (b Mbarriers) Arrive(i int) { memDo("mbarrier.arrive.shared.b64", b.mem, i) }

// ArriveExpect counts an arrival at barrier i, and makes its phase also wait for bytes. It needs sm_90.
func (b Mbarriers) ArriveExpect(i, bytes int) {
	memDo("mbarrier.arrive.expect_tx.shared.b64", b.mem, i, bytes)
}

// Expect makes the phase of barrier i wait for more bytes. It needs sm_90.
func (b Mbarriers) Expect(i, bytes int) {
	memDo("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", b.mem, i, bytes)
}

// ArriveAfterCopies counts an arrival at barrier i when the [CpAsync] copies that the thread has started have ended. The number
// of arrivals given to [Mbarriers.Init] must include it.
func (b Mbarriers) ArriveAfterCopies(i int) {
	memDo("cp.async.mbarrier.arrive.noinc.shared.b64", b.mem, i)
}

// ArriveRemote counts an arrival at barrier i of another block of the cluster. It needs sm_90.
func (b Mbarriers) ArriveRemote(i, rank int) {
	memDo("mbarrier.arrive.release.cluster.shared::cluster.b64", Remote(b.mem, rank), i)
}

// Done reports whether the phase with a parity of barrier i has ended.
func (b Mbarriers) Done(i, parity int) bool {
	return memTest("mbarrier.test_wait.parity.shared.b64", b.mem, i, parity)
}

// Wait waits until the phase with a parity of barrier i has ended. It needs sm_90.
func (b Mbarriers) Wait(i, parity int) {
	for !memTest("mbarrier.try_wait.parity.shared.b64", b.mem, i, parity) {
	}
}

// WaitCluster is [Mbarriers.Wait], and also makes the writes visible that other blocks of the cluster made before they arrived.
func (b Mbarriers) WaitCluster(i, parity int) {
	for !memTest("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64", b.mem, i, parity) {
	}
}

// memDo is an instruction on the memory of element i, with more operands of 32 bits.
//
//cutile:intrinsic memdo
func memDo(op string, mem Tensor[uint64], i int, more ...int) { panic(deviceOnly) }

// memTest is memDo with a truth value as its result.
//
//cutile:intrinsic memtest
func memTest(op string, mem Tensor[uint64], i int, more ...int) bool { panic(deviceOnly) }
