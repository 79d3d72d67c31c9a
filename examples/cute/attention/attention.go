// Package attention computes the forward pass of attention, O = softmax(Q K^T / sqrt(D)) V, in the way of flash
// attention: a block has some of the queries, loops over the keys, and updates the softmax on the way. Tensor cores
// multiply in float16, and sums are in float32. Scores never leave the registers.
package attention

import (
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Half is a tensor of queries, keys, values or results: (sequence, D, heads of all batches).
type Half = cute.Tensor[cute.Float16]

// Config determines how the work is divided. As the receiver of the kernel, it is static.
type Config struct {
	D      int  // extent of a head: 32, 64 or 128
	BM, BN int  // queries of a block, 16 for each warp, and keys of an iteration
	Causal bool // a query sees only keys up to its own position; the last query has the position of the last key
}

const vector = 8 // elements of a copy: 16 bytes

func (g Config) threads() int { return g.BM / 16 * 32 }

// Heads makes an argument of a contiguous tensor (heads, sequence, D) of a device.
func Heads(t *cutile.Tensor[dtype.Float16]) Half {
	order := []int{2, 0, 1} // order of the modes in memory, slowest first: heads, sequence, D
	return cute.Of[cute.Float16](t.Permute(1, 2, 0), cute.CompactDynamic(0, order, 1), cute.CompactDynamic(2, order, 1))
}

func (g Config) run(q, k, v, o Half) error {
	op := cute.MmaSync[cute.Float16, cute.Float16, float32](16, 8, 16)
	mma := cute.MakeTiledMma(op, cute.MakeLayout(cute.S(g.BM/16, 1, 1)), cute.I(g.BM), cute.I(16), cute.I(16))
	g.kernel(q, k, v, o, mma).Launch(cute.Launch{
		Grid:  cute.D3(cute.CeilDiv(q.Size(0), g.BM), q.Size(2), 1),
		Block: cute.D3(g.threads(), 1, 1),
	})
	return nil
}

func (g Config) kernel(q, k, v, o Half, mma cute.TiledMma) (_ cute.Kernel) {
	tid, block, head := cute.ThreadIdx().X, cute.BlockIdx().X, cute.I(cute.BlockIdx().Y)
	q, k, v, o = headOf(q, head), headOf(k, head), headOf(v, head), headOf(o, head)
	sQ, sK, sV := g.alloc(g.BM), g.alloc(g.BN), g.alloc(g.BN)
	loadQ, loadK, loadV := g.loader(tid, q, sQ), g.loader(tid, k, sK), g.loader(tid, v, sV)
	loadQ.start(block)
	loadK.start(0)
	cute.CpAsyncCommit()

	// Scores are Q (BM,D) times K (BN,D). Results are P (BM,BN) times V, which is (D,BN) as an operand.
	scores, results := g.product(mma, tid, sK, false), g.product(mma, tid, cute.SelectModes(sV, 1, 0), true)
	acc := cute.MakeAccumulators[float32](mma, cute.S(g.BM, g.D))
	soft := newSoftmax(g.D)
	all := cute.Identity(cute.S(q.Size(0), k.Size(0)))
	at := cute.PartitionC(mma.Slice(tid), cute.LocalTile(all, cute.S(g.BM, g.BN), cute.Nest(cute.I(block), cute.All)))

	for tile := range g.tiles(block, q.Size(0), k.Size(0)) {
		arrived() // the keys have arrived, and no thread needs the last values any more
		loadV.start(tile)
		cute.CpAsyncCommit()
		s := cute.MakeAccumulators[float32](mma, cute.S(g.BM, g.BN))
		scores.add(s, g.fragmentQ(mma, tid, sQ))
		arrived() // the values have arrived, and no thread needs the keys any more
		loadK.start(tile + 1)
		cute.CpAsyncCommit()

		g.mask(s, at.Slice(cute.All, cute.All, cute.All, cute.I(tile)), q.Size(0), k.Size(0))
		soft.step(s, acc)
		results.add(acc, asOperand(s))
	}
	cute.CpAsyncWaitAll()
	soft.finish(acc)
	g.store(mma.Slice(tid), acc, o, block)
	return
}

// tiles returns the number of tiles of keys that the queries of a block see.
func (g Config) tiles(block, queries, keys int) int {
	n := cute.CeilDiv(keys, g.BN)
	if g.Causal {
		last := (block+1)*g.BM + keys - queries // the index after the last key
		n = min(n, max(last+g.BN-1, 0)/g.BN)
	}
	return n
}

// mask sets the scores of keys that a query does not see to -Inf.
func (g Config) mask(s cute.Tensor[float32], at cute.CoordTensor, queries, keys int) {
	for i := range cute.Unroll(s.Size()) {
		query, key := at.At(i).At(0), at.At(i).At(1)
		seen := key < keys
		if g.Causal {
			seen = key < keys && key-query <= keys-queries
		}
		s.Set(cute.Select(seen, s.At(i), float32(math.Inf(-1))), i)
	}
}

// arrived waits until the copies of all threads have finished.
func arrived() {
	cute.CpAsyncWait(0)
	cute.SyncThreads()
}

func headOf(t Half, head cute.Coord) Half { return t.Slice(cute.All, cute.All, head) }

// Run computes O = softmax(Q K^T / sqrt(D)) V for each head. [Heads] makes the tensors.
var Run = cute.Jit(Config.run)
