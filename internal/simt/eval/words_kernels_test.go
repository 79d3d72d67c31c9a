package eval_test

import "github.com/cutile-go/cutile/cute"

// index is the thread's number in the grid.
func index() int { return cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X }

// one launches a kernel with one block.
func one(threads int) cute.Launch {
	return cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(threads, 1, 1)}
}

func exactKernel[T cute.Float](x, y, z, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	a, b, c := x.At(i), y.At(i), z.At(i)
	for k, v := range [...]T{
		cute.Sqrt(cute.Abs(a)), cute.Rcp(b), cute.Floor(4 * a), cute.Ceil(4 * a), cute.Trunc(4 * a), cute.RoundToEven(4 * a), cute.Round(4 * a),
		cute.Copysign(a, b), cute.Abs(a), cute.MinNum(a, b), cute.MaxNum(a, b), cute.Select(cute.IsNaN(a-a), a, b), cute.Select(cute.IsFinite(a), a, b),
	} {
		out.Set(v, i, k)
	}
	_ = c
	return
}

func exact[T cute.Float](x, y, z, out cute.Tensor[T]) { exactKernel(x, y, z, out).Launch(one(128)) }

func fmaKernel[T cute.Float](x, y, z, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	out.Set(cute.FMA(x.At(i), y.At(i), z.At(i)), i, 0)
	out.Set(x.At(i)*y.At(i)+z.At(i), i, 1)
	return
}

func fma[T cute.Float](x, y, z, out cute.Tensor[T]) { fmaKernel(x, y, z, out).Launch(one(128)) }

func approxKernel[T cute.Float](x, y, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	a, b := x.At(i), y.At(i)
	p := cute.Abs(a) + T(0.125)
	for k, v := range [...]T{
		cute.Exp2(a), cute.Exp(a), cute.Log2(p), cute.Log(p), cute.Log10(p), cute.Pow(p, b), cute.Sin(a), cute.Cos(a), cute.Tanh(a), cute.Rsqrt(p),
		cute.SqrtApprox(p), cute.RcpApprox(p), cute.DivApprox(a, p),
	} {
		out.Set(v, i, k)
	}
	return
}

func approx[T cute.Float](x, y, out cute.Tensor[T]) { approxKernel(x, y, out).Launch(one(128)) }

func vectorKernel(x, out cute.Tensor[float32]) (_ cute.Kernel) {
	v := x.Load()
	out.Store(cute.FMA(cute.Exp2(v), 2, v) - cute.Abs(v))
	return
}

func vectors(x, out cute.Tensor[float32]) { vectorKernel(x, out).Launch(one(1)) }

func knownKernel(out cute.Tensor[float32]) (_ cute.Kernel) {
	out.Set(cute.Sqrt(float32(2)), 0)
	out.Set(cute.FMA(float32(1.0000001), 1.0000001, -1), 1)
	out.Set(cute.Round(float32(-2.5)), 2)
	out.Set(float32(cute.Sqrt(cute.Float16(2))), 3)
	return
}

func known(out cute.Tensor[float32]) { knownKernel(out).Launch(one(1)) }

func bitsKernel[T cute.Word](x, y, out cute.Tensor[T]) (_ cute.Kernel) {
	i := index()
	a, b := x.At(i), y.At(i)
	for k, v := range [...]T{
		T(cute.PopCount(a)), T(cute.LeadingZeros(a)), T(cute.TrailingZeros(a)), cute.ReverseBits(a), T(cute.HighestBit(a)), cute.ExtractBits(a, 3, 7),
		cute.InsertBits(a, b, 5, 9), cute.MulHi(a, b), cute.Abs(a), cute.ExtractBits(a, i, 4),
	} {
		out.Set(v, i, k)
	}
	return
}

func bitsOps[T cute.Word](x, y, out cute.Tensor[T]) { bitsKernel(x, y, out).Launch(one(128)) }

func wordsKernel(x, y, out cute.Tensor[uint32]) (_ cute.Kernel) {
	i := index()
	a, b := x.At(i), y.At(i)
	for k, v := range [...]uint32{
		cute.FunnelShiftLeft(a, b, 5), cute.FunnelShiftRight(a, b, i), cute.RotateLeft(a, 7), cute.BytePermute(a, b, 0x7531), cute.Logic3(a, b, 0x0f0f0f0f, 0x6a),
		uint32(cute.Dot4(int32(a), int32(b), 5)), cute.Dot4Unsigned(a, b, 5), cute.Bitcast[uint32](cute.Bitcast[float32](a) * 2),
		uint32(cute.Bitcast[uint16](cute.Float16(1.5))) + uint32(cute.Bitcast[int16](cute.Cast[cute.Float16](float32(i)))),
	} {
		out.Set(v, i, k)
	}
	return
}

func words32(x, y, out cute.Tensor[uint32]) { wordsKernel(x, y, out).Launch(one(128)) }
