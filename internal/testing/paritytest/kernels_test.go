package paritytest_test

import (
	"math"

	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

type (
	vec[A tile.Dim]    = tile.F32T1[A]
	mat[A, B tile.Dim] = tile.F32T2[A, B]
)

// anyRank works for tiles of every rank: the index has a number an axis.
func anyRank[T tile.NumTile](x tile.In[T], z tile.Out[T]) {
	z.Store(x.Load(make([]int, op.Rank[T]())...))
}

func half[T tile.FloatTile](x T) T { return x * 0.5 }

// everyRank calls one generic function at ranks 0 to 4.
func everyRank[A, B, C, D tile.Dim](x1 tile.In[tile.F32T1[A]], x2 tile.In[tile.F32T2[A, B]], x3 tile.In[tile.F32T3[A, B, C]],
	x4 tile.In[tile.F32T4[A, B, C, D]], z1 tile.Out[tile.F32T1[A]], z2 tile.Out[tile.F32T2[A, B]], z3 tile.Out[tile.F32T3[A, B, C]],
	z4 tile.Out[tile.F32T4[A, B, C, D]]) {
	v := x1.Load(0)
	s := half(tile.Reshape[tile.F32](v.Sum0()))
	z1.Store(half(v) + tile.F32T1[A](s))
	z2.Store(half(x2.Load(0, 0)))
	z3.Store(half(x3.Load(0, 0, 0)))
	z4.Store(half(x4.Load(0, 0, 0, 0)))
}

// addEveryRank calls one declared operation at ranks 0 to 4.
func addEveryRank[A, B, C, D tile.Dim](x1 tile.In[tile.F32T1[A]], x2 tile.In[tile.F32T2[A, B]], x3 tile.In[tile.F32T3[A, B, C]],
	x4 tile.In[tile.F32T4[A, B, C, D]], s float32, z1 tile.Out[tile.F32T1[A]], z2 tile.Out[tile.F32T2[A, B]], z3 tile.Out[tile.F32T3[A, B, C]],
	z4 tile.Out[tile.F32T4[A, B, C, D]]) {
	r := tile.F32(s)
	z1.Store(op.AddF(x1.Load(0), tile.F32T1[A](op.AddF(r, r, op.NearestEven, false)), op.NearestEven, false))
	a, b, c := x2.Load(0, 0), x3.Load(0, 0, 0), x4.Load(0, 0, 0, 0)
	z2.Store(op.AddF(a, a, op.NearestEven, false))
	z3.Store(op.AddF(b, b, op.NearestEven, false))
	z4.Store(op.AddF(c, c, op.NearestEven, false))
}

func extents[A, B, C, D tile.Dim](z tile.Out[tile.I32T4[A, B, C, D]]) {
	z.Store(tile.I32T4[A, B, C, D](digits[A, B]()*10000 + digits[C, D]()))
}

func digits[A, B tile.Dim]() int { return tile.Extent[A]()*100 + tile.Extent[B]() }

// both is a struct of tiles of two ranks.
type both[A, B tile.Dim] struct {
	m mat[A, B]
	v vec[A]
}

func ranksInNames[A, B tile.Dim](x tile.In[mat[A, B]], z tile.Out[mat[A, B]]) {
	p := both[A, B]{m: x.Load(0, 0), v: tile.F32T1[A](3)}
	var column tile.F32T2[A, tile.D1] = tile.Reshape[tile.F32T2[A, tile.D1]](p.v)
	z.Store(p.m * tile.F32T2[A, B](column))
}

// summer is a user's constraint with a method that every rank has, and whose result each rank says.
type summer[R any] interface {
	tile.Tile
	Sum0() R
}

func summed[R any, T summer[R]](x T) R { return x.Sum0() }

func userTrait[A, B tile.Dim](x tile.In[vec[A]], y tile.In[mat[A, B]], z tile.Out[mat[tile.D1, B]]) {
	z.Store(summed(y.Load(0, 0)) + mat[tile.D1, B](summed(x.Load(0))))
}

func marks[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	v := x.Load(0)
	v = op.AddF(v, v, op.Zero, true)
	v = op.MulF(v, v, op.PositiveInf, false)
	z.Store(op.Sqrt(v, op.NearestEven, true))
}

func runtimeMark[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	r := op.Zero
	if n > 0 {
		r = op.NegativeInf
	}
	z.Store(op.AddF(x.Load(0), x.Load(0), r, false))
}

func wrongMark[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(op.AddF(x.Load(0), x.Load(0), op.Approx, false))
}

// keeps has operations whose result is of the type of their first argument.
func keeps[A, B tile.Dim](x, y tile.In[mat[A, B]], z tile.Out[mat[A, B]]) {
	a, b := x.Load(0, 0), y.Load(0, 0)
	sum, difference := op.AddF(a, b, op.NearestEven, false), a-b
	fused := tile.FMA(sum, difference, tile.Exp(-a))
	z.Store(tile.Where(fused < a, max(fused, b), fused))
}

// follows has operations whose result is another type that follows from the arguments: nothing is ascribed.
func follows[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], z tile.Out[tile.F32T2[N, tile.D1]], acc tile.In[mat[M, N]]) {
	p := tile.Dot(a.Load(0, 0), b.Load(0, 0), acc.Load(0, 0))
	mask := p > 1
	z.Store(tile.Where(mask, p, 0).T().Sum1())
}

