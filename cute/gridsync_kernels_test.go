package cute_test

import "github.com/cutile-go/cutile/cute"

// rotate moves the numbers of x one place on, again and again, with a thread for each: a step begins when all blocks have ended the one
// before.
func rotate(x, y cute.Tensor[int32], bar cute.Tensor[uint32], steps int) (_ cute.Kernel) {
	n := x.Size()
	i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	for s := 0; s < steps; s++ {
		y.Set(x.At((i+n-1)%n), i)
		cute.GridSync(bar)
		x.Set(y.At(i)+1, i)
		cute.GridSync(bar)
	}
	return
}

func runRotate(x, y cute.Tensor[int32], bar cute.Tensor[uint32], blocks, steps int) error {
	rotate(x, y, bar, steps).Launch(cute.Launch{Grid: cute.D3(blocks, 1, 1), Block: cute.D3(4, 1, 1), Cooperative: true})
	return nil
}

// startsEarly adds to what the kernel before it has left, and waits for that one first, on every path or only on one.
func startsEarly(x cute.Tensor[int32], always cute.Constexpr[bool], wait bool) (_ cute.Kernel) {
	if always.V {
		cute.GridWait()
	} else if wait {
		cute.GridWait()
	}
	x.Set(2*x.At(cute.ThreadIdx().X)+1, cute.ThreadIdx().X)
	cute.GridLaunchDependents()
	return
}

func runEarly(x cute.Tensor[int32], always cute.Constexpr[bool], wait bool) error {
	for range 2 {
		startsEarly(x, always, wait).Launch(cute.Launch{Block: cute.D3(4, 1, 1), PDL: true})
	}
	return nil
}

func runBoth(x cute.Tensor[int32], pdl bool) error {
	startsEarly(x, cute.C(true), true).Launch(cute.Launch{Block: cute.D3(4, 1, 1), PDL: pdl})
	return nil
}

func runAlone(x cute.Tensor[int32], bar cute.Tensor[uint32]) error {
	rotate(x, x, bar, 1).Launch(cute.Launch{Grid: cute.D3(2, 1, 1), Block: cute.D3(4, 1, 1)})
	return nil
}

// strays waits for all blocks in most of them: the block stray, if there is one, ends before. In the block late, it comes after many turns of a loop
// in registers, and one in which it looks at what the host has set.
func strays(x cute.Tensor[int32], bar cute.Tensor[uint32], stray, late, turns int) (_ cute.Kernel) {
	b, sum := cute.BlockIdx().X, int32(0)
	if b == late {
		for i := 0; i < turns; i++ {
			sum = sum*3 + int32(i)
		}
		for i := 0; i < turns; i++ {
			if cute.AtomicAdd(bar, 0, 1) != 0 {
				break
			}
		}
	}
	if b != stray {
		cute.GridSync(bar)
	}
	if cute.ThreadIdx().X == 0 {
		x.Set(sum, b)
	}
	return
}

func runStrays(x cute.Tensor[int32], bar cute.Tensor[uint32], blocks int, threads cute.Constexpr[int], stray, late, turns int) error {
	strays(x, bar, stray, late, turns).Launch(cute.Launch{Grid: cute.D3(blocks, 1, 1), Block: cute.D3(threads.V, 1, 1), Cooperative: true})
	return nil
}
