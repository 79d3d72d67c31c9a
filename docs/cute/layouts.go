// Package notebook holds the code of docs/cute.md: each block of Go there is a function here, and a test runs those that
// print and compares what they print.
package notebook

import (
	"fmt"

	"github.com/cutile-go/cutile/cute"
)

func first() {
	l := cute.MakeLayout(cute.S(4, 8), cute.S(1, 4))
	fmt.Println(l)
	fmt.Println(l.At(2, 3)) // 2*1 + 3*4
}

func grid(l cute.Layout) {
	fmt.Println(l)
	for i := range l.Size(0) {
		for j := range l.Size(1) {
			fmt.Printf("%4d", l.At(i, j))
		}
		fmt.Println()
	}
}

func orders() {
	grid(cute.MakeLayout(cute.S(2, 4)))                               // the first mode is fastest
	grid(cute.MakeOrderedLayout(cute.S(2, 4), cute.S(1, 0)))          // the mode of the lowest order is fastest
	grid(cute.MakeLayout(cute.S(2, 4), cute.S(5, 1)))                 // rows padded to 5
	grid(cute.MakeLayout(cute.S(2, 4), cute.S(0, 1)))                 // one row, seen twice
	fmt.Println(cute.MakeLayout(cute.S(2, 4), cute.S(5, 1)).Cosize()) // one more than the greatest offset
}

func nested() {
	l := cute.MakeLayout(cute.Nest(cute.I(2), cute.S(2, 4)), cute.Nest(cute.I(4), cute.S(1, 8)))
	grid(l)
	fmt.Println(l.Rank(), l.Depth(), l.Size(1), l.Shape(1), l.Stride(1, 0), l.Mode(1))
}

func coordinates() {
	l := cute.MakeLayout(cute.Nest(cute.I(2), cute.S(2, 4)), cute.Nest(cute.I(4), cute.S(1, 8)))
	crd := cute.IdxToCrd(11, l.Shape())
	fmt.Println(crd)
	fmt.Println(l.At(11), l.At(1, 5), l.Index(crd), l.Index(cute.Nest(cute.I(1), cute.S(1, 2))))
	fmt.Println(cute.ElemLess(cute.S(1, 5), cute.S(2, 6)), cute.ElemLess(cute.S(1, 6), cute.S(2, 6)))
}

func slices() {
	l := cute.MakeLayout(cute.S(4, 8), cute.S(8, 1))
	fmt.Println(l.Slice(cute.I(2), cute.All)) // a row
	fmt.Println(l.Slice(cute.All, cute.I(5))) // a column
}

func modes() {
	l := cute.MakeLayout(cute.S(4, 1, 8), cute.S(1, 4, 4))
	fmt.Println(cute.Coalesce(l))
	fmt.Println(cute.CoalesceBy(cute.GroupModes(l, 0, 2), cute.S(1, 1)))
	fmt.Println(cute.GroupModes(l, 1, 3))
	fmt.Println(cute.SelectModes(l, 2, 0))
	fmt.Println(cute.Append(l, cute.MakeLayout(cute.I(2), cute.I(32))))
	fmt.Println(cute.Filter(cute.MakeLayout(cute.S(4, 8), cute.S(0, 1))))
}

func composition() {
	a := cute.MakeLayout(cute.S(6, 2), cute.S(8, 2))
	b := cute.MakeLayout(cute.S(4, 3), cute.S(3, 1))
	r := cute.Composition(a, b)
	fmt.Println(r)
	fmt.Println(r.At(7), a.At(b.At(7)))
}

func byMode() {
	l := cute.MakeLayout(cute.S(12, 32), cute.S(32, 1))
	everyFourth := cute.MakeLayout(cute.I(3), cute.I(4))
	fmt.Println(cute.Composition(l, cute.Tile{everyFourth, cute.I(8)}))
	fmt.Println(cute.Composition(l, cute.S(3, 8)))
	fmt.Println(cute.Composition(l, cute.Tile{cute.All, cute.I(8)}))
}

func inverses() {
	l := cute.MakeLayout(cute.S(4, 2), cute.S(2, 1))
	fmt.Println(cute.RightInverse(l), cute.LeftInverse(l))
	padded := cute.MakeLayout(cute.S(4, 2), cute.S(4, 1))
	fmt.Println(cute.RightInverse(padded), cute.LeftInverse(padded))
	fmt.Println(cute.Complement(padded, 32))
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
	threads := cute.MakeLayout(cute.S(2, 2), cute.S(2, 1))
	values := cute.MakeLayout(cute.S(1, 2))
	tile, tv := cute.MakeLayoutTV(threads, values)
	fmt.Println(tile, tv)
	for thread := range tv.Size(0) {
		for value := range tv.Size(1) {
			fmt.Print(cute.IdxToCrd(tv.At(thread, value), tile), " ")
		}
		fmt.Println()
	}
}

func swizzles() {
	rows := cute.MakeLayout(cute.S(4, 8), cute.S(8, 1))
	grid(cute.Swizzle{Bits: 2, Base: 1, Shift: 2}.Of(rows))
}

func atoms() {
	swizzled := cute.Swizzle{Bits: 3, Base: 3, Shift: 3}.Of(cute.MakeLayout(cute.S(8, 64), cute.S(64, 1)))
	fmt.Println(cute.TileToShape(swizzled, cute.S(128, 64), cute.S(0, 1)))
	fmt.Println(swizzled.Inner())
}

func refused() {
	l := cute.Composition(cute.MakeLayout(cute.S(6, 2), cute.S(8, 2)), cute.MakeLayout(cute.I(5), cute.I(5)))
	fmt.Println(l)
	fmt.Println(cute.Coalesce(l).Err())
}
