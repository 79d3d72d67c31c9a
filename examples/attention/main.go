// Command attention computes causal attention with grouped heads in one kernel, which never stores the matrix of
// scores.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// attention gives each block M queries of one head. Tensors are [batch, heads, sequence, D]; k is transposed: [batch,
// heads, D, sequence]. q may have a multiple of the number of heads of k and v; several heads of q then share a head of
// k and v. If there are more keys than queries, the queries belong to the last keys, as when a text is continued.
//
// The block loops over the keys, N at a time, and updates a softmax whenever it finds a greater score, as in the
// softmax example. Powers of 2 are cheaper than powers of e, so scale includes the factor between them.
func attention[M, N, D tile.Dim](q tile.In[tile.F16T4[tile.D1, tile.D1, M, D]], k tile.In[tile.F16T4[tile.D1, tile.D1, D, N]],
	v tile.In[tile.F16T4[tile.D1, tile.D1, N, D]], o tile.Out[tile.F16T4[tile.D1, tile.D1, M, D]], scale float32) {
	batch, head, i := o.Index(0), o.Index(1), o.Index(2)
	shared := head / (q.Len(1) / k.Len(1))
	keys := k.Len(3)
	past := keys - q.Len(2)

	query := tile.Reshape[tile.F16T2[M, D]](q.Load(batch, head, i, 0))
	row := tile.Reshape[tile.I32T2[M, tile.D1]](tile.I32T1[M](past+i*tile.Extent[M]()) + tile.Iota[M]())
	peak := tile.F32T2[M, tile.D1](-math.MaxFloat32)
	var sum tile.F32T2[M, tile.D1]
	var acc tile.F32T2[M, D]
	seen := min(past+(i+1)*tile.Extent[M](), keys) // number of keys that the last query of the block sees
	for j := range (seen + tile.Extent[N]() - 1) / tile.Extent[N]() {
		key := tile.Reshape[tile.F16T2[D, N]](k.Load(batch, shared, 0, j))
		score := tile.Dot(query, key, tile.F32T2[M, N](0)) * tile.F32T2[M, N](scale)
		col := tile.I32T1[N](j*tile.Extent[N]()) + tile.Iota[N]()
		score = tile.Where(tile.I32T2[M, N](col) <= tile.I32T2[M, N](row), score, tile.Inf[tile.F32T2[M, N]](-1))

		higher := max(peak, score.Max1())
		weight := tile.Exp2(score - tile.F32T2[M, N](higher))
		fade := tile.Exp2(peak - higher)
		sum = sum*fade + weight.Sum1()
		value := tile.Reshape[tile.F16T2[N, D]](v.Load(batch, shared, j, 0))
		acc = tile.Dot(tile.F16T2[M, N](weight), value, acc*tile.F32T2[M, D](fade))
		peak = higher
	}
	result := tile.F16T2[M, D](acc / tile.F32T2[M, D](sum))
	o.Store(tile.Reshape[tile.F16T4[tile.D1, tile.D1, M, D]](result))
}

// headDim is the extent that is passed to the kernel as D.
const headDim = 64

// attend queues o = attention(q, k, v), all [batch, heads, sequence, 64]. k is transposed by a view, without a copy.
func attend(ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[dtype.Float16]) error {
	scale := float32(math.Log2E / math.Sqrt(headDim))
	return cutile.Launch4With(ctx, on, attention[tile.D64, tile.D64, tile.D64], q, k.T(), v, o, scale)
}

func run(ctx context.Context, out io.Writer) error {
	dev, err := cutile.Open("")
	if err != nil {
		return err
	}
	defer dev.Close()
	p := problem{batch: 2, heads: 8, shared: 2, queries: 300, keys: 300}
	r, err := p.compare(ctx, dev, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "causal attention on %s\n", dev.Name())
	fmt.Fprintf(out, "queries  [%d %d %d %d]\n", p.batch, p.heads, p.queries, headDim)
	fmt.Fprintf(out, "keys     [%d %d %d %d]\n", p.batch, p.shared, p.keys, headDim)
	fmt.Fprintf(out, "greatest error %.1e\n", r)
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
