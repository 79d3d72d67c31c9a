// Package notebook holds the code of docs/cute.md: each block of Go there is a function here, and a test runs those that
// print and compares what they print.
package notebook

import (
	"fmt"

	"github.com/cutile-go/cutile/cute"
)

func grid(l cute.Layout) {
	fmt.Println(l)
	for i := range l.Size(0) {
		for j := range l.Size(1) {
			fmt.Printf("%4d", l.At(i, j))
		}
		fmt.Println()
	}
}

func strides() {
	grid(cute.MakeLayout(cute.S(2, 4), cute.S(1, 2)))
	grid(cute.MakeOrderedLayout(cute.S(2, 4), cute.S(1, 0))) // no gaps; the mode of the lowest order is fastest
	grid(cute.MakeLayout(cute.S(2, 4), cute.S(5, 1)))        // rows padded to 5
	grid(cute.MakeLayout(cute.S(2, 4), cute.S(0, 1)))        // one row, seen twice
}

func nested() {
	l := cute.MakeLayout(cute.Nest(cute.I(2), cute.S(2, 4)), cute.Nest(cute.I(4), cute.S(1, 8)))
	grid(l)
	fmt.Println(l.Size(), l.Cosize(), l.Rank(), l.Depth(), l.Shape(1), l.Stride(1, 0), l.Mode(1))

	crd := cute.IdxToCrd(11, l.Shape())
	fmt.Println(crd, l.Index(crd), l.At(1, 5), l.At(11))
	fmt.Println(cute.ElemLess(cute.S(1, 5), cute.S(2, 6)), cute.ElemLess(cute.S(1, 6), cute.S(2, 6)))
	fmt.Println(l.Slice(cute.I(1), cute.All), l.Slice(cute.All, cute.I(5)))
}

func modes() {
	l := cute.MakeLayout(cute.S(4, 1, 8), cute.S(1, 4, 4))
	fmt.Println(cute.Coalesce(l))
	fmt.Println(cute.CoalesceBy(cute.GroupModes(l, 0, 2), cute.S(1, 1)))
	fmt.Println(cute.GroupModes(l, 1, 3))
	fmt.Println(cute.SelectModes(l, 2, 0))
	fmt.Println(cute.Append(l, cute.MakeLayout(cute.I(2), cute.I(32))))
}

func composition() {
	a := cute.MakeLayout(cute.S(6, 2), cute.S(8, 2))
	b := cute.MakeLayout(cute.S(4, 3), cute.S(3, 1))
	r := cute.Composition(a, b)
	fmt.Println(r, r.At(7), a.At(b.At(7)))

	rows := cute.MakeLayout(cute.S(12, 32), cute.S(32, 1))
	everyFourth := cute.MakeLayout(cute.I(3), cute.I(4))
	fmt.Println(cute.Composition(rows, cute.Tile{everyFourth, cute.I(8)}))
	fmt.Println(cute.Composition(rows, cute.Tile{cute.All, cute.I(8)}))
	fmt.Println(cute.Composition(rows, cute.S(3, 8)))
}

func inverses() {
	l := cute.MakeLayout(cute.S(4, 2), cute.S(4, 1)) // leaves out offsets 2, 3, 6, 7 and so on
	fmt.Println(cute.RightInverse(l), cute.LeftInverse(l), cute.Complement(l, 32))
}

func divides() {
	matrix, tile := cute.MakeLayout(cute.S(64, 32)), cute.S(16, 8)
	vector, pairs := cute.MakeLayout(cute.I(24)), cute.MakeLayout(cute.I(2), cute.I(6))
	fmt.Println("logical", cute.LogicalDivide(vector, pairs))
	fmt.Println("by mode", cute.LogicalDivide(matrix, tile))
	fmt.Println("zipped ", cute.ZippedDivide(matrix, tile))
	fmt.Println("tiled  ", cute.TiledDivide(matrix, tile))
	fmt.Println("flat   ", cute.FlatDivide(matrix, tile))
}

func products() {
	block, by := cute.MakeLayout(cute.S(2, 4), cute.S(4, 1)), cute.MakeLayout(cute.S(3, 5))
	fmt.Println("logical", cute.LogicalProduct(block, by))
	fmt.Println("zipped ", cute.ZippedProduct(block, by))
	fmt.Println("tiled  ", cute.TiledProduct(block, by))
	fmt.Println("flat   ", cute.FlatProduct(block, by))
	fmt.Println("blocked", cute.BlockedProduct(block, by))
	fmt.Println("raked  ", cute.RakedProduct(block, by))
}

func owners() {
	threads := cute.MakeOrderedLayout(cute.S(2, 2), cute.S(1, 0))
	values := cute.MakeLayout(cute.S(1, 2))
	tile, tv := cute.MakeLayoutTV(threads, values)
	fmt.Println(tile, tv)
	for thread := range tv.Size(0) {
		fmt.Println(thread, cute.IdxToCrd(tv.At(thread, 0), tile), cute.IdxToCrd(tv.At(thread, 1), tile))
	}
}

func swizzles() {
	swizzle := cute.Swizzle{Bits: 2, Base: 1, Shift: 2}
	rows := swizzle.Of(cute.MakeLayout(cute.S(4, 8), cute.S(8, 1)))
	grid(rows)
	fmt.Println(cute.TileToShape(rows, cute.S(64, 8), cute.S(0, 1)), rows.Inner())
}
