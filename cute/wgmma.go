package cute

// WarpGroup selects an instruction of four warps; see [MmaWarpGroup].
type WarpGroup struct {
	N       int  // columns: a multiple of 8 up to 256; for integers a multiple of 16 from 32 on
	ARegs   bool // A is in registers, not in shared memory
	AMajorM bool // A in shared memory is contiguous along M, not K: 16-bit elements only
	BMajorN bool // B is contiguous along N, not K: 16-bit elements only
}

// MmaWarpGroup returns an instruction of four warps, for sm_90a only, of shape (64,N,K), where K elements take 32 bytes. B is
// read from shared memory; A may be, too. Their layouts have the swizzles of 32, 64 or 128 bytes, or blocks of 8 rows of 16
// bytes: see [KMajor] and [MNMajor].
func MmaWarpGroup[A, B, C Num](w WarpGroup) MmaAtom {
	return wgmma[A, B, C](w.N, w.ARegs, w.AMajorM, w.BMajorN)
}

//cutile:intrinsic wgmma
func wgmma[A, B, C Num](n int, regs, majorM, majorN bool) MmaAtom { panic(deviceOnly) }

// KMajor returns the layout in shared memory for an operand of [MmaWarpGroup] of (rows, k) elements of a width in bits, with
// the widest swizzle that k allows. Tensors with this layout begin at a multiple of 1024 bytes.
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

// MNMajor returns the layout in shared memory for an operand of (rows, k) elements of 16 bits that is contiguous along its rows
// (see [WarpGroup]), with the widest swizzle that rows allows. rows is a multiple of 16 and k a multiple of 8.
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

// WgmmaFence must be called before the first multiplication, and whenever registers that multiplications use have been written
// since.
//
//cutile:ptx wgmma.fence.sync.aligned
func WgmmaFence() { panic(deviceOnly) }

// WgmmaCommit puts the multiplications that were started into a group.
//
//cutile:ptx wgmma.commit_group.sync.aligned
func WgmmaCommit() { panic(deviceOnly) }

// WgmmaWait waits until at most n of the last groups, a static number, are pending. The registers of a group must not be
// accessed before a wait for it.
//
//cutile:ptx wgmma.wait_group.sync.aligned n
func WgmmaWait(n int) { panic(deviceOnly) }

// MoreRegisters raises the registers of each thread of the warp group to n, a static multiple of 8 up to 256, as soon as enough
// are free.
//
//cutile:ptx setmaxnreg.inc.sync.aligned.u32 n
func MoreRegisters(n int) { panic(deviceOnly) }

// FewerRegisters lowers the registers of each thread of the warp group to n, a static multiple of 8 from 24 on.
//
//cutile:ptx setmaxnreg.dec.sync.aligned.u32 n
func FewerRegisters(n int) { panic(deviceOnly) }
