package cute_test

import (
	"context"

	"github.com/cutile-go/cutile/cute"
)

func addTo(ctx context.Context, x cute.Tensor[int32], n int32) error { return addInner(ctx, x, n) }

func addInner(_ context.Context, x cute.Tensor[int32], n int32) error {
	addKernel(x, n).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(4, 1, 1)})
	return nil
}

func addKernel(x cute.Tensor[int32], n int32) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	x.Set(x.At(i)+n, i)
	return
}

type adder struct{ n cute.Constexpr[int32] }

func (a adder) run(ctx context.Context, x cute.Tensor[int32]) error { return addInner(ctx, x, a.n.V) }

func asksContext(ctx context.Context, x cute.Tensor[int32]) error {
	return ctx.Err()
}
