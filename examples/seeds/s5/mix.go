package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// vector holds a thread's part of C, as one value.
type vector = cute.Vec[float32]

// positive is the seed's ReLU for a vector.
func positive(x vector) vector { return cute.Where(x > 0, x, 0) }

// gemm is the receiver of the kernel, and therefore static.
type gemm struct {
	threads int
	staged  bool // C is written through shared memory, and stored by an atom
}

// kernel computes C(64,64) = op(A(64,32) B(64,32)ᵀ), with every kind of parameter of the seed's kernel.
func (g gemm) kernel(
	tiledMma cute.TiledMma,
	atomA cute.CopyAtom,
	mA cute.Tensor[cute.Float16],
	atomB cute.CopyAtom,
	mB cute.Tensor[cute.Float16],
	atomC *cute.CopyAtom, // nil for the widest access
	mC cute.Tensor[float32],
	cluster cute.Layout,
	smemA cute.ComposedLayout,
	smemB cute.ComposedLayout,
	smemC *cute.Layout, // with a swizzle or without; nil to write directly to memory
	epiTile cute.Tile,
	op cute.Constexpr[func(vector) vector],
) (_ cute.Kernel) {
	fmt.Println("compiled with", tiledMma.Size(), "threads,", cluster, smemA, atomC != nil, smemC != nil, cute.ZippedDivide(mC, epiTile).Layout())
	thread := cute.ThreadIdx().X
	threads, values := cute.MakeLayout(cute.S(32, 4), cute.S(4, 1)), cute.MakeLayout(cute.S(1, 8))
	sA, sB := cute.Alloc[cute.Float16](smemA, 128), cute.Alloc[cute.Float16](smemB, 128)
	toA, toB := cute.MakeTiledCopy(atomA, threads, values).Slice(thread), cute.MakeTiledCopy(atomB, threads, values).Slice(thread)
	cute.CopyWith(toA, cute.PartitionS(toA, mA), cute.PartitionD(toA, sA))
	cute.CopyWith(toB, cute.PartitionS(toB, mB), cute.PartitionD(toB, sB))
	cute.CpAsyncCommit()
	cute.CpAsyncWait(0)
	cute.SyncThreads()

	me := tiledMma.Slice(thread)
	tA, tB, tC := cute.PartitionA(me, sA), cute.PartitionB(me, sB), cute.PartitionC(me, mC)
	rA, rB, acc := cute.MakeFragmentA(tiledMma, tA), cute.MakeFragmentB(tiledMma, tB), cute.MakeFragmentC(tiledMma, tC)
	cute.Copy(tA, rA)
	cute.Copy(tB, rB)
	cute.Gemm(tiledMma, acc, rA, rB, acc)

	acc.Store(op.V(acc.Load()))
	if smemC != nil {
		sC := cute.PartitionC(me, cute.Alloc[float32](*smemC, 128))
		cute.Copy(acc, sC)
		cute.Copy(sC, acc)
	}
	if atomC != nil {
		cute.CopyWith(*atomC, acc, tC)
	} else {
		cute.Copy(acc, tC)
	}
	return
}

func (g gemm) run(mA, mB cute.Tensor[cute.Float16], mC cute.Tensor[float32], op cute.Constexpr[func(vector) vector]) error {
	atom := cute.MmaSync[cute.Float16, cute.Float16, float32](16, 8, 16)
	mma := cute.MakeTiledMma(atom, cute.MakeLayout(cute.S(2, 2, 1)), cute.I(32), cute.I(32), cute.I(16))
	load := cute.MakeCopyAtom[cute.Float16](cute.CopyAsyncGlobal128)
	rows := cute.Swizzle{Bits: 2, Base: 3, Shift: 3}.Of(cute.MakeLayout(cute.S(8, 32), cute.S(32, 1)))
	smem := cute.TileToShape(rows, cute.S(64, 32), cute.S(0, 1))
	tile := cute.Tile{cute.MakeLayout(cute.I(64)), cute.MakeLayout(cute.I(32))}
	var store *cute.CopyAtom
	var smemC *cute.Layout
	if g.staged {
		pairs, rows := cute.MakeCopyAtom[float32](cute.CopyUniversal64), cute.MakeLayout(cute.S(64, 64), cute.S(66, 1))
		store, smemC = &pairs, &rows
	}
	g.kernel(mma, load, mA, load, mB, store, mC, cute.MakeLayout(cute.S(1, 1, 1)), smem, smem, smemC, tile, op).
		Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(g.threads, 1, 1)})
	return nil
}

// multiply returns op(A Bᵀ) of small numbers, and the module.
func multiply(g gemm, a, b []float32, op func(vector) vector) (c []float32, text string, err error) {
	err = onCPU(func(dev *cutile.Device) error {
		half := func(data []float32) (*cutile.Tensor[dtype.Float16], error) {
			out := make([]dtype.Float16, len(data))
			for i, v := range data {
				out[i] = dtype.Float16FromFloat32(v)
			}
			return cutile.FromSlice(dev, out, 64, 32)
		}
		x, err := half(a)
		if err != nil {
			return err
		}
		y, err := half(b)
		if err != nil {
			return err
		}
		z, err := cutile.NewTensor[float32](dev, 64, 64)
		if err != nil {
			return err
		}
		static := cute.Static()
		args := []any{g, cute.Of[cute.Float16](x, static), cute.Of[cute.Float16](y, static), cute.Of[float32](z, static)}
		e, err := cute.Compile(context.Background(), cute.Jit(gemm.run), append(args, op)...)
		if err != nil {
			return err
		}
		defer e.Close()
		if _, err := e.Run(context.Background(), args[1:]...); err != nil {
			return err
		}
		text = e.Module().Text()
		c, err = z.Slice()
		return err
	})
	return c, text, err
}

// small returns small numbers of both signs.
func small(n, step int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32((i*step)%9 - 4)
	}
	return out
}

func everyKind() error {
	for _, staged := range []bool{false, true} {
		c, text, err := multiply(gemm{128, staged}, small(64*32, 5), small(64*32, 7), positive)
		if err != nil {
			return err
		}
		fmt.Println(c[:10])
		_, signature, _ := strings.Cut(text, "gpu.func ")
		signature, _, _ = strings.Cut(signature, " kernel")
		fmt.Println(signature)
	}
	return nil
}
