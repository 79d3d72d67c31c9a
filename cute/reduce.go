package cute

// WarpReduce combines the values of the lanes of a group by an operation, which must be associative and commutative. Each lane
// gets the result, for floats with the same bits, because it is computed as a butterfly.
func WarpReduce[T Elem](v T, op func(a, b T) T, in ...Lanes) T {
	l := lanesOf(in)
	for i := range Unroll(log2(l.Width)) {
		v = op(v, ShuffleBfly(v, l.Width>>(i+1), l))
	}
	return v
}

// WarpScan combines the value of each lane of a group with those of all lanes before it by an associative operation.
func WarpScan[T Elem](v T, op func(a, b T) T, in ...Lanes) T {
	l := lanesOf(in)
	lane := LaneIdx() % l.Width
	for i := range Unroll(log2(l.Width)) {
		v = Select(lane >= 1<<i, op(ShuffleUp(v, 1<<i, l), v), v)
	}
	return v
}

// BlockReduce combines the values of all threads of the block by an operation, which must be associative and commutative and
// have zero as its neutral element. All threads call it, and each gets the result. It takes shared memory for one value per
// warp.
func BlockReduce[T Elem](v T, zero T, op func(a, b T) T) T {
	warps := CeilDiv(BlockThreads(), 32)
	if BlockThreads()%32 != 0 {
		panic("BlockReduce takes blocks of whole warps: a multiple of 32 threads")
	}
	v = WarpReduce(v, op)
	if warps == 1 {
		return v
	}
	parts := Alloc[T](MakeLayout(I(warps)), 8)
	thread := ThreadIndex()
	if thread%32 == 0 {
		parts.Set(v, thread/32)
	}
	SyncThreads()
	v = zero
	if lane := thread % 32; lane < warps {
		v = parts.At(lane)
	}
	SyncThreads() // the memory may be used for the next reduction
	return WarpReduce(v, op)
}

// ClusterReduce is [BlockReduce] for all threads of the cluster (sm_90), whose blocks have at least 32 threads.
func ClusterReduce[T Elem](v T, zero T, op func(a, b T) T) T {
	v = BlockReduce(v, zero, op)
	parts := Alloc[T](MakeLayout(I(16)), 8)
	thread := ThreadIndex()
	if thread < ClusterBlocks() {
		Remote(parts, thread).Set(v, ClusterRank())
	}
	ClusterSync()
	v = zero
	if lane := thread % 32; lane < ClusterBlocks() {
		v = parts.At(lane)
	}
	ClusterSync() // the memory may be used for the next reduction
	return WarpReduce(v, op)
}

// ThreadIndex returns the number of the thread in its block, X fastest.
func ThreadIndex() int {
	i := tidX()
	if blockExtent(1)*blockExtent(2) > 1 {
		i += blockExtent(0) * (tidY() + blockExtent(1)*tidZ())
	}
	return i
}

// BlockThreads returns the number of threads of a block, which is static.
func BlockThreads() int { return blockExtent(0) * blockExtent(1) * blockExtent(2) }

// blockExtent is the number of threads along an axis, which is static.
//
//cutile:intrinsic blockextent
func blockExtent(axis int) int { panic(deviceOnly) }

// log2 is the logarithm of a static power of two.
func log2(n int) int {
	k := 0
	for i := range Unroll(6) {
		if n == 1<<i {
			k = i
		}
	}
	if n != 1<<k {
		panic("the width of a group of lanes is 2, 4, 8, 16 or 32")
	}
	return k
}

// Reduce combines the elements in order by an operation, starting with init.
func (v Vec[T]) Reduce(init T, op func(a, b T) T) T {
	for i := range Unroll(v.Size()) {
		init = op(init, v.At(i))
	}
	return init
}

// Sum returns the sum of the elements of a vector in their order.
func Sum[T Num](v Vec[T]) T { return v.Reduce(0, func(a, b T) T { return a + b }) }

// Product returns the product of the elements of a vector in their order.
func Product[T Num](v Vec[T]) T { return v.Reduce(1, func(a, b T) T { return a * b }) }

// MaxOf returns the greatest element of a vector, or NaN if one is NaN.
func MaxOf[T Num](v Vec[T]) T { return v.Reduce(v.At(0), func(a, b T) T { return max(a, b) }) }

// MinOf returns the least element of a vector, or NaN if one is NaN.
func MinOf[T Num](v Vec[T]) T { return v.Reduce(v.At(0), func(a, b T) T { return min(a, b) }) }

// Map writes f of each element of src to the same coordinate of dst. Both have a static size.
func Map[D, S Elem](dst Tensor[D], src Tensor[S], f func(x S) D) {
	checkSizes(dst.Size(), src.Size())
	for i := range Unroll(dst.Size()) {
		dst.Set(f(src.At(i)), i)
	}
}

// Map2 writes f of the elements of x and y at each coordinate to the same coordinate of dst. All have a static size.
func Map2[D, X, Y Elem](dst Tensor[D], x Tensor[X], y Tensor[Y], f func(a X, b Y) D) {
	checkSizes(dst.Size(), x.Size())
	checkSizes(dst.Size(), y.Size())
	for i := range Unroll(dst.Size()) {
		dst.Set(f(x.At(i), y.At(i)), i)
	}
}

// Fold combines the elements of a tensor of static size in order, starting with init.
func Fold[R, S Elem](src Tensor[S], init R, f func(r R, x S) R) R {
	for i := range Unroll(src.Size()) {
		init = f(init, src.At(i))
	}
	return init
}

// FoldMode combines the elements along a mode of a tensor of static shape, starting with init. The result, in registers, has
// the other modes: folding the mode of columns leaves a number for each row.
func FoldMode[T Elem](src Tensor[T], mode int, init T, op func(a, b T) T) Tensor[T] {
	var others []int
	for i := range Unroll(src.Rank()) {
		if i != mode {
			others = append(others, i)
		}
	}
	dst := MakeRmem[T](SelectModes(src, others...).Shape())
	all := GroupModes(SelectModes(src, append([]int{mode}, others...)...), 1, src.Rank())
	for j := range Unroll(all.Size(1)) {
		r := init
		for i := range Unroll(all.Size(0)) {
			r = op(r, all.At(i, j))
		}
		dst.Set(r, j)
	}
	return dst
}

func checkSizes(a, b int) {
	if a != b {
		panic("the tensors have different sizes: each element of one needs a counterpart in the other")
	}
}
