package cute_test

import "github.com/cutile-go/cutile/cute"

// fillOdd writes one number, by one thread of all blocks.
func fillOdd(x cute.Tensor[int32]) (_ cute.Kernel) {
	if t, b := cute.ThreadIdx(), cute.BlockIdx(); t.X+t.Y+t.Z+b.X+b.Y+b.Z == 0 {
		x.Set(7, 0)
	}
	return
}

// knownLaunch is the numbers of a launch, all of which are known when it is compiled.
type knownLaunch struct {
	Grid, Block, Cluster cute.Dim3
	Smem, MinBlocksPerSM int
	Cooperative, PDL     bool
}

func launchKnown(x cute.Tensor[int32], l cute.Constexpr[knownLaunch]) error {
	fillOdd(x).Launch(cute.Launch{Grid: l.V.Grid, Block: l.V.Block, Cluster: l.V.Cluster, Smem: l.V.Smem, MinBlocksPerSM: l.V.MinBlocksPerSM, Cooperative: l.V.Cooperative, PDL: l.V.PDL}) // every field
	return nil
}

func launchComputed(x cute.Tensor[int32], gx, gy, gz, smem int) error {
	fillOdd(x).Launch(cute.Launch{Grid: cute.D3(gx, gy, gz), Cluster: cute.D3(2, 1, 1), Smem: smem}) // what may be computed
	return nil
}

// params is as large as all parameters of a kernel may be.
type params struct{ V [8192]int32 }

func takesMuch(x cute.Tensor[int32], p params) (_ cute.Kernel) {
	x.Set(p.V[0], 0)
	return
}

func launchMuch(x cute.Tensor[int32], p params) error {
	takesMuch(x, p).Launch(cute.Launch{}) // too many bytes
	return nil
}
