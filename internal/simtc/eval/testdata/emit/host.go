// The host function is instructions, too: the grid is computed, and two kernels are queued.
package emit

import . "github.com/cutile-go/cutile/cute"

func hostKernel(x Tensor[float32], f float32) (_ Kernel) {
	i := BlockIdx().X*BlockDim().X + ThreadIdx().X
	if i < x.Size() {
		x.Set(f*x.At(i), i)
	}
	return
}

func Host(x Tensor[float32], f float32) {
	l := Launch{Grid: D3(CeilDiv(x.Size(), 128), 1, 1), Block: D3(128, 1, 1)}
	hostKernel(x, f).Launch(l)
	hostKernel(x, 2).Launch(l)
}
