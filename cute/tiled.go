package cute

// CopyOp is an instruction that copies, for [MakeCopyAtom].
type CopyOp string

// The instructions: loads and stores of the named number of bits by one thread, asynchronous copies from global to shared
// memory (sm_80), and copies by a warp between shared memory and registers of 1, 2 or 4 matrices of 8 rows of 16 bytes
// (ldmatrix; stmatrix from sm_90), which transpose matrices of 16-bit elements.
const (
	CopyUniversal8     CopyOp = "universal.8"
	CopyUniversal16    CopyOp = "universal.16"
	CopyUniversal32    CopyOp = "universal.32"
	CopyUniversal64    CopyOp = "universal.64"
	CopyUniversal128   CopyOp = "universal.128"
	CopyAsync32        CopyOp = "cp.async.ca.32"  // through L1
	CopyAsync64        CopyOp = "cp.async.ca.64"  // through L1
	CopyAsync128       CopyOp = "cp.async.ca.128" // through L1
	CopyAsyncGlobal128 CopyOp = "cp.async.cg.128" // past L1
	LdMatrixX1         CopyOp = "ldmatrix.x1"
	LdMatrixX2         CopyOp = "ldmatrix.x2"
	LdMatrixX4         CopyOp = "ldmatrix.x4"
	LdMatrixX1Trans    CopyOp = "ldmatrix.x1.trans"
	LdMatrixX2Trans    CopyOp = "ldmatrix.x2.trans"
	LdMatrixX4Trans    CopyOp = "ldmatrix.x4.trans"
	StMatrixX1         CopyOp = "stmatrix.x1"
	StMatrixX2         CopyOp = "stmatrix.x2"
	StMatrixX4         CopyOp = "stmatrix.x4"
	StMatrixX1Trans    CopyOp = "stmatrix.x1.trans"
	StMatrixX2Trans    CopyOp = "stmatrix.x2.trans"
	StMatrixX4Trans    CopyOp = "stmatrix.x4.trans"
)

// CopyAtom is an instruction that copies elements of a type, with the threads that execute it together.
type CopyAtom struct{ _ [0]func() }

// TiledCopy is a copy atom repeated over threads and values: the copy that a block makes at once.
type TiledCopy struct{ _ [0]func() }

// ThrCopy is a thread's part of a [TiledCopy].
type ThrCopy struct{ _ [0]func() }

// Copier is the operation of [CopyWith]: a [CopyAtom], a [TiledCopy] or a [ThrCopy].
type Copier interface{ isCopier() }

func (CopyAtom) isCopier()  {}
func (TiledCopy) isCopier() {}
func (ThrCopy) isCopier()   {}

// MakeCopyAtom returns an instruction for elements of a type, as in MakeCopyAtom[cute.Float16](cute.LdMatrixX4).
//
//cutile:intrinsic copyatom
func MakeCopyAtom[T Elem](op CopyOp) CopyAtom { panic(deviceOnly) }

// MakeTiledCopy repeats an atom by a layout of threads and a layout of the values of each thread, over the tile that
// these cover together.
//
//cutile:intrinsic tiledcopy
func MakeTiledCopy(atom CopyAtom, threads, values Layout) TiledCopy { panic(deviceOnly) }

// MakeTiledCopyTV repeats an atom by a layout from (thread, value) to positions in a tile; see [MakeLayoutTV].
//
//cutile:intrinsic tiledcopytv
func MakeTiledCopyTV(atom CopyAtom, tv Layout, tiler Tiler) TiledCopy { panic(deviceOnly) }

// MakeTiledCopyA repeats an atom so that the registers hold operand A as a [TiledMma] needs it.
func MakeTiledCopyA(atom CopyAtom, m TiledMma) TiledCopy { return tiledCopyMma(atom, m, 0) }

// MakeTiledCopyB is [MakeTiledCopyA] for operand B.
func MakeTiledCopyB(atom CopyAtom, m TiledMma) TiledCopy { return tiledCopyMma(atom, m, 1) }

// MakeTiledCopyC is [MakeTiledCopyA] for the accumulators.
func MakeTiledCopyC(atom CopyAtom, m TiledMma) TiledCopy { return tiledCopyMma(atom, m, 2) }

// MakeTiledCopyAtomC repeats an atom over the first accumulators of each thread, as many as the atom takes. It covers the
// smallest tile that has them, for results that are stored in steps.
func MakeTiledCopyAtomC(atom CopyAtom, m TiledMma) TiledCopy { return tiledCopyMma(atom, m, 3) }

//cutile:intrinsic tiledcopymma
func tiledCopyMma(atom CopyAtom, m TiledMma, operand int) TiledCopy { panic(deviceOnly) }

// Slice returns the part of a thread, numbered from 0.
//
//cutile:intrinsic thrcopy
func (t TiledCopy) Slice(thread int) ThrCopy { panic(deviceOnly) }

// Size returns the number of threads.
//
//cutile:intrinsic tiledsize
func (t TiledCopy) Size() int { panic(deviceOnly) }

// PartitionS returns the part of a source that the thread reads: ((value of an atom, atom), RestM, RestN, ...).
func PartitionS[V View[V]](t ThrCopy, v V) V { return partitionCopy(t, v, 0) }

// PartitionD returns the part of a destination that the thread writes, with the modes of [PartitionS].
func PartitionD[V View[V]](t ThrCopy, v V) V { return partitionCopy(t, v, 1) }

//cutile:intrinsic partitioncopy
func partitionCopy[V View[V]](t ThrCopy, v V, side int) V { panic(deviceOnly) }

// Retile rearranges a fragment that another operation partitioned, such as accumulators, for this copy.
//
//cutile:intrinsic retile
func Retile[T Elem](t ThrCopy, fragment Tensor[T]) Tensor[T] { panic(deviceOnly) }

// CopyWith copies src to dst with an instruction for each group of values: mode 0 of both is (value of an atom, atom), as
// [PartitionS] makes it. There is a predicate for each element of src, or one for each instruction; if it is false, an
// asynchronous copy writes zero. See [Copy] for copies that choose their instructions.
//
//cutile:intrinsic copywith
func CopyWith[T Elem](by Copier, src, dst Tensor[T], pred ...Tensor[bool]) { panic(deviceOnly) }
