package shape

import (
	"reflect"

	"github.com/cutile-go/cutile"
)

// Fit is the extent of a tile that holds n elements: the least power of two that does, but from least to most.
func Fit(n, least, most int) int {
	p := least
	for p < n && p < most {
		p *= 2
	}
	return p
}

// Together is how many of n rows share a tile of most elements, each of which takes extent of them: a power of two, one at least.
func Together(n, extent, most int) int { return Fit(n, 1, max(1, most/extent)) }

// Tiles is how many tiles of an extent cover n elements.
func Tiles(n, extent int) int { return (n + extent - 1) / extent }

// Grid gives a target the grid that a function chooses. Where that is impossible, because the target is nil or has one
// already, the error says so.
func Grid(function string, on cutile.Target, x int, yz ...int) (cutile.Target, error) {
	type queue interface {
		Grid(x int, yz ...int) cutile.Target
	}
	if v := reflect.ValueOf(on); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, Wrong(function, "the target is nil: give a device or a stream")
	}
	q, ok := on.(queue)
	if !ok {
		return nil, Wrong(function, "the grid follows from the shapes: give a device or a stream without a grid")
	}
	return q.Grid(x, yz...), nil
}
