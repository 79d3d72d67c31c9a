package cute_test

import "github.com/cutile-go/cutile/cute"

// bounds is a structure that TestVariables finds in registers.
type bounds struct {
	lo, hi float32
	on     bool
}

// clamp is inlined.
func clamp(v float32, b bounds) (out float32) {
	out = v
	if v < b.lo {
		out = b.lo
	}
	if b.on {
		out += twiceOf(b.hi)
	}
	return out
}

func twiceOf(v float32) float32 {
	double := v + v
	return double - 1
}

// observed has variables of every kind. TestVariables knows them by their names and lines.
func observed(x cute.Tensor[float32], count int32, factor float32, wide int64) (_ cute.Kernel) {
	thread := cute.ThreadIdx().X
	limit := bounds{lo: factor, hi: factor * 2, on: count > 3}
	total := float32(0)
	for step := int32(0); step < count; step++ {
		square := float32(step) * factor
		total += square
	}
	small := int8(count)
	moved := factor
	moved *= 4
	half := cute.Float16(total)
	const two = 2
	known := two * 21
	kept := cute.MakeRmem[float32](cute.S(4))
	for k := range cute.Unroll(4) {
		each := total + float32(k)
		{
			same := factor
			each += same
		}
		kept.Set(each, k)
	}
	sums := [3]float32{total, 0, factor}
	if thread < x.Size() {
		value := clamp(x.At(thread), limit)
		x.Set(value+moved+kept.At(0)+kept.At(1)+kept.At(2)+kept.At(3)+sums[0]+sums[2]+float32(half)+float32(small)+float32(wide)+float32(known), thread)
	}
	return
}

func runObserved(x cute.Tensor[float32], count int32, factor float32, wide int64) error {
	observed(x, count, factor, wide).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(32, 1, 1)})
	return nil
}
