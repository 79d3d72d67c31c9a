package sample

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// Rules are what a draw from a row of logits goes by; see [Options].
type Rules struct {
	Scale      float32 // log2(e) over the temperature; 0 to take the greatest logit
	TopK       int32   // a number of logits
	TopP       float32
	MinP       float32 // its base-2 logarithm: -Inf for 0
	Seed, Step int
}

// Rows draws y = a column of each row of logits x: a block has one row and reads it C elements at a time. Four steps follow each other.
//
//   - The greatest logit of the row becomes 0, and each other one its difference from it, scaled: the base-2 logarithm of its weight.
//   - A bound keeps the greatest TopK of these. It is found by halving: see search.
//   - A greater bound keeps the greatest ones whose weights together are at least TopP of those that are left, found likewise; a third
//     one follows from MinP.
//   - From each logit that is kept, the logarithm of an exponentially distributed random number is subtracted. The greatest difference
//     is drawn: this takes each with the probability of its weight. (E. Gumbel, Statistical theory of extreme values, 1954.)
//
// Equal logits are kept or left out together. NaN is left out, and the result for a row with nothing else is 0. Random numbers depend on
// the seed, the step, the row and the column alone.
//
//cutile:entry
func Rows[E tile.FloatElem, C tile.Dim](x tile.In[tile.FloatTile2[E, tile.D1, C]], y tile.Out[tile.I32T1[tile.D1]], r Rules) {
	row := logits[E, C]{x: x, i: y.Index(0), scale: r.Scale}
	row.peak = row.greatest()
	if r.Scale == 0 {
		row.scale = 1
		y.Store(row.place(func(t tile.F32T1[C], _ int) tile.F32T1[C] { return t }))
		return
	}
	bound := tile.Inf[tile.F32](-1)
	if int(r.TopK) < x.Len(1) {
		bound = row.search(tile.F32(r.TopK), one[C])
	}
	if r.TopP < 1 {
		bound = max(bound, row.search(tile.F32(r.TopP)*row.sum(bound, weight[C]), weight[C]))
	}
	bound = max(bound, tile.F32(r.MinP))
	y.Store(row.place(func(t tile.F32T1[C], j int) tile.F32T1[C] {
		noise := tile.Log2(exponential[C](r.Seed, r.Step, row.i, j*tile.Extent[C]()))
		return tile.Where(t >= tile.F32T1[C](bound), t-noise, tile.Inf[tile.F32T1[C]](-1))
	}))
}

// logits is a row, seen as logarithms of weights: the greatest one is 0.
type logits[E tile.FloatElem, C tile.Dim] struct {
	x     tile.In[tile.FloatTile2[E, tile.D1, C]]
	i     int
	peak  tile.F32
	scale float32
}

func (l logits[E, C]) load(j int) tile.F32T1[C] {
	return tile.F32T1[C](tile.Reshape[tile.FloatTile1[E, C]](l.x.LoadPad(math.NaN(), l.i, j)))
}

// greatest is the greatest logit that is a number; -Inf if there is none.
func (l logits[E, C]) greatest() tile.F32 {
	peak := tile.Inf[tile.F32T1[C]](-1)
	for j := range l.x.Tiles(1) {
		peak = tile.MaxNum(peak, l.load(j))
	}
	return tile.Reshape[tile.F32](peak.Max0())
}

// tile is the j-th one. What is NaN, or behind the last column, is NaN; so are all logits if they are -Inf.
func (l logits[E, C]) tile(j int) tile.F32T1[C] {
	t, peak := l.load(j), tile.F32T1[C](l.peak)
	top := t == peak && peak > tile.Inf[tile.F32T1[C]](-1) // also where it is Inf
	return tile.Where(top, 0, (t-peak)*tile.F32T1[C](l.scale))
}

// sum adds a function of the logits that are at least bound.
func (l logits[E, C]) sum(bound tile.F32, f func(tile.F32T1[C]) tile.F32T1[C]) tile.F32 {
	var sum tile.F32T1[C]
	for j := range l.x.Tiles(1) {
		t := l.tile(j)
		sum += tile.Where(t >= tile.F32T1[C](bound), f(t), 0)
	}
	return tile.Reshape[tile.F32](sum.Sum0())
}

// search finds the greatest bound for which the sum is at least need. The bits of a float that is not negative count as an integer in
// the same order, so that 31 halvings find those of the bound's magnitude. The result is -Inf if no bound will do.
func (l logits[E, C]) search(need tile.F32, f func(tile.F32T1[C]) tile.F32T1[C]) tile.F32 {
	low, high := tile.I32(0), tile.I32(0x7f800000) // the bits of 0 and of infinity
	for range 31 {
		middle := low + (high-low)/2
		if l.sum(-tile.Bitcast[tile.F32](middle), f) >= need {
			high = middle
		} else {
			low = min(middle+1, high)
		}
	}
	return -tile.Bitcast[tile.F32](high)
}

// place is the column of the greatest f of a logit; of equal ones it is the first, and 0 if there is none.
func (l logits[E, C]) place(f func(t tile.F32T1[C], j int) tile.F32T1[C]) tile.I32T1[tile.D1] {
	best, at := tile.Inf[tile.F32T1[C]](-1), tile.I32T1[C](math.MaxInt32)
	for j := range l.x.Tiles(1) {
		t, col := f(l.tile(j), j), tile.I32T1[C](j*tile.Extent[C]())+tile.Iota[C]()
		better := t > best
		best, at = tile.Where(better, t, best), tile.Where(better, col, at)
	}
	first := tile.Where(best == tile.F32T1[C](best.Max0()), at, math.MaxInt32).Min0()
	return tile.Where(first < math.MaxInt32, first, 0)
}

func one[C tile.Dim](tile.F32T1[C]) tile.F32T1[C] { return 1 }

func weight[C tile.Dim](t tile.F32T1[C]) tile.F32T1[C] { return tile.Exp2(t) }

// exponential returns random numbers of the exponential distribution of mean 1, -log(1-v) for uniform v, of columns from from on. Small
// ones, which decide among many logits, are as fine as 2^-33.
func exponential[C tile.Dim](seed, step, row, from int) tile.F32T1[C] {
	type bits = tile.U32T1[C]
	at := bits(tile.U32(from)) + tile.IotaOf[bits]()
	r, _, _, _ := tile.Philox(at, bits(tile.U32(row)), bits(tile.U32(step)), bits(tile.U32(step>>32)), bits(tile.U32(seed)), bits(tile.U32(seed>>32)))
	v := min(tile.FMA(tile.F32T1[C](r), tile.F32T1[C](0x1p-32), tile.F32T1[C](0x1p-33)), tile.F32T1[C](1-0x1p-24))
	return tile.Where(v < 0x1p-7, v*(1+v*(0.5+v*(1./3))), -tile.Log(1-v))
}
