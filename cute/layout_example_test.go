package cute_test

import (
	"fmt"

	"github.com/cutile-go/cutile/cute"
)

func ExampleMakeLayout() {
	l := cute.MakeLayout(cute.Nest(cute.I(2), cute.S(2, 4)), cute.Nest(cute.I(4), cute.S(1, 8)))
	fmt.Println(l, l.Size(), l.At(1, 3), l.Index(cute.Nest(cute.I(1), cute.S(1, 1))))
	// Output: (2,(2,4)):(4,(1,8)) 16 13 13
}

func ExampleComposition() {
	rows := cute.MakeLayout(cute.S(12, 32), cute.S(32, 1))
	everyFourth := cute.MakeLayout(cute.I(3), cute.I(4))
	fmt.Println(cute.Composition(rows, cute.Tile{everyFourth, cute.I(8)}))
	// Output: (3,8):(128,1)
}

func ExampleComplement() {
	fmt.Println(cute.Complement(cute.MakeLayout(cute.S(4, 2), cute.S(4, 1)), 32))
	// Output: (2,2):(2,16)
}

func ExampleZippedDivide() {
	tiles := cute.ZippedDivide(cute.MakeLayout(cute.S(64, 32)), cute.S(16, 8))
	fmt.Println(tiles, "of which one is", tiles.Slice(cute.All, cute.I(5)))
	// Output: ((16,8),(4,4)):((1,64),(16,512)) of which one is ((16,8)):((1,64))
}

func ExampleBlockedProduct() {
	block := cute.MakeLayout(cute.S(2, 4), cute.S(4, 1))
	fmt.Println(cute.BlockedProduct(block, cute.MakeLayout(cute.S(3, 5))))
	// Output: ((2,3),(4,5)):((4,8),(1,24))
}

// Four threads in two rows, each with two values side by side.
func ExampleMakeLayoutTV() {
	tile, tv := cute.MakeLayoutTV(cute.MakeOrderedLayout(cute.S(2, 2), cute.S(1, 0)), cute.MakeLayout(cute.S(1, 2)))
	fmt.Println(tile, tv)
	for thread := range tv.Size(0) {
		fmt.Println(thread, cute.IdxToCrd(tv.At(thread, 0), tile), cute.IdxToCrd(tv.At(thread, 1), tile))
	}
	// Output:
	// (2,4) ((2,2),2):((4,1),2)
	// 0 (0,0) (0,1)
	// 1 (0,2) (0,3)
	// 2 (1,0) (1,1)
	// 3 (1,2) (1,3)
}

func ExampleSwizzle_Of() {
	l := cute.Swizzle{Bits: 2, Base: 1, Shift: 2}.Of(cute.MakeLayout(cute.S(4, 8), cute.S(8, 1)))
	fmt.Println(l, l.At(0, 0), l.At(1, 0), l.At(2, 0), l.At(3, 0))
	// Output: S<2,1,2> o 0 o (4,8):(8,1) 0 10 20 30
}

func ExampleLayout_Err() {
	l := cute.Composition(cute.MakeLayout(cute.S(6, 2), cute.S(8, 2)), cute.MakeLayout(cute.I(5), cute.I(5)))
	fmt.Println(cute.Coalesce(l).Err())
	// Output: composition of (6,2):(8,2) and 5:5: neither the stride 5 nor the size 6 of a mode divides the other
}

// The first two modes follow one another without a gap, so that they are one.
func ExampleCoalesce() {
	fmt.Println(cute.Coalesce(cute.MakeLayout(cute.S(2, 3, 4), cute.S(1, 2, 10))))
	// Output: (6,4):(1,10)
}

// A vector of 24 elements in pairs that are 6 apart: mode 0 is inside of a pair, mode 1 counts the pairs.
func ExampleLogicalDivide() {
	fmt.Println(cute.LogicalDivide(cute.MakeLayout(cute.I(24)), cute.MakeLayout(cute.I(2), cute.I(6))))
	// Output: (2,(6,2)):(6,(1,12))
}

// Where a block goes as a whole in BlockedProduct, its elements are dealt out in turn here.
func ExampleRakedProduct() {
	l := cute.RakedProduct(cute.MakeLayout(cute.I(2)), cute.MakeLayout(cute.I(3)))
	fmt.Println(l)
	for i := range l.Size() {
		fmt.Print(l.At(i), " ")
	}
	// Output:
	// ((3,2)):((2,1))
	// 0 2 4 1 3 5
}

// The inverse leads from offsets to coordinates: in a row-major matrix the element at offset 1 is number 4 by columns.
func ExampleRightInverse() {
	rows := cute.MakeOrderedLayout(cute.S(4, 8), cute.S(1, 0))
	inverse := cute.RightInverse(rows)
	fmt.Println(inverse, inverse.At(1), rows.At(inverse.At(1)))
	// Output: (8,4):(4,1) 4 1
}

// A coordinate of a nested shape, by its number: the first mode counts fastest.
func ExampleIdxToCrd() {
	shape := cute.Nest(cute.I(2), cute.S(2, 4))
	crd := cute.IdxToCrd(11, shape)
	fmt.Println(crd, cute.CrdToIdx(crd, cute.MakeLayout(shape)))
	// Output: (1,(1,2)) 11
}
