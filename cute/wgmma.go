package cute

// WarpGroup chooses an instruction of four warps, see [MmaWarpGroup].
type WarpGroup struct {
	N       int  // columns: a multiple of 8 up to 256, for integers of 16 from 32 on
	ARegs   bool // A is in registers, not in shared memory
	AMajorM bool // A in shared memory has M side by side, not K: 16-bit elements only
	BMajorN bool // B has N side by side, not K: 16-bit elements only
}

// MmaWarpGroup is an instruction of four warps, for sm_90a alone: (64,N,K) with the K of 32 bytes. B is read from shared
// memory and so may be A. Their layouts have the swizzles of 32, 64 or 128 bytes, or blocks of 8 rows of 16 bytes: see
// [KMajor] and [MNMajor].
func MmaWarpGroup[A, B, C Num](w WarpGroup) MmaAtom {
	return wgmma[A, B, C](w.N, w.ARegs, w.AMajorM, w.BMajorN)
}

//cutile:intrinsic wgmma
func wgmma[A, B, C Num](n int, regs, majorM, majorN bool) MmaAtom { panic(deviceOnly) }

// KMajor is the layout in shared memory of an operand of (rows, k) elements of a width in bits for [MmaWarpGroup], with as
// wide a swizzle as k allows. Tensors of it begin at a multiple of 1024 bytes.
func KMajor(rows, k, bits int) ComposedLayout {
	if bits < 8 || bits > 128 || bits&(bits-1) != 0 {
		panic("cute.KMajor: an element has 8, 16, 32, 64 or 128 bits")
	}
	piece := 128 / bits // 16 bytes
	n := 3              // 128 bytes
	if k%(8*piece) != 0 {
		n = 2
		if k%(4*piece) != 0 {
			n = 1
		}
	}
	base := 0
	for i := range Unroll(5) {
		if 1<<i == piece {
			base = i
		}
	}
	row := piece << n
	return TileToShape(Swizzle{Bits: n, Base: base, Shift: 3}.Of(MakeLayout(S(8, row), S(row, 1))), S(rows, k), S(0, 1))
}

// MNMajor is the layout in shared memory of an operand of (rows, k) elements of 16 bits that has its rows side by side, see
// [WarpGroup], with as wide a swizzle as the rows allow: they are a multiple of 16, and k of 8.
func MNMajor(rows, k int) ComposedLayout {
	n := 3
	if rows%64 != 0 {
		n = 2
		if rows%32 != 0 {
			n = 1
		}
	}
	return TileToShape(Swizzle{Bits: n, Base: 3, Shift: 3}.Of(MakeLayout(S(8<<n, 8))), S(rows, k), S(0, 1))
}

// WgmmaFence comes before the first multiplication, and wherever registers that multiplications use were written since.
//
//cutile:ptx wgmma.fence.sync.aligned
func WgmmaFence() { panic(deviceOnly) }

// WgmmaCommit makes a group of the multiplications that were started.
//
//cutile:ptx wgmma.commit_group.sync.aligned
func WgmmaCommit() { panic(deviceOnly) }

// WgmmaWait waits until at most n of the last groups, a static number, have not ended. Before it nobody may touch the
// registers of the others.
//
//cutile:ptx wgmma.wait_group.sync.aligned n
func WgmmaWait(n int) { panic(deviceOnly) }

// MoreRegisters makes each thread of the warp group have n registers, a static multiple of 8 up to 256, once there are as
// many.
//
//cutile:ptx setmaxnreg.inc.sync.aligned.u32 n
func MoreRegisters(n int) { panic(deviceOnly) }

// FewerRegisters leaves each thread of the warp group n registers, a static multiple of 8 from 24 on.
//
//cutile:ptx setmaxnreg.dec.sync.aligned.u32 n
func FewerRegisters(n int) { panic(deviceOnly) }
