package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file read and write memory: raw pointers, atomics, and loads after stores.

func gather[T tile.NumTile, E tile.NumElem](p tile.Ptr[E], at tile.In[tile.I32T1[tile.D16]], n int, z, w tile.Out[T]) {
	i := at.Load(z.Index(0))
	z.Store(tile.Gather[T](p, i, i >= 0 && i < tile.I32T1[tile.D16](n), 7))
	j := min(max(i, 0), tile.I32T1[tile.D16](n-1))
	w.Store(tile.Gather[T](p, tile.I64T1[tile.D16](j), true, 0))
}

func scatter[T tile.NumTile, E tile.NumElem](x tile.In[T], at tile.In[tile.U32T1[tile.D16]], p tile.Ptr[E], n int) {
	i := tile.BlockID(0)
	k := at.Load(i)
	lane := tile.I32T1[tile.D16](i*16) + tile.Iota[tile.D16]()
	tile.Scatter(p, k, x.Load(i), lane < tile.I32T1[tile.D16](n))
}

// offsets accesses elements at offsets of any type of integer.
func offsets[I tile.IntTile](p tile.Ptr[int32], at tile.In[I], q, sums, swapped tile.Ptr[int32], z tile.Out[tile.I32T1[tile.D16]]) {
	i := at.Load(z.Index(0))
	v := tile.Gather[tile.I32T1[tile.D16]](p, i, true, 0)
	z.Store(v)
	tile.Scatter(q, i, v, true)
	tile.AtomicAdd(sums, i, v, true)
	tile.CompareAndSwap(swapped, i, tile.I32T1[tile.D16](0), v, true)
}

// gather2 reads a table with offsets of rank 2.
func gather2[A, B tile.Dim](p tile.Ptr[float32], stride int, z tile.Out[tile.F32T2[A, B]]) {
	i := tile.Reshape[tile.I32T2[A, tile.D1]](tile.I32T1[A](z.Index(0)*tile.Extent[A]()) + tile.Iota[A]())
	j := tile.I32T1[B](z.Index(1)*tile.Extent[B]()) + tile.Iota[B]()
	at := tile.I32T2[A, B](i) + tile.I32T2[A, B](j)*tile.I32T2[A, B](stride)
	inside := tile.I32T2[A, B](i) < tile.I32T2[A, B](z.Len(0)) && tile.I32T2[A, B](j) < tile.I32T2[A, B](z.Len(1))
	z.Store(tile.Gather[tile.F32T2[A, B]](p, at, inside, 0))
}

// gatherOne reads and writes single elements.
func gatherOne(p tile.Ptr[float64], n int) {
	i := tile.BlockID(0)
	v := tile.Gather[tile.F64](p, tile.I64(i), true, 0)
	tile.Scatter(p, tile.I64(i+n), v*2, true)
}

func atomicAdd[T tile.NumTile, E tile.NumElem](x tile.In[tile.I32T1[tile.D16]], one tile.In[T], bins tile.Ptr[E]) {
	i := tile.BlockID(0)
	v := x.Load(i)
	tile.AtomicAdd(bins, v, one.Load(i), v >= 0)
}

// atomicOld uses what the addition gives: each lane its own ticket.
func atomicOld(counter tile.Ptr[int32], tickets tile.Ptr[int32], _ tile.Size[tile.D8]) {
	lane := tile.I32T1[tile.D8](0)
	old := tile.AtomicAdd(counter, lane, tile.I32T1[tile.D8](1), true)
	tile.Scatter(tickets, old, tile.I32T1[tile.D8](1), true)
}

// readBack loads what it stored, in a straight line, in loops and in branches.
func readBack(x tile.InOut[tile.I32T1[tile.D8]], n int) {
	x.Store(x.Load(0)+1, 0)
	x.Store(x.Load(0)*2, 0)
	for i := range n {
		x.Store(x.Load(i)*2+x.Load(0), i+1)
	}
	if n > 2 {
		x.Store(x.Load(1)+100, 1)
		if n > 3 {
			x.Store(x.Load(1)+1000, 0)
		}
	} else {
		x.Store(x.Load(1)-5, 0)
	}
	x.Store(x.Load(0)+x.Load(1), 2)
	for i := n; i > 0; i-- {
		if i%2 == 0 {
			x.Store(x.Load(i)+x.Load(i-1), i)
			continue
		}
		x.Store(x.Load(i-1)+1, i-1)
	}
}

// outTwice reads back the block's own tile.
func outTwice(x tile.In[tile.F32T2[tile.D4, tile.D4]], n int, z tile.Out[tile.F32T2[tile.D4, tile.D4]]) {
	z.Store(x.Load(z.Index(0), z.Index(1)))
	z.Store(z.Load() + 1)
	for range n {
		z.Store(z.Load() * 2)
	}
	if n > 1 {
		z.Store(z.Load() - 3)
	}
}

// pointerChain stores and loads through one pointer.
func pointerChain(p tile.Ptr[int64], n int, _ tile.Size[tile.D8]) {
	i := tile.Iota[tile.D8]()
	v := tile.Gather[tile.I64T1[tile.D8]](p, i, true, 0)
	tile.Scatter(p, 7-i, v, true)
	for k := range n {
		v = tile.Gather[tile.I64T1[tile.D8]](p, i, true, 0)
		if k%2 == 0 {
			tile.Scatter(p, (i+1)&7, v*3+1, true)
		} else {
			tile.AtomicAdd(p, i, v, i > 2)
		}
	}
	tile.Scatter(p, i+8, tile.Gather[tile.I64T1[tile.D8]](p, i, true, 0), true)
}

