package compile_test

import . "github.com/cutile-go/cutile/tile"

// The kernels of this file release and acquire between accesses of several tensors.

type i8s = I32T1[D8]

// handOn is an operation that releases and acquires.
func handOn(flag Ptr[int32]) I32 {
	return Atomic(flag, I32(0), I32(1), true, RMWAdd, AcqRel, DeviceScope)
}

func straight(x In[i8s], p, flag Ptr[int32], y InOut[i8s], z Out[i8s]) {
	v := x.Load(0) + x.LoadPad(0, 1) + y.Load(0)
	Scatter(p, Iota[D8](), v, true)
	z.Store(v)
	AtomicAdd(p, I32(9), I32(1), true)
	handOn(flag)
	w := Gather[i8s](p, Iota[D8](), true, 0) + x.LoadUnpadded(2) + z.Load()
	y.Store(w, 1)
	y.Accumulate(RMWAdd, w, 2)
}

// released has one operation that releases and one that acquires, through views, and two that do both.
func released(x In[i8s], p Ptr[int32], flag InOut[i8s], y InOut[i8s]) {
	y.Store(x.Load(0), 0)
	flag.StoreOrdered(Release, DeviceScope, 1, 0)
	Scatter(p, Iota[D8](), x.LoadHint(Hints{Latency: 2}, 1), true)
	v := flag.LoadOrdered(Acquire, DeviceScope, 0)
	y.StoreHint(Hints{Latency: 2}, Gather[i8s](p, Iota[D8](), true, 0)+v, 1)
	CompareAndSwap(p, I32(0), I32(0), I32(1), true)
	ScatterOrdered(p, I32(0), I32(1), true, Release, SystemScope)
	GatherOrdered[I32](p, I32(0), true, 0, Acquire, SystemScope)
	y.Store(x.Load(3), 3)
}

// turns releases in a loop, also what a later statement of the loop does.
func turns(x In[i8s], p, flag Ptr[int32], y InOut[i8s], n int) {
	Scatter(p, I32(0), I32(1), true)
	for i := range n {
		v := x.Load(i)
		for j := range n {
			v += Gather[i8s](p, I32T1[D8](I32(j)), true, 0)
		}
		handOn(flag)
		y.Store(v, i)
	}
	x.Load(0)
	handOn(flag)
	y.Load(0)
}

// spins waits in a loop that it leaves from the middle.
func spins(x In[i8s], p, flag Ptr[int32], y InOut[i8s]) {
	y.Store(x.Load(0), 0)
	for {
		if GatherOrdered[I32](flag, I32(0), true, 0, Acquire, DeviceScope) > 3 {
			break
		}
		Scatter(p, Iota[D8](), y.Load(1), true)
	}
	y.Store(x.Load(1)+Gather[i8s](p, Iota[D8](), true, 0), 2)
	ScatterOrdered(flag, I32(0), I32(1), true, Release, DeviceScope)
}

// ways acquires on one side of a branch, and accesses on the other.
func ways(x In[i8s], p, flag Ptr[int32], y InOut[i8s], n int) {
	y.Store(x.Load(0), 0)
	if n > 3 {
		Scatter(p, I32(0), handOn(flag), true)
	} else if n > 1 {
		y.Store(x.Load(1), 1)
	}
	y.Load(2)
	handOn(flag)
	if n > 5 {
		return
	}
	y.Store(x.Load(2)+Gather[i8s](p, Iota[D8](), true, 0), 3)
}

// views sees one tensor in several ways.
func views(x In[i8s], table In[F32T2[D1, D8]], p, flag Ptr[int32], y InOut[i8s], rows InOut[F32T2[D1, D8]]) {
	s := Scratch[int32](8)
	Scatter(s, Iota[D8](), x.Slice(0, 4, 12).Load(0), true)
	y.Slice(0, 0, 8).Slice(0, 1, 5).Store(WindowsOf[i8s](x, 2).Load(1), 0)
	v := GatherTile(SparseOf[F32T2[D2, D8]](table, 0), I32T1[D2](1), 0)
	ScatterTile(SparseOfInOut[F32T2[D2, D8]](rows, 0), I32T1[D2](1), v, 0)
	Scatter(Reinterpret[uint8](p), I32(1), U8(1), true)
	handOn(flag)
	w := GatherTileInOut(SparseOfInOut[F32T2[D2, D8]](rows, 0), I32T1[D2](0), 0)
	ScatterTile(SparseOfInOut[F32T2[D2, D8]](rows, 0), I32T1[D2](2), w, 0)
	WindowsOfInOut[i8s](y, 2).Store(WindowsOfInOut[i8s](y, 4).Load(0)+x.Slice(0, 2, 9).Load(0)+Gather[i8s](s, Iota[D8](), true, 0), 1)
	AccumulateWindow(y, []int{2}, RMWAdd, i8s(1), 0)
	Gather[U8](Reinterpret[uint8](p), I32(1), true, 0)
}

// elements reaches tensors by coordinates and by padded windows, in a loop and a function too.
func elements(x In[i8s], m In[I32T2[D1, D8]], flag Ptr[int32], y InOut[i8s], rows InOut[I32T2[D1, D8]], n int) {
	at := Iota[D8]()
	v := GatherAt[i8s](x, 0, at) + WindowsOf[i8s](x, 2).LoadPad(0, 1)
	for i := range n {
		v += row(m, i)
	}
	ScatterAt(rows, v, at, at)
	handOn(flag)
	y.Store(GatherAtInOut[i8s](rows, 0, at, at)+row(m, 3)+WindowsOfInOut[i8s](y, 2).LoadPad(0, 1), 0)
	handOn(flag)
	ScatterAt(rows, v, at, at)
}

func row(m In[I32T2[D1, D8]], i int) i8s { return GatherAt[i8s](m, 0, I32T1[D8](I32(i)), Iota[D8]()) }

// relaxed orders nothing among blocks.
func relaxed(x In[i8s], p Ptr[int32], y InOut[i8s], n int) {
	for i := range n {
		v := x.Load(i) + Atomic(p, Iota[D8](), x.Load(0), true, RMWAdd, Relaxed, DeviceScope)
		if i > 3 {
			y.Store(v+GatherOrdered[i8s](p, Iota[D8](), true, 0, Relaxed, DeviceScope), i)
		}
	}
}

// message hands a thousand numbers, which take long to compute, from block 0 to block 1: y has them, and flag announces them.
func message(y, flag, out Ptr[int32], n int) {
	if BlockID(0) == 0 {
		v := Iota[D1024]()
		for range n {
			v = v*3 + 1
		}
		Scatter(y, Iota[D1024](), v|1, true)
		ScatterOrdered(flag, I32(0), I32(1), true, Release, DeviceScope)
	} else {
		for GatherOrdered[I32](flag, I32(0), true, 0, Acquire, DeviceScope) == 0 {
		}
		Scatter(out, Iota[D1024](), Gather[I32T1[D1024]](y, Iota[D1024](), true, 0), true)
	}
}
