package cute_test

import "github.com/cutile-go/cutile/cute"

func oneThread() cute.Launch { return cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)} }

// firstSix are the first six elements of x as 3 by 2, made in the kernel.
func firstSix(x, z cute.Tensor[int32]) (_ cute.Kernel) {
	store6(cute.Composition(x, cute.MakeLayout(cute.S(3, 2))), z)
	return
}

// sixOf stores the elements of a tensor that the host function made.
func sixOf(y, z cute.Tensor[int32]) (_ cute.Kernel) {
	store6(y, z)
	return
}

func store6(y, z cute.Tensor[int32]) {
	for i := range 6 {
		z.Set(y.At(i), i)
	}
}

var runFirstSix = cute.Jit(func(x, z cute.Tensor[int32]) error {
	firstSix(x, z).Launch(oneThread())
	return nil
})

var runSixOf = cute.Jit(func(x, z cute.Tensor[int32]) error {
	sixOf(cute.Composition(x, cute.MakeLayout(cute.S(3, 2))), z).Launch(oneThread())
	return nil
})

// pairs stores the sum of the first pairs of two rows of x, from a column on.
func pairs(x cute.Tensor[int16], z cute.Tensor[int32], column int) (_ cute.Kernel) {
	y := cute.Recast[int32](cute.DomainOffset(cute.S(0, column), x))
	z.Set(y.At(0, 0)+y.At(1, 0), 0)
	return
}

var runPairs = cute.Jit(func(x cute.Tensor[int16], z cute.Tensor[int32], column int) error {
	pairs(x, z, column).Launch(oneThread())
	return nil
})