// swapHalves loads twice before it stores.
func swapHalves(x tile.InOut[tile.F32T1[tile.D8]]) {
	a, b := x.Load(0), x.Load(1)
	x.Store(b, 0)
	x.Store(a, 1)
}

// persistent walks over tiles with fewer blocks than tiles.
func persistent(x tile.In[tile.I32T2[tile.D4, tile.D8]], z tile.InOut[tile.I32T2[tile.D4, tile.D8]]) {
	columns := z.Tiles(1)
	for t := tile.BlockID(0); t < z.Tiles(0)*columns; t += tile.NumBlocks(0) {
		z.Store(x.Load(t/columns, t%columns)*2, t/columns, t%columns)
	}
}

// prints prints numbers and tiles, from some blocks.
func prints(x tile.In[tile.I32T1[tile.D4]], f float32) {
	i := tile.BlockID(0)
	v := x.Load(i)
	if i != 1 {
		tile.Print("block %d of %d: %v\n", i, tile.NumBlocks(0), v)
	}
	if i == 2 {
		tile.Print("f %.2f, hex %x, mask %v, 100%%\n", f, i+40, v > 3)
		for k := range 2 {
			tile.Print("turn %d\n", k)
		}
	}
}

// printsMany prints tiles that a thread of a GPU does not have in its registers, of three sizes of elements.
func printsMany(x tile.In[tile.I32T2[tile.D64, tile.D64]]) {
	v := x.Load(0, 0)
	tile.Print("%d, halves %v and %v.\n", v, tile.F16T2[tile.D64, tile.D64](v)/2, v > 100)
}

// asserts fails in one block.
func asserts(x tile.In[tile.I32T1[tile.D8]], z tile.Out[tile.I32T1[tile.D8]]) {
	v := x.Load(z.Index(0))
	tile.Assert(v >= 0, "x must not be negative") // here
	z.Store(v)
}

func assertsDeep(n int, z tile.Out[tile.I32T1[tile.D8]]) {
	for i := range n {
		demand(i < 3)
	}
	z.Store(1)
}

func demand(ok bool) {
	tile.Assert(ok, "too far") // deep
}

// quotients divides numbers that may be zero.
func quotients(m, n int, z tile.Out[tile.I32T1[tile.D8]]) {
	v := int32(100 / m) // quotient
	if n < 100 {
		v += int32(77 % n) // remainder
	} else {
		v += int32(n)
	}
	z.Store(tile.I32T1[tile.D8](v))
}

// aheadSkips leaves one tile of b out, for which the index of a's would be a number divided by zero: loops that copy tiles ahead compute it.
func aheadSkips(a tile.In[tile.I8T2[tile.D64, tile.D32]], b tile.In[tile.I8T2[tile.D32, tile.D64]], c tile.Out[tile.I32T2[tile.D64, tile.D64]], skip int) {
	var sum tile.I32T2[tile.D64, tile.D64]
	for k := range b.Tiles(0) {
		if off := k - skip; off != 0 {
			sum = tile.DotInt(a.Load(0, 1/(off*off)), b.Load(k, 0), sum)
		}
	}
	c.Store(sum)
}

// aheadGroups loads a tile for several turns, of which there are none where each is 0.
func aheadGroups(a tile.In[tile.I8T2[tile.D64, tile.D32]], b tile.In[tile.I8T2[tile.D32, tile.D64]], c tile.Out[tile.I32T2[tile.D64, tile.D64]], each int) {
	var sum tile.I32T2[tile.D64, tile.D64]
	for k := range 2 * each {
		sum = tile.DotInt(a.Load(0, k/each), b.Load(k, 0), sum)
	}
	c.Store(sum)
}

// squares multiplies a tile by itself, as both factors.
func squares(a tile.In[tile.I8T2[tile.D64, tile.D64]], c tile.Out[tile.I32T2[tile.D64, tile.D64]], n int) {
	x := a.Load(0, 0)
	var sum tile.I32T2[tile.D64, tile.D64]
	for range n {
		sum = tile.DotInt(x, x, sum)
	}
	c.Store(sum)
}

// outside reads beyond the end of memory, which the CPU engine refuses.
func outside(p tile.Ptr[float32], z tile.Out[tile.F32T1[tile.D8]]) {
	z.Store(tile.Gather[tile.F32T1[tile.D8]](p, tile.Iota[tile.D8]()*100, true, 0)) // beyond
}

// addEmpty adds a tensor without elements, which reads as zeros.
//
//cutile:outside
func addEmpty(x, y tile.In[tile.F32T1[tile.D8]], z tile.Out[tile.F32T1[tile.D8]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i) + y.Load(0))
}

// lazyLoads reads memory on the right of && and ||, only where Go would: elsewhere the offset lies outside.
func lazyLoads(p tile.Ptr[int32], n int, z tile.Out[tile.I32T1[tile.D1]]) {
	hits := 0
	for i := -3; i < n+3; i++ {
		if i >= 0 && i < n && tile.Gather[tile.I32](p, tile.I32(i), true, 0) > 0 {
			hits++
		}
		if i < 0 || i >= n || tile.Gather[tile.I32](p, tile.I32(i), true, 0) == 0 {
			hits += 100
		}
	}
	z.Store(tile.I32T1[tile.D1](hits))
}
