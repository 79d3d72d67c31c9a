package cute

// GridSync waits for all threads of the grid, in a launch that is Cooperative (see [Launch]); their earlier writes to global memory are
// visible after it. Every thread of every block must call it. bar has one element in global memory, which must be 0 before the first
// launch that uses it, and which nothing else may change; launches can use it again, one after the other. If a thread does not call
// it, or bar was not 0, a GPU waits for ever; the CPU reports that where all blocks that have not ended wait in GridSync, and
// otherwise waits until the limit of its time.
func GridSync(bar Tensor[uint32]) {
	const phase = 1 << 31 // flips when all blocks have come
	cooperative()
	SyncThreads()
	if t := ThreadIdx(); t.X == 0 && t.Y == 0 && t.Z == 0 {
		b, g := BlockIdx(), GridDim()
		n := uint32(1)
		if b.X == 0 && b.Y == 0 && b.Z == 0 {
			n = phase - uint32(g.X*g.Y*g.Z-1)
		}
		how := Atomic{AcqRel, ScopeGPU}
		old := AtomicDo(OpAdd, how, bar, n, 0)
		for (gridPoll(how.text(), bar, 0, 0)^old)&phase == 0 {
		}
	}
	SyncThreads()
}

// gridPoll is AtomicDo of OpAdd and v, which is 0, and says that only GridSync changes the element.
//
//cutile:intrinsic gridpoll
func gridPoll(how string, t Tensor[uint32], v uint32, crd ...int) uint32 { panic(deviceOnly) }

// cooperative is a mistake in a kernel whose launch is not Cooperative.
//
//cutile:intrinsic cooperative
func cooperative() { panic(deviceOnly) }
