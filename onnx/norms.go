package onnx

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var normOperators = map[string]operator{
	"BatchNormalization": {7, 0, 5, 5, batchNorm, false}, "InstanceNormalization": {6, 0, 3, 3, instanceNorm, false},
	"LayerNormalization": {17, 0, 2, 3, layerNorm, false}, "GroupNormalization": {18, 0, 3, 3, groupNorm, false},
	"RMSNormalization": {23, 0, 2, 2, rmsNorm, false}, "LpNormalization": {1, 0, 1, 1, lpNorm, false},
	"MeanVarianceNormalization":            {9, 0, 1, 1, meanVariance, false},
	"com.microsoft.SkipLayerNormalization": {1, 0, 3, 5, skipLayerNorm, false},
}

// moments gives x less its mean along axes, the mean and the variance, with these axes.
func moments(c *call, x *value, axes []int) (centred, mean, variance *value) {
	mean = kept(c, meanOf(c, x, axes), x, axes)
	centred = graph.Sub(x, mean)
	return centred, mean, kept(c, meanOf(c, graph.Square(centred), axes), x, axes)
}

func batchNorm(c *call) []*val {
	c.rank(0, 2)
	x := c.x(0)
	r := x.Rank()
	epsilon, momentum := c.float("epsilon", 1e-5), c.float("momentum", 0.9)
	wide := widest(c, x)
	for i := 1; i < 5; i++ {
		if c.in[i].rank() != 1 || c.in[i].len() != c.in[0].shape[1] {
			refuse("input %d has shape %v, expected [%d], the number of channels", i, c.in[i].shape, c.in[0].shape[1])
		}
	}
	of := func(i int) *value { return graph.Convert(c.x(i), wide) }
	if !c.flag("training_mode") {
		if c.int("spatial", 1) != 1 {
			refuse("spatial = 0 is not supported")
		}
		return c.one(graph.Convert(graph.BatchNorm(graph.Convert(x, wide), of(1), of(2), of(3), of(4), epsilon), x.DType()))
	}
	all := []int{0}
	for i := 2; i < r; i++ {
		all = append(all, i)
	}
	_, mean, variance := moments(c, graph.Convert(x, wide), all)
	flatMean, flatVariance := graph.Reshape(mean, -1), graph.Reshape(variance, -1)
	y := graph.BatchNorm(graph.Convert(x, wide), of(1), of(2), flatMean, flatVariance, epsilon)
	running := func(old, now *value) *value {
		return graph.Add(graph.Mul(old, c.like(old, momentum)), graph.Mul(now, c.like(now, 1-momentum)))
	}
	return c.out(graph.Convert(y, x.DType()), graph.Convert(running(of(3), flatMean), c.in[3].elem), graph.Convert(running(of(4), flatVariance), c.in[4].elem))
}

// widest is the element type in which norms are computed.
func widest(_ *call, x *value) dtype.Type {
	if x.DType() == dtype.F16 || x.DType() == dtype.BF16 {
		return dtype.F32
	}
	return x.DType()
}

func spatialAxes(rank int) []int {
	var all []int
	for i := 2; i < rank; i++ {
		all = append(all, i)
	}
	return all
}

func instanceNorm(c *call) []*val {
	c.rank(0, 3)
	x := graph.Convert(c.x(0), widest(c, c.x(0)))
	d, _, variance := moments(c, x, spatialAxes(x.Rank()))
	y := graph.Mul(d, graph.Rsqrt(graph.Add(variance, c.like(x, c.float("epsilon", 1e-5)))))
	scale, bias := channel(graph.Convert(c.x(1), x.DType()), x.Rank()), channel(graph.Convert(c.x(2), x.DType()), x.Rank())
	return c.one(graph.Convert(graph.Add(graph.Mul(y, scale), bias), c.in[0].elem))
}

// from lists the axes from one on.
func from(axis, rank int) []int {
	var all []int
	for i := axis; i < rank; i++ {
		all = append(all, i)
	}
	return all
}

// stash gives the element type that an attribute asks for: norms are computed in it.
func (c *call) stash() dtype.Type {
	t, err := typeOf(int64(c.int("stash_type", 1)))
	if err != nil || !t.IsFloat() || small(t) {
		refuse("stash_type is %d, expected a type of floats", c.int("stash_type", 1))
	}
	if c.in[0].elem == dtype.F64 {
		return dtype.F64
	}
	return t
}

