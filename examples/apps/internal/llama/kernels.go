package llama

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// The kernel compiler reads the source of kernels at run time.
//
//go:embed kernels.go
var source embed.FS
var _ = cutile.Module(source)

// biasRows computes y = y + bias for each row of y [rows, cols].
func biasRows[E tile.FloatElem, R, C tile.Dim](bias tile.In[tile.F32T1[C]], y tile.Out[tile.FloatTile2[E, R, C]]) {
	b := tile.F32T2[R, C](bias.LoadUnpadded(y.Index(1)))
	y.Store(tile.FloatTile2[E, R, C](tile.F32T2[R, C](y.LoadUnpadded()) + b))
}

// addRow queues y = y + bias for each row of y [rows, cols].
func addRow[E float](ctx context.Context, on cutile.Target, bias *cutile.Tensor[float32], y *cutile.Tensor[E]) error {
	return cutile.Launch(ctx, on, biasRows[E, tile.D8, tile.D128], bias, y)
}

// discourage divides the logits of tokens that are in a text by a penalty, or multiplies them if they are negative. A block has B of
// the ids. No id is there twice. (N. S. Keskar and others, CTRL, 2019.)
func discourage[B tile.Dim](logits tile.Ptr[float32], ids tile.In[tile.I32T1[B]], cols int, penalty float32) {
	at := tile.I32T1[B](tile.BlockID(0)*tile.Extent[B]()) + tile.Iota[B]()
	id := tile.I64T1[B](ids.Load(tile.BlockID(0)))
	there := at < tile.I32T1[B](ids.Len(0)) && id >= 0 && id < tile.I64T1[B](cols)
	x := tile.Gather[tile.F32T1[B]](logits, id, there, 0)
	p := tile.F32T1[B](penalty)
	tile.Scatter(logits, id, tile.Where(x > 0, x/p, x*p), there)
}

// Discourage queues the penalty for repeated tokens: ids are those of the text, each once, and logits is one row.
func Discourage(ctx context.Context, logits *cutile.Tensor[float32], ids []int32, penalty float32) error {
	if len(ids) == 0 || penalty == 1 {
		return nil
	}
	dev := logits.Device()
	list, err := cutile.FromSlice(dev, ids)
	if err != nil {
		return err
	}
	defer list.Close() // after the kernel
	const at = 256
	row := logits.Span()
	return cutile.Launch(ctx, dev.Grid((len(ids)+at-1)/at), discourage[tile.D256], row, list, logits.Len(), penalty)
}
