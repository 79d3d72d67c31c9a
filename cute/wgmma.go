package cute

// MmaWarpGroup is an instruction of four warps, for sm_90a alone: (64,N,K) with the K of 32 bytes. B is read from shared
// memory and so is A, both with K side by side. Their layouts have the swizzles of 32, 64 or 128 bytes, or blocks of 8 rows
// of 16 bytes: see [KMajor].
func MmaWarpGroup[A, B, C Num](n int) MmaAtom { return wgmma[A, B, C](n, false) }

// MmaWarpGroupRegs is [MmaWarpGroup] with A in registers.
func MmaWarpGroupRegs[A, B, C Num](n int) MmaAtom { return wgmma[A, B, C](n, true) }

//cutile:intrinsic wgmma
func wgmma[A, B, C Num](n int, regs bool) MmaAtom { panic(deviceOnly) }

// KMajor is the layout in shared memory of an operand of (rows, k) elements of a width in bits for [MmaWarpGroup], with as
// wide a swizzle as k allows. Tensors of it begin at a multiple of 1024 bytes.
func KMajor(rows, k, bits int) ComposedLayout {
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
