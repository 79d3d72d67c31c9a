package cute

// MmaAtom is an instruction that computes D = A B + C on tiles: A is (M,K), B (N,K), C and D (M,N).
type MmaAtom struct{ _ [0]func() }

// TiledMma is an instruction repeated over threads and values.
type TiledMma struct{ _ [0]func() }

// ThrMma is a thread's part of a [TiledMma].
type ThrMma struct{ _ [0]func() }

// MmaFMA returns the multiply-add of a single thread, rounded once, for Float16, float32 or float64.
//
//cutile:intrinsic mmafma
func MmaFMA[T Float]() MmaAtom { panic(deviceOnly) }

// MmaSync returns a warp's tensor core instruction, given its elements and shape: MmaSync[Float16, Float16, float32](16, 8,
// 16). The shapes are (16,8,8) and (16,8,16) for Float16 and BFloat16, (16,8,4) and (16,8,8) for TFloat32, (16,8,16) and
// (16,8,32) for int8 and uint8, (16,8,32) for 8-bit floats (sm_89), (8,8,4) for float64.
//
//cutile:intrinsic mmasync
func MmaSync[A, B, C Num](m, n, k int) MmaAtom { panic(deviceOnly) }

// MakeTiledMma repeats an instruction by a layout of atoms in M, N and K, and over more values by a permutation: a size, a
// layout or [All] for each of M, N and K.
//
//cutile:intrinsic tiledmma
func MakeTiledMma(atom MmaAtom, atoms Layout, permutation ...Tiler) TiledMma { panic(deviceOnly) }

// Slice returns the part of a thread, numbered from 0.
//
//cutile:intrinsic thrmma
func (t TiledMma) Slice(thread int) ThrMma { panic(deviceOnly) }

// Size returns the number of threads.
//
//cutile:intrinsic tiledsize
func (t TiledMma) Size() int { panic(deviceOnly) }

// Tile returns the shape (M,N,K) that all threads work on at once.
//
//cutile:intrinsic mmatile
func (t TiledMma) Tile() Shape { panic(deviceOnly) }

// PartitionA returns the thread's part of operand A: (value, RestM, RestK, ...).
func PartitionA[V View[V]](t ThrMma, v V) V { return partitionMma(t, v, 0) }

// PartitionB returns the thread's part of operand B: (value, RestN, RestK, ...).
func PartitionB[V View[V]](t ThrMma, v V) V { return partitionMma(t, v, 1) }

// PartitionC returns the thread's part of C or D: (value, RestM, RestN, ...).
func PartitionC[V View[V]](t ThrMma, v V) V { return partitionMma(t, v, 2) }

//cutile:intrinsic partitionmma
func partitionMma[V View[V]](t ThrMma, v V, operand int) V { panic(deviceOnly) }

// PartitionShapeA returns the shape of a thread's part of an A of a shape.
func PartitionShapeA(t TiledMma, s Shape) Shape { return partitionShape(t, s, 0) }

// PartitionShapeB returns the shape of a thread's part of a B of a shape.
func PartitionShapeB(t TiledMma, s Shape) Shape { return partitionShape(t, s, 1) }

// PartitionShapeC returns the shape of a thread's part of a C of a shape.
func PartitionShapeC(t TiledMma, s Shape) Shape { return partitionShape(t, s, 2) }

//cutile:intrinsic partitionshape
func partitionShape(t TiledMma, s Shape, operand int) Shape { panic(deviceOnly) }

// MakeFragmentA returns registers for a thread's part of A, in the order of the part's strides.
func MakeFragmentA[T Elem](t TiledMma, part Tensor[T]) Tensor[T] { return fragment(t, part, 0) }

// MakeFragmentB returns registers for a thread's part of B, in the order of the part's strides.
func MakeFragmentB[T Elem](t TiledMma, part Tensor[T]) Tensor[T] { return fragment(t, part, 1) }

// MakeFragmentC returns registers for a thread's part of C, all zero.
func MakeFragmentC[T Elem](t TiledMma, part Tensor[T]) Tensor[T] { return fragment(t, part, 2) }

// MakeAccumulators returns registers for a thread's part of a C of a shape, all zero.
func MakeAccumulators[T Elem](t TiledMma, tile Shape) Tensor[T] {
	return MakeRmem[T](PartitionShapeC(t, tile))
}

//cutile:intrinsic fragment
func fragment[T Elem](t TiledMma, part Tensor[T], operand int) Tensor[T] { panic(deviceOnly) }

// Gemm computes D = A B + C on a thread's fragments (value, M, K), (value, N, K) and (value, M, N), or A and B without the
// mode K. D may be C. For each place the instructions run in order along K.
//
//cutile:intrinsic gemm
func Gemm[A, B, C Elem](t TiledMma, d Tensor[C], a Tensor[A], b Tensor[B], c Tensor[C]) {
	panic(deviceOnly)
}
