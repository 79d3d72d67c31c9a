package cute_test

import "github.com/cutile-go/cutile/cute"

const (
	tenth     cute.Float16 = 0.1
	odd                    = cute.Float16(2049) - 2048
	third                  = cute.BFloat16(1) / 3
	many                   = cute.Float8E4M3FN(17) * 3
	fine                   = cute.TFloat32(1 + 1.0/2048)
	exact                  = 2049 - 2048 + 0.1
	isRounded              = cute.Float16(2049) == 2048
	nothing16              = cute.Float16(-1e-30)
	quarter8               = cute.Float8E5M2(0.3)
)

// constants are what constants with narrow elements are, in a function that is compiled.
func constants() (a, b, c, d float32, rounded bool, _ error) {
	return float32(cute.Float16(0.2)) + float32(tenth), float32(odd), float32(third), float32(many), isRounded, nil
}

// constantsIn does the same in a kernel.
func constantsIn(x cute.Tensor[float32]) (_ cute.Kernel) {
	x.Set(float32(cute.Float16(0.2))+float32(tenth), 0)
	x.Set(float32(odd), 1)
	x.Set(float32(third), 2)
	x.Set(float32(many), 3)
	x.Set(float32(fine), 4)
	x.Set(float32(exact), 5)
	if isRounded {
		x.Set(1, 6)
	}
	x.Set(float32(nothing16), 7)
	x.Set(float32(quarter8), 8)
	return
}

func runConstants(x cute.Tensor[float32]) error {
	constantsIn(x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}
