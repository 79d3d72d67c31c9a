package tileblas

import (
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go
var source embed.FS
var _ = cutile.Module(source)

// product computes c = a·b. The store right behind the loop lets the CPU engine write sums from its registers to c.
//
//cutile:entry
func product[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	c tile.Out[tile.FloatTile2[E, M, N]]) {
	c.Store(sum(a, b, c.Index(0), c.Index(1)))
}

// update computes c = alpha·a·b + beta·c. Where beta is 0 it does not read c, which may hold NaN.
//
//cutile:entry
func update[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	c tile.Out[tile.FloatTile2[E, M, N]], alpha, beta E) {
	x := tile.FloatTile2[E, M, N](alpha) * sum(a, b, c.Index(0), c.Index(1))
	if beta != 0 {
		x = tile.FMA(tile.FloatTile2[E, M, N](beta), c.Load(), x)
	}
	c.Store(x)
}

// sum is the tile (i, j) of a·b.
func sum[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	i, j int) tile.FloatTile2[E, M, N] {
	var s tile.FloatTile2[E, M, N]
	for k := range a.Tiles(1) {
		s = tile.Dot(a.Load(i, k), b.Load(k, j), s)
	}
	return s
}

// one stands for the extents of kernels that get others from cutile.Sized.
type one = tile.D1

// block is the work of one block of a launch: m by n elements of c, k products of each at a time.
type block struct{ m, n, k int }

// kernels are the two kernels for blocks of one size.
type kernels struct{ product, update *cutile.Kernel }

// kernelsOf gives the kernels for a type and blocks of a size. Generic kernels are found by their lines: each has its own.
func kernelsOf[E float](b block) kernels {
	return kernels{
		product: cutile.Sized(product[E, one, one, one], b.m, b.n, b.k),
		update:  cutile.Sized(update[E, one, one, one], b.m, b.n, b.k),
	}
}

// The extents that blocks may have, of the result and of the sums.
var (
	blocksMN = []int{128, 64, 32, 16}
	blocksK  = []int{64, 16}
)

// What a block costs beside its elements, as if its extents were larger, and what a launch costs. The unit is a multiplication of
// the largest blocks. A launch computes blocks as a whole, also beyond the end of a matrix: small blocks compute less there and
// cost more.
const (
	costMN     = 12
	costK      = 1
	costLaunch = 350_000
)

// blockFor chooses blocks for a product of m by n elements with sums of k products, and says what a launch with them costs.
func blockFor(m, n, k int) (b block, cost int) {
	var costM, costN, costSum int
	b.m, costM = fit(m, blocksMN, costMN)
	b.n, costN = fit(n, blocksMN, costMN)
	b.k, costSum = fit(k, blocksK, costK)
	return b, costM*costN*costSum + costLaunch
}

// fit chooses the cheapest blocks that cover n, the largest ones if costs are equal.
func fit(n int, sizes []int, extra int) (size, cost int) {
	cost = math.MaxInt
	for _, s := range sizes {
		if all := (n + s - 1) / s * (s + extra); all < cost {
			size, cost = s, all
		}
	}
	return size, cost
}
