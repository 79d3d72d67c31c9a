// Package loss measures how far predictions are from what they should be, for training networks, and computes gradients: cross
// entropy with labels, also of the linear layer before it, losses of pairs of numbers, such as the squared error, and a loss of policies.
package loss

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed cross.go entropy.go grpo.go kernels.go linear.go loss.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; the kernels compute in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Reduction says what becomes of the losses of single elements or rows.
type Reduction int

const (
	None Reduction = iota // each is a result
	Sum                   // the result [1] is their sum
	Mean                  // the result [1] is their mean: NaN if there are none
)

func (r Reduction) check(function string) error {
	if r < None || r > Mean {
		return shape.Wrong(function, "the reduction is %d, expected None, Sum or Mean", int(r))
	}
	return nil
}

// Func is a loss of pairs of numbers x and t: [MSE], [L1], [Huber], [KL], [BCE] or one of the caller's, whose functions are declared in
// a package whose source is registered.
type Func struct {
	Value func(x, t, c tile.F32T1[tile.D1]) tile.F32T1[tile.D1]
	Slope func(x, t, c tile.F32T1[tile.D1]) tile.F32T1[tile.D1] // the derivative of Value by x
	C     float32                                               // the c of both
}

// MSE is (x - t)². L1 is |x - t|. KL is t·(log t - x), or 0 where t is 0: the Kullback-Leibler divergence of probabilities t from those
// with the logarithms x. BCE is log(1 + e^x) - t·x: the binary cross entropy of a probability t with one whose logit is x.
var (
	MSE = Func{Value: Squared[line], Slope: SquaredSlope[line]}
	L1  = Func{Value: Absolute[line], Slope: AbsoluteSlope[line]}
	KL  = Func{Value: Divergence[line], Slope: DivergenceSlope[line]}
	BCE = Func{Value: Binary[line], Slope: BinarySlope[line]}
	TVD = Func{Value: Variation[line], Slope: VariationSlope[line]}
)

type line = tile.F32T1[tile.D1]

// Huber is (x - t)²/2 where |x - t| is at most delta, and delta·(|x - t| - delta/2) beyond. (P. Huber, Robust estimation of a location
// parameter, 1964.)
func Huber(delta float32) Func {
	return Func{Value: HuberValue[line], Slope: HuberSlope[line], C: delta}
}

// JSD is the Jensen-Shannon divergence of probabilities with the logarithms x and t, generalised by beta from 0 to 1: with the mixture
// m = beta·e^t + (1 - beta)·e^x, beta times the Kullback-Leibler divergence of m from e^t, and 1 - beta times that from e^x. 1/2 is usual.
func JSD(beta float32) Func {
	return Func{Value: JensenShannon[line], Slope: JensenShannonSlope[line], C: beta}
}

// parts is how many blocks share a sum, at most.
const parts = 128

func arg(name string, t shape.Array) shape.Arg { return shape.Arg{Name: name, Tensor: t} }

// check checks the arguments that both directions have; of is the name and tensor of the loss or of its gradient.
func (f Func) check(function string, r Reduction, of shape.Arg, args ...shape.Arg) error {
	if r == None {
		args = append(args, of)
	}
	if err := shape.Same(function, args...); err != nil {
		return err
	}
	if r != None {
		of.Axes = "1"
		if _, err := shape.Check(function, of); err != nil {
			return err
		}
	}
	if f.Value == nil || f.Slope == nil {
		return shape.Wrong(function, "f has no functions, expected loss.MSE or another Func")
	}
	return r.check(function)
}

// Run queues y = the loss f of predictions x and of t, contiguous tensors of the same shape: y has that shape, too, or is [1] with Sum
// and Mean. The same sums are the same in each run.
func Run[E Float](ctx context.Context, on cutile.Target, f Func, x, t *cutile.Tensor[E], y *cutile.Tensor[float32], r Reduction) error {
	if err := f.check("loss.Run", r, arg("y", y), arg("x", x), arg("t", t)); err != nil {
		return err
	}
	n := shape.Fit(x.Len(), 1, 1024)
	if r == None {
		return cutile.Launch(ctx, on, cutile.Sized(Each[E, one], n), x.Flatten(), t.Flatten(), y.Flatten(), f.Value, f.C)
	}
	sums, err := cutile.NewTensor[float32](y.Device(), max(1, min(parts, shape.Tiles(x.Len(), n))))
	if err != nil {
		return err
	}
	defer sums.Close() // after both kernels
	if err := cutile.Launch(ctx, on, cutile.Sized(Parts[E, one], n), x.Flatten(), t.Flatten(), sums, f.Value, f.C); err != nil {
		return err
	}
	return total(ctx, on, sums, y, factor(r, x.Len()))
}

// factor is what sums are multiplied by.
func factor(r Reduction, n int) float32 {
	if r == Mean {
		return 1 / float32(n)
	}
	return 1
}

func total(ctx context.Context, on cutile.Target, x, y *cutile.Tensor[float32], factor float32) error {
	return cutile.Launch(ctx, on, cutile.Sized(Total[one], shape.Fit(x.Len(), 1, 1024)), x, y, factor)
}

// Backward queues dx, the gradient of x for [Run] with the same f, x, t and reduction, given dy, the gradient of y.
func Backward[E Float](ctx context.Context, on cutile.Target, f Func, x, t *cutile.Tensor[E], dy *cutile.Tensor[float32], dx *cutile.Tensor[E],
	r Reduction) error {
	if err := f.check("loss.Backward", r, arg("dy", dy), arg("x", x), arg("t", t), arg("dx", dx)); err != nil {
		return err
	}
	if r == None {
		dy = dy.Flatten()
	} else {
		dy = dy.Broadcast(x.Len())
	}
	k := cutile.Sized(Slopes[E, one], shape.Fit(x.Len(), 1, 1024))
	return cutile.Launch(ctx, on, k, x.Flatten(), t.Flatten(), dy, dx.Flatten(), f.Slope, f.C, factor(r, x.Len()))
}
