package cute_test

import "github.com/cutile-go/cutile/cute"

// exacts are the functions of package cute that round once or not at all.
func exacts[T cute.Float](x, y, z T) [14]T {
	return [14]T{
		cute.Sqrt(x), cute.Rcp(x), cute.FMA(x, y, z), cute.Floor(x), cute.Ceil(x), cute.Trunc(x), cute.RoundToEven(x), cute.Round(x),
		cute.Copysign(x, y), cute.Abs(x), cute.MinNum(x, y), cute.MaxNum(x, y),
		oneIf[T](cute.IsNaN(x)), oneIf[T](cute.IsFinite(x)),
	}
}

// approximates are those that approximate.
func approximates(x, y float32) [13]float32 {
	p := cute.Abs(x) + 0.125
	return [13]float32{
		cute.Exp2(x), cute.Exp(x), cute.Log2(p), cute.Log(p), cute.Log10(p), cute.Pow(p, y), cute.Sin(x), cute.Cos(x),
		cute.Tanh(x), cute.Rsqrt(p), cute.SqrtApprox(p), cute.RcpApprox(p), cute.DivApprox(y, p),
	}
}

func oneIf[T cute.Float](b bool) T {
	if b {
		return 1
	}
	return 0
}

func exactsIn[T cute.Float](x, y, z, out cute.Tensor[T]) (_ cute.Kernel) {
	i := cute.BlockIdx().X*128 + cute.ThreadIdx().X
	if i < x.Size() {
		for k, v := range exacts(x.At(i), y.At(i), z.At(i)) {
			out.Set(v, i*14+k)
		}
	}
	return
}

func runExacts[T cute.Float](x, y, z, out cute.Tensor[T]) error {
	exactsIn(x, y, z, out).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(x.Size(), 128), 1, 1), Block: cute.D3(128, 1, 1)})
	return nil
}

func approximatesIn(x, y, out cute.Tensor[float32]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	for k, v := range approximates(x.At(i), y.At(i)) {
		out.Set(v, i*13+k)
	}
	return
}

func runApproximates(x, y, out cute.Tensor[float32]) error {
	approximatesIn(x, y, out).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(256, 1, 1)})
	return nil
}

// triple is three numbers that are known when a function is compiled.
type triple[T cute.Float] struct{ X, Y, Z T }

func knownIn[T cute.Float](v cute.Constexpr[triple[T]], out cute.Tensor[T]) (_ cute.Kernel) {
	for k, x := range exacts(v.V.X, v.V.Y, v.V.Z) {
		out.Set(x, k)
	}
	return
}

func runKnown[T cute.Float](v cute.Constexpr[triple[T]], out cute.Tensor[T]) error {
	knownIn(v, out).Launch(cute.Launch{})
	return nil
}
