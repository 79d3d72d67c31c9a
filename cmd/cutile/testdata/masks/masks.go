// Package masks holds a kernel whose masks cutile dump lists.
package masks

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var files embed.FS
var _ = cutile.Module(files)

// span is a part of a row.
type span[B tile.Dim] struct {
	from, to tile.I32T1[B]
}

// move counts on.
func (s *span[B]) move(by int) { s.from, s.to = s.from+tile.I32T1[B](by), s.to+tile.I32T1[B](by) }

// Masked has masks in every form: Go takes each for one truth value.
func Masked[B tile.Dim](x tile.In[tile.F32T1[B]], p tile.Ptr[float32], n int, flag bool, _ tile.Size[B], z tile.InOut[tile.F32T1[B]]) {
	v, at := x.Load(0), tile.Iota[B]()
	s := span[B]{to: tile.I32T1[B](n)}
	s.move(1)
	inside := s.from <= at && at < s.to
	positive, small := v > 0, (v < 1)
	neither := !(positive || small)
	if flag && n > 3 {
		neither = !neither
	}
	both := inside && neither
	none := n == 7
	if none {
		both = inside || positive
	}
	last := tile.Gather[tile.F32T1[B]](p, at, both, 0)
	z.Store(tile.Where(both, v, last), tile.BlockID(0))
}
