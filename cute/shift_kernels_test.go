package cute_test

import "github.com/cutile-go/cutile/cute"

type counted interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func shifts[N counted](n N, x cute.Tensor[int64]) (_ cute.Kernel) {
	y := x.At(0) << n
	z := int32(y|3) >> n
	if m := n; m >= 0 { // no shift of a negative count
		z += int32(int8(77) << m)
	}
	x.Set(y+int64(z), 0)
	return
}

func runShifts[N counted](n N, x cute.Tensor[int64]) error {
	shifts(n, x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

var (
	shiftI8, shiftI16, shiftI32 = cute.Jit(runShifts[int8]), cute.Jit(runShifts[int16]), cute.Jit(runShifts[int32])
	shiftI64, shiftInt          = cute.Jit(runShifts[int64]), cute.Jit(runShifts[int])
	shiftU8, shiftU16           = cute.Jit(runShifts[uint8]), cute.Jit(runShifts[uint16])
	shiftU32, shiftU64          = cute.Jit(runShifts[uint32]), cute.Jit(runShifts[uint64])
)

// shiftsOfZero shifts numbers that the compiler knows.
func shiftsOfZero(n int32, x cute.Tensor[int64]) (_ cute.Kernel) {
	x.Set(int64(int32(0)<<n), 0)
	return
}

var shiftZero = cute.Jit(func(n int32, x cute.Tensor[int64]) error {
	shiftsOfZero(n, x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
})

// shiftsAside shifts by a count only where it is not negative.
func shiftsAside(n int32, x cute.Tensor[int64]) (_ cute.Kernel) {
	if n >= 0 && int32(77)<<n > 100 || n < -5 {
		x.Set(1, 0)
	}
	return
}

var shiftAside = cute.Jit(func(n int32, x cute.Tensor[int64]) error {
	shiftsAside(n, x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
})