// ascribed has operations whose result the caller names.
func ascribed[A, B tile.Dim](x tile.In[tile.F32T3[A, B, tile.D4]], z tile.Out[tile.I64T2[B, A]]) {
	turned := tile.Permute[tile.F32T3[B, A, tile.D4]](x.Load(0, 0, 0), 1, 0, 2)
	bits := tile.Bitcast[tile.I32T3[B, A, tile.D4]](turned)
	z.Store(tile.Reshape[tile.I64T2[B, A]](tile.I64T3[B, A, tile.D4](bits).Sum2()))
}

// masked holds an optional mask beside its values.
type masked[M ~bool, A tile.Dim] struct {
	values vec[A]
	mask   M
}

func (m masked[M, A]) or(other float32) vec[A] { return tile.Where(m.mask, m.values, vec[A](other)) }

func nested[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	v := x.Load(0)
	some := masked[bool, A]{v, v > 0}
	pair := [2]vec[A]{some.or(7), masked[bool, A]{v, true}.or(8)}
	z.Store(pair[0] + pair[1])
}

func bump[B tile.Dim](x tile.InOut[vec[B]], i int) { x.Store(x.Load(i)+1, i) }

func viewsAreReferences[B tile.Dim](x tile.InOut[vec[B]], z tile.Out[vec[B]]) {
	bump(x, 0)
	bump(x, 1)
	z.Store(x.Load(0))
}

func firstOf[B tile.Dim](x, _ tile.In[vec[B]]) tile.In[vec[B]] { return x }

func viewReturned[B tile.Dim](x, y tile.In[vec[B]], z tile.Out[vec[B]]) {
	z.Store(firstOf(y, x).Load(0))
}

// rankZero calls every elementwise function of package tile on single elements.
func rankZero(f float32, n int32, z tile.Out[vec[tile.D1]]) {
	x, i := tile.F32(f), tile.I32(n)
	y := tile.Exp(x) + tile.Exp2(x) + tile.Log(x) + tile.Log2(x) + tile.Sqrt(x) + tile.Rsqrt(x) + tile.Sin(x) + tile.Cos(x) + tile.Tan(x)
	y += tile.Sinh(x) + tile.Cosh(x) + tile.Tanh(x) + tile.Atan2(x, y) + tile.Pow(x, y) + tile.Mod(x, y) + tile.FMA(x, y, x)
	y += tile.Ceil(x) + tile.Floor(x) + tile.Sigmoid(x) + tile.MaxNum(x, y) + tile.MinNum(x, y) + tile.Abs(x)
	y = tile.Where(tile.IsNaN(y), tile.Inf[tile.F32](1), tile.NaN[tile.F32]())
	i = tile.MulHi(i, i) + tile.DivFloor(i, 3) + tile.DivCeil(i, 3) + tile.Abs(i)
	z.Store(vec[tile.D1](y + tile.F32(i)))
}

func addMarked[A, B tile.Dim](x, y tile.In[mat[A, B]], z tile.Out[mat[A, B]]) {
	z.Store(op.AddF(x.Load(0, 0), y.Load(0, 0), op.NearestEven, false))
}

// line is a user's type with methods; one of them calls a function, and one another method.
type line[B tile.Dim] struct{ slope, base vec[B] }

func (l line[B]) at(x vec[B]) vec[B] { return multiplyAdd(l.slope, x, l.base) }

func (l line[B]) twice(x vec[B]) vec[B] { return l.at(l.at(x)) }

func multiplyAdd[T tile.FloatTile](x, y, z T) T { return tile.FMA(x, y, z) }

func methods[B tile.Dim](x tile.In[vec[B]], z tile.Out[vec[B]]) {
	l := line[B]{slope: 2, base: 1}
	z.Store(l.twice(x.Load(z.Index(0))))
}

// minus and others are operations of this package.
//
//cutile:op subf(y, x) {rounding_mode: zero}
func minus[T tile.FloatTile](x, y T) T { panic("runs through cutile.Launch") }

type pairOf[T tile.FloatTile] struct{ left, right T }

//cutile:op addf(p.left, p.right) {rounding_mode: r}
func sumOf[T tile.FloatTile](p pairOf[T], r op.Rounding) T { panic("runs through cutile.Launch") }

