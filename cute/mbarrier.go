package cute

// Mbarriers is barriers in shared memory (mbarrier). A barrier counts arrivals and, of asynchronous copies, bytes; when
// all have come its phase ends, and the next one begins with the same count. Phases have parity 0, 1, 0, …
type Mbarriers struct{ mem Tensor[uint64] }

// MakeMbarriers takes shared memory for n barriers, which [Mbarriers.Init] must make ready.
func MakeMbarriers(n int) Mbarriers { return Mbarriers{Alloc[uint64](MakeLayout(I(n)), 8)} }

// Init makes barrier i ready for phases of so many arrivals. One thread does it; the others may use the barrier after
// [FenceBarrierInit] of that thread and a barrier of the block, or of the cluster.
func (b Mbarriers) Init(i, arrivals int) { memDo("mbarrier.init.shared.b64", b.mem, i, arrivals) }

// Invalidate makes the memory of barrier i free for other use.
func (b Mbarriers) Invalidate(i int) { memDo("mbarrier.inval.shared.b64", b.mem, i) }

// Arrive counts an arrival at barrier i. What the thread wrote before is seen by those who wait.
func (b Mbarriers) Arrive(i int) { memDo("mbarrier.arrive.shared.b64", b.mem, i) }

// ArriveExpect counts an arrival at barrier i, and bytes that its phase waits for as well. It needs sm_90.
func (b Mbarriers) ArriveExpect(i, bytes int) {
	memDo("mbarrier.arrive.expect_tx.shared.b64", b.mem, i, bytes)
}

// Expect makes the phase of barrier i wait for so many more bytes. It needs sm_90.
func (b Mbarriers) Expect(i, bytes int) {
	memDo("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", b.mem, i, bytes)
}

// ArriveAfterCopies makes the [CpAsync] copies that the thread has started arrive at barrier i when they have ended. The
// arrival must be among those that the barrier was made ready for.
func (b Mbarriers) ArriveAfterCopies(i int) {
	memDo("cp.async.mbarrier.arrive.noinc.shared.b64", b.mem, i)
}

// ArriveRemote counts an arrival at barrier i of another block of the cluster. It needs sm_90.
func (b Mbarriers) ArriveRemote(i, rank int) {
	memDo("mbarrier.arrive.release.cluster.shared::cluster.b64", Remote(b.mem, rank), i)
}

// Done reports whether the phase of a parity of barrier i has ended.
func (b Mbarriers) Done(i, parity int) bool {
	return memTest("mbarrier.test_wait.parity.shared.b64", b.mem, i, parity)
}

// Wait waits until the phase of a parity of barrier i has ended. It needs sm_90.
func (b Mbarriers) Wait(i, parity int) {
	for !memTest("mbarrier.try_wait.parity.shared.b64", b.mem, i, parity) {
	}
}

// WaitCluster is [Mbarriers.Wait] that also orders what other blocks of the cluster wrote before they arrived.
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
