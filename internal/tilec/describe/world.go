// Package describe declares the language of tile kernels to the front end, and says what Go types mean to Tile IR.
package describe

import (
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
)

// World is a world of the language, which remembers what types mean. Under its lock, as the world itself.
type World struct {
	*world.World
	descs map[types.Type]*Desc
}

// Load gives the world around some roots. Worlds are kept for the life of the process.
func Load(roots []world.Symbol) (*World, error) {
	w, err := Language.Load(roots)
	if err != nil {
		return nil, err
	}
	return Of(w), nil
}

// Of is a world of [Language] with what is known of its types: one for each world.
func Of(w *world.World) *World { return w.Extension.(*World) }

func extend(w *world.World) any { return &World{w, map[types.Type]*Desc{}} }
