package cute_test

import "github.com/cutile-go/cutile/cute"

type scaling struct {
	by  float32
	add []float32
	out *cute.Tensor[float32]
}

// scaleBy takes what pointers and slices lead to: y[i] = x[i]*by + add[0] + add[1].
func scaleBy(x *cute.Tensor[float32], s *scaling, same *scaling) (_ cute.Kernel) {
	if i := cute.ThreadIdx().X; i < x.Size() {
		s.by++ // a variable of this thread
		s.out.Set(x.At(i)*same.by+s.add[0]+s.add[1], i)
	}
	return
}

func runScaleBy(x, y cute.Tensor[float32], by, add float32) error {
	s := &scaling{by: by, add: []float32{add, 10}, out: &y}
	scaleBy(&x, s, s).Launch(cute.Launch{Block: cute.D3(32, 1, 1)})
	return nil
}

func genericPointer[E cute.Float](x, y *cute.Tensor[E]) error {
	copyKernel(x, y).Launch(cute.Launch{Block: cute.D3(32, 1, 1)})
	return nil
}

func copyKernel[E cute.Float](x, y *cute.Tensor[E]) (_ cute.Kernel) {
	if i := cute.ThreadIdx().X; y != nil && i < x.Size() {
		y.Set(x.At(i), i)
	}
	return
}
