package atom_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
)

func refused[V any](_ V, err error) error { return err }

func TestRefusals(t *testing.T) {
	warp := must(atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32))
	group := must(atom.Wgmma(atom.WarpGroupMma{N: 24, A: atom.F16, B: atom.F16, C: atom.F32}))
	tiled := must(atom.NewTiledMma(warp, lay("(2,2,1):(1,2,0)"), nil))
	grouped := must(atom.NewTiledMma(group, lay("1:0"), nil))
	load := must(atom.NewCopy("ldmatrix.x4", atom.F16))
	copies := must(atom.NewTiledCopyMma(load, tiled, atom.A))
	matrix := must(layout.Compact(layout.Of(64, 64)))
	_, _, member := tiled.Partition(atom.A, layout.N(128), matrix)
	_, _, negative := copies.Partition(atom.Src, layout.N(-1), matrix)
	_, _, vector := tiled.Partition(atom.A, layout.N(0), lay("64:1"))
	_, _, columns := grouped.Partition(atom.B, layout.N(0), matrix)
	part, _, _ := tiled.Partition(atom.A, layout.N(0), matrix)
	symbolic := must(layout.New(layout.T(layout.Leaf(layout.Sym(1, false, nil)), layout.Leaf(layout.N(8))), layout.Of(1, 32)))
	for want, err := range map[string]error{
		"mma.sync of (16,8,32) and f16 and f16 and f32: the shapes for these elements are (16,8,8) and (16,8,16)": refused(
			atom.MmaSync(16, 8, 32, atom.F16, atom.F16, atom.F32)),
		"mma.sync of (16,8,16) and f16 and bf16 and f32: there is no instruction that multiplies f16 by bf16 and accumulates in f32": refused(
			atom.MmaSync(16, 8, 16, atom.F16, atom.BF16, atom.F32)),
		"universal fma of s8: the elements are f16, f32 or f64": refused(atom.UniversalFMA(atom.S8)),
		"wgmma of 8 and f64 and f64 and f64: there is no instruction that multiplies f64 by f64 and accumulates in f64": refused(
			atom.Wgmma(atom.WarpGroupMma{N: 8, A: atom.F64, B: atom.F64, C: atom.F64})),
		"wgmma of 40 and s8 and s8 and s32: N must be one of [8 16 24 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256]": refused(
			atom.Wgmma(atom.WarpGroupMma{N: 40, A: atom.S8, B: atom.S8, C: atom.S32})),
		"wgmma of 8 and e4m3 and e4m3 and f32: operands in shared memory are K-major unless their elements have 16 bits": refused(
			atom.Wgmma(atom.WarpGroupMma{N: 8, A: atom.E4M3, B: atom.E4M3, C: atom.F32, BMajor: atom.MajorMN})),
		"wgmma of 8 and f16 and f16 and f32: A in registers is K-major": refused(
			atom.Wgmma(atom.WarpGroupMma{N: 8, A: atom.F16, B: atom.F16, C: atom.F32, ARegs: true, AMajor: atom.MajorMN})),

		"make_tiled_mma of SM80_16x8x16_F32F16F16F32_TN and (2,2):(1,4) and []: the layout of atoms: the layout must reach each offset below its size once": refused(
			atom.NewTiledMma(warp, lay("(2,2):(1,4)"), nil)),
		"make_tiled_mma of SM80_16x8x16_F32F16F16F32_TN and (2,2,2):(1,1,5) and []: the layout of atoms: the layout must reach each offset below its size once": refused(
			atom.NewTiledMma(warp, lay("(2,2,2):(1,1,5)"), nil)),
		"make_tiled_mma of SM80_16x8x16_F32F16F16F32_TN and (2,2):(1,-2) and []: the layout of atoms: the layout must reach each offset below its size once": refused(
			atom.NewTiledMma(warp, lay("(2,2):(1,-2)"), nil)),
		"make_tiled_mma of SM80_16x8x16_F32F16F16F32_TN and (?,2):(1,?) and []: the layout of atoms: an integer is known only at run time": refused(
			atom.NewTiledMma(warp, lay("(?,2):(1,?)"), nil)),
		"make_tiled_mma of SM80_16x8x16_F32F16F16F32_TN and (1,1,1,1):(0,0,0,0) and []: expected at most three axes: M, N and K": refused(
			atom.NewTiledMma(warp, lay("(1,1,1,1):(0,0,0,0)"), nil)),
		"make_tiled_mma of SM80_16x8x16_F32F16F16F32_TN and 2:1 and [48]: the permutation of M: its size is 48, which is not a multiple of the 32 that the atoms have": refused(
			atom.NewTiledMma(warp, lay("2:1"), layout.TileOf(48))),
		"make_tiled_mma of SM80_16x8x16_F32F16F16F32_TN and 1:0 and [_;8:2]: the permutation of N: the layout must reach each offset below its size once": refused(
			atom.NewTiledMma(warp, lay("1:0"), layout.ByMode{{Whole: true}, {Layout: lay("8:2")}})),

		"partition_A of (64,64):(1,64): there is no thread 128, the threads are 0 to 127":              member,
		"partition_S of (64,64):(1,64): there is no thread -1, the threads are 0 to 127":               negative,
		"thrfrg_A of 64:1 and (32,16,16): an operand has at least two modes":                           vector,
		"thrfrg_B of (64,64):(1,64) and (64,24,16): N is 64, which is not a multiple of the tile's 24": columns,
		"make_fragment_A of SM90_64x24x16_F32F16F16_SS: the instruction reads the operand from shared memory": refused(
			grouped.Fragment(atom.A, matrix)),
		"make_fragment_C of ((2,2,2),2,4):((64,8,512),32,1024): mode 0 must have the 4 values that the instruction takes from a thread": refused(
			tiled.Fragment(atom.C, part)),

		"make_copy_atom of ldmatrix.x1.trans and f32: the instruction moves smaller pieces than the 32 bits of an element": refused(
			atom.NewCopy("ldmatrix.x1.trans", atom.F32)),
		"make_copy_atom of ldmatrix.x4 and f64: the instruction moves smaller pieces than the 64 bits of an element": refused(
			atom.NewCopy("ldmatrix.x4", atom.F64)),
		"make_copy_atom of universal.32 and f12: f12 is not an element type": refused(atom.NewCopy("universal.32", "f12")),
		"make_copy_atom of tma.fetch and 2 and 64 and f16: expected tma.load, tma.load.multicast or tma.store": refused(
			atom.NewTMA("fetch", 2, 64, atom.F16)),
		"make_copy_atom of tma.load and 6 and 64 and f16: a tensor must have 1 to 5 dimensions": refused(atom.NewTMA("load", 6, 64, atom.F16)),
		"make_copy_atom of tma.store and 2 and 4 and f16: a box must be a multiple of 16 bytes": refused(atom.NewTMA("store", 2, 4, atom.F16)),

		"make_tiled_copy of ldmatrix.x4 and (32,4):(1,32) and [8;16]: the atom takes 8 values per thread, the layout has 4, which is not a multiple": refused(
			atom.NewTiledCopy(load, lay("(32,4):(1,32)"), layout.TileOf(8, 16))),
		"make_tiled_copy of ldmatrix.x4 and (16,8):(1,16) and [8;16]: the atom takes 32 threads, the layout has 16, which is not a multiple": refused(
			atom.NewTiledCopy(load, lay("(16,8):(1,16)"), layout.TileOf(8, 16))),
		"make_tiled_copy of ldmatrix.x4 and (32,8):(1,32) and [8;16]: the thread-value layout reaches beyond the 128 places of the tile": refused(
			atom.NewTiledCopy(load, lay("(32,8):(1,32)"), layout.TileOf(8, 16))),
		"make_tiled_copy of ldmatrix.x4 and (32,8):(1,32) and [_;16]: the tiler [_;16] has a whole mode, whose size is not known": refused(
			atom.NewTiledCopy(load, lay("(32,8):(1,32)"), layout.ByMode{{Whole: true}, layout.TileOf(16)[0]})),
		"make_tiled_copy of ldmatrix.x4 and (?,8):(1,32) and [8;16]: an integer is known only at run time": refused(
			atom.NewTiledCopy(load, symbolic, layout.TileOf(8, 16))),
		"make_tiled_copy of ldmatrix.x4 and (32,8):(4611686018427387904,1) and [8;16]: cosize of (32,8):(4611686018427387904,1): a result does not fit 64 bits": refused(
			atom.NewTiledCopy(load, lay("(32,8):(4611686018427387904,1)"), layout.TileOf(8, 16))),
		"make_tiled_copy_C_atom of ldmatrix.x4 and (32,16,16): the atom takes 8 values from each thread, the accumulators have 4, which is not a multiple": refused(
			atom.NewTiledCopyAtomC(load, tiled)),
	} {
		var e *layout.Error
		if err == nil || err.Error() != want || !errors.As(err, &e) {
			t.Errorf("the error is\n%v, want\n%s", err, want)
		}
	}
}
