package cute_test

import (
	"github.com/cutile-go/cutile/cute"
)

// smemKernel takes shared memory.
func smemKernel(x cute.Tensor[float32]) (_ cute.Kernel) {
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(64)), 16)
	i := cute.ThreadIdx().X
	s.Set(x.At(i), i)
	cute.SyncThreads()
	x.Set(s.At(63-i), i)
	return
}

func reversed(x cute.Tensor[float32], bytes cute.Constexpr[int]) error {
	smemKernel(x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(64, 1, 1), Smem: bytes.V, MinBlocksPerSM: 2})
	return nil
}

func one() cute.Launch { return cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)} }

func notLaunched(x cute.Tensor[float32]) error {
	_ = scale(x, 1)
	return nil
}

func clustered(x cute.Tensor[float32]) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(4, 1, 1), Block: cute.D3(16, 1, 1), Cluster: cute.D3(2, 1, 1)})
	return nil
}

func noBlock(x cute.Tensor[float32]) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(1, 1, 1)})
	return nil
}

func dynamicBlock(x cute.Tensor[float32], n int) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(n, 1, 1)})
	return nil
}

func gridOf(x cute.Tensor[float32], n int) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(n, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

func bigShared(x cute.Tensor[float32], bytes int) error {
	smemKernel(x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(64, 1, 1), Smem: bytes})
	return nil
}

func fillRowsKernel(x cute.Tensor[float32]) (_ cute.Kernel) {
	r := cute.BlockIdx().X
	for c := range x.Size(1) {
		x.Set(float32(r*100+c), r, c)
	}
	return
}

func fillRows(x cute.Tensor[float32]) error {
	fillRowsKernel(x).Launch(cute.Launch{Grid: cute.D3(x.Size(0), 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

func flatBlock(x cute.Tensor[float32]) error {
	scale(x, 2).Launch(cute.Launch{Block: cute.D3(16, 0, 1)})
	return nil
}

// loud prints from each thread of a kernel.
func loud(x cute.Tensor[float32]) (_ cute.Kernel) {
	cute.Printf("%v\n", x.At(cute.ThreadIdx().X))
	return
}

func runLoud(x cute.Tensor[float32]) error {
	loud(x).Launch(cute.Launch{Block: cute.D3(4, 1, 1)})
	return nil
}

// late prints at the end of a long loop; no argument names a device that could be waited for.
func late(turns int) error {
	lateKernel(turns).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

func lateKernel(turns int) (_ cute.Kernel) {
	sum := 0
	for i := range turns {
		sum += i % 7
	}
	cute.Printf("late %d\n", sum)
	return
}

func runOnGrid(x cute.Tensor[float32], n int) error {
	scale(x, 2).Launch(cute.Launch{Grid: cute.D3(n, 1, 1), Block: cute.D3(64, 1, 1)})
	return nil
}

func tooShared(x cute.Tensor[float32]) (_ cute.Kernel) {
	cute.Alloc[float32](cute.MakeLayout(cute.S(4)), 16)
	s := cute.Alloc[float32](cute.MakeLayout(cute.S(1<<20)), 16) // the one that is too large
	x.Set(s.At(0), 0)
	return
}

func runTooShared(x cute.Tensor[float32]) error {
	tooShared(x).Launch(cute.Launch{Block: cute.D3(4, 1, 1)})
	return nil
}

func runTooSmem(x cute.Tensor[float32]) error {
	scale(x, 2).Launch(cute.Launch{Block: cute.D3(4, 1, 1), Smem: 1 << 20}) // Smem is too large
	return nil
}
