package cute_test

import "github.com/cutile-go/cutile/tile"

func negate(x tile.InOut[tile.F32T1[tile.D4]]) { x.Store(-x.Load(0), 0) }