func layerNorm(c *call) []*val {
	wide := c.stash()
	x := graph.Convert(c.x(0), wide)
	d, mean, variance := moments(c, x, from(axis(c.int("axis", -1), x.Rank()), x.Rank()))
	inverse := graph.Rsqrt(graph.Add(variance, c.like(x, c.float("epsilon", 1e-5))))
	y := graph.Mul(graph.Convert(graph.Mul(d, inverse), c.in[0].elem), c.x(1))
	if b := c.opt(2); b != nil {
		y = graph.Add(y, b)
	}
	return c.out(y, mean, inverse)
}

func rmsNorm(c *call) []*val {
	x := graph.Convert(c.x(0), c.stash())
	all := from(axis(c.int("axis", -1), x.Rank()), x.Rank())
	square := kept(c, meanOf(c, graph.Square(x), all), x, all)
	y := graph.Mul(x, graph.Rsqrt(graph.Add(square, c.like(x, c.float("epsilon", 1e-5)))))
	return c.one(graph.Mul(graph.Convert(y, c.in[0].elem), c.x(1)))
}

// groupNorm scales groups of channels; scale and bias are for groups in version 18, for channels later.
func groupNorm(c *call) []*val {
	c.rank(0, 3)
	shape, n := c.in[0].shape, c.int("num_groups", 0)
	if n < 1 || shape[1]%n != 0 {
		refuse("num_groups is %d for %d channels", n, shape[1])
	}
	wide := c.stash()
	per := 1
	if c.opset < 21 {
		per = shape[1] / n
	}
	for i := 1; i < 3; i++ {
		if want := shape[1] / per; c.in[i].rank() != 1 || c.in[i].len() != want {
			refuse("input %d has shape %v, expected [%d]", i, c.in[i].shape, want)
		}
	}
	x := graph.Reshape(graph.Convert(c.x(0), wide), shape[0], n, size(shape[1:])/n)
	d, _, variance := moments(c, x, []int{2})
	y := graph.Reshape(graph.Mul(d, graph.Rsqrt(graph.Add(variance, c.like(x, c.float("epsilon", 1e-5))))), shape...)
	each := func(i int) *value {
		v := graph.Convert(c.x(i), wide)
		if per > 1 {
			v = graph.Broadcast(graph.Reshape(v, n, 1), n, per)
		}
		return channel(v, len(shape))
	}
	return c.one(graph.Convert(graph.Add(graph.Mul(y, each(1)), each(2)), c.in[0].elem))
}

func lpNorm(c *call) []*val {
	x, p := c.x(0), c.int("p", 2)
	a := axis(c.int("axis", -1), x.Rank())
	if p != 1 && p != 2 {
		refuse("p is %d, expected 1 or 2", p)
	}
	norm := kept(c, root(c, graph.ReduceSum(power(c, x, float64(p)), a), float64(p)), x, []int{a})
	zero := graph.Equal(norm, c.like(x, 0))
	return c.one(graph.Where(zero, c.like(x, 0), graph.Div(x, graph.Where(zero, c.like(x, 1), norm))))
}

func meanVariance(c *call) []*val {
	x := c.x(0)
	list, ok := c.ints("axes")
	if !ok {
		list = []int{0, 2, 3}
	}
	d, _, variance := moments(c, x, axes(list, x.Rank()))
	return c.one(graph.Div(d, graph.Add(graph.Sqrt(variance), c.like(x, 1e-9))))
}

// skipLayerNorm is one of ONNX Runtime's own operators: a layer normalisation of the sum of two arrays.
func skipLayerNorm(c *call) []*val {
	x := graph.Add(c.x(0), c.x(1))
	if b := c.opt(4); b != nil {
		x = graph.Add(x, b)
	}
	r := x.Rank()
	d, mean, variance := moments(c, x, []int{r - 1})
	inverse := graph.Rsqrt(graph.Add(variance, c.like(x, c.float("epsilon", 1e-12))))
	y := graph.Mul(graph.Mul(d, inverse), c.x(2))
	if b := c.opt(3); b != nil {
		y = graph.Add(y, b)
	}
	return c.out(y, mean, inverse, x)
}