// Exp has the name of a function of package tile, and is another operation.
//
//cutile:op exp2(x) {flush_to_zero: 1}
func Exp[T tile.FloatTile](x T) T { panic("runs through cutile.Launch") }

func declared[A tile.Dim](x, y tile.In[vec[A]], z tile.Out[vec[A]]) {
	a, b := x.Load(0), y.Load(0)
	z.Store(sumOf(pairOf[vec[A]]{minus(a, b), Exp(tile.Exp(a))}, op.NegativeInf))
}

func scaleAll[T tile.FloatTile](x T, by float32) T { return x * T(by) }

func broadcastScalar[A, B tile.Dim](x tile.In[vec[A]], y tile.In[mat[A, B]], by float32, z tile.Out[vec[A]], w tile.Out[mat[A, B]]) {
	z.Store(scaleAll(x.Load(0), by))
	w.Store(scaleAll(y.Load(0, 0), by))
}

func storesOne[A, B tile.Dim](z tile.Out[mat[A, B]]) { z.Store(1) }

func viewTypes[A, B tile.Dim](x tile.In[mat[A, B]], y tile.InOut[mat[A, B]], z tile.Out[mat[A, B]]) {
	y.Store(x.Load(0, 0), 0, 0)
	z.Store(x.LoadPad(math.NaN(), 0, 0))
}

func metadata[A, B tile.Dim](x tile.In[mat[A, B]], z tile.Out[tile.I32T1[tile.D1]]) {
	z.Store(tile.I32T1[tile.D1](x.Len(0) + x.Len(1)))
}

func latency[A, B tile.Dim](x tile.In[mat[A, B]], z tile.Out[mat[A, B]]) {
	z.Store(x.LoadSoon(4, 0, 0))
}

// rawIn is a parameter of this package: its constructor composes a view of its own.
type rawIn[T tile.Tile] struct{ v op.PartitionView[T] }

//cutile:param in
func newRawIn[T tile.Tile](base op.Pointer[T], shape, strides op.Ints[T]) rawIn[T] {
	return rawIn[T]{op.MakePartitionView(op.MakeTensorView(base, shape, strides), op.NoPadding, []int{0, 1}, shape, op.MakeToken())}
}

func noTMA[A, B tile.Dim](x rawIn[mat[A, B]], z tile.Out[mat[A, B]]) {
	v, _ := op.LoadView(x.v, []int{0, 0}, op.Weak, op.NoScope, op.Hints{Latency: 4, NoTMA: 1}, op.Stored(x.v))
	z.Store(v)
}

func hints[A, B tile.Dim](x tile.In[mat[A, B]], z tile.InOut[mat[A, B]]) {
	z.StoreHint(tile.Hints{NoTMA: 1}, x.LoadHint(tile.Hints{Latency: 4, NoTMA: 1}, 0, 0), 0, 0)
}

// viewTypes64 names its extents.
func viewTypes64(x tile.In[mat[tile.D128, tile.D64]], z tile.Out[mat[tile.D64, tile.D128]]) {
	z.Store(x.Load(0, 0).T())
}

func cosine[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) { z.Store(tile.Cos(x.Load(0))) }

func spreadPointer[A tile.Dim](p tile.Ptr[float32], by float32, z tile.Out[vec[A]]) {
	z.Store(tile.Gather[vec[A]](p, tile.Iota[A](), tile.Iota[A]() < 3, -1) * vec[A](by))
}

func prints[A tile.Dim](x tile.In[vec[A]]) { tile.Print("%v %d\n", x.Load(0), tile.BlockID(0)) }

func inferred[A tile.Dim](x tile.In[vec[A]], n tile.In[tile.I32T1[A]], z tile.Out[vec[A]], m tile.Out[tile.I32T1[A]]) {
	z.Store(plus(x.Load(0), 1))
	m.Store(plus(n.Load(0), 1))
}

func plus[T tile.NumTile](x, y T) T { return x + y }

// wideIndex stores through a list of zeros as long as the rank.
func wideIndex[A, B, C, D tile.Dim](z tile.InOut[tile.F32T4[A, B, C, D]]) {
	z.Store(1, make([]int, 4)...)
}

// product multiplies matrices, for what a whole kernel's bytes show.
func product[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Out[tile.F16T2[M, N]]) {
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(tile.F16T2[M, N](acc))
}

func truth[A tile.Dim](p tile.Ptr[float32], z tile.Out[vec[A]]) {
	z.Store(tile.Gather[vec[A]](p, tile.Iota[A](), true, 0))
}

func lie[A tile.Dim](p tile.Ptr[float32], z tile.Out[vec[A]]) {
	z.Store(tile.Gather[vec[A]](p, tile.Iota[A](), false, 0))
}
