package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file add to each element the number of its tile in the order in which blocks own tiles, which shows the
// order, and that each tile is met once.

func turn(n int) int { return tile.BlockID(0) + n*tile.NumBlocks(0) }

func owned1[A dims](x tile.Persistent[tile.I32T1[A]]) {
	for n := range x.Count() {
		x.Store(x.Load(n)+tile.I32T1[A](turn(n)), n)
	}
}

func owned2[A, B dims](x tile.Persistent[tile.I32T2[A, B]]) {
	for n := range x.Count() {
		x.Store(x.Load(n)+tile.I32T2[A, B](turn(n)), n)
	}
}

// owned2In adds elements of the same place, which its index names.
func owned2In[A, B dims](x tile.In[tile.I32T2[A, B]], z tile.Persistent[tile.I32T2[A, B]]) {
	tile.RequireSame(x, z)
	z = z.Grouped(3)
	for n := range z.Count() {
		z.Store(z.Load(n)+x.Load(z.Index(n, 0), z.Index(n, 1))*tile.I32T2[A, B](turn(n)), n)
	}
}

func owned3[A, B, C dims](x tile.Persistent[tile.I32T3[A, B, C]]) {
	g := x.Grouped(2)
	for n := range g.Count() {
		g.Store(g.Load(n)+tile.I32T3[A, B, C](turn(n)), n)
	}
}

// owned4 walks through its tiles from the last to the first, two views of one tensor in turn.
func owned4[A, B, C, D dims](x tile.Persistent[tile.I32T4[A, B, C, D]]) {
	for i := range x.Count() {
		n := x.Count() - 1 - i
		x.Store(x.Load(n)+tile.I32T4[A, B, C, D](turn(n)), n)
	}
	g := x.Grouped(1)
	for n := range g.Count() {
		if n%2 == 1 {
			continue
		}
		t := g.Load(n)
		g.Store(-t, n)
	}
}
