package tile

import "github.com/cutile-go/cutile/dtype"

// Dim is an extent: one of [D1] to [D65536], or a [Product] or [Quotient] of extents.
type Dim interface{ extent() int }

// FloatElem lists the element types of a [FloatTile]. Those of 16, 32 and 64 bits support arithmetic; the others can only be
// loaded, stored, converted and multiplied as matrices.
type FloatElem interface {
	float32 | float64 | dtype.Float16 | dtype.BFloat16 | dtype.TensorFloat32 |
		dtype.Float8E4M3FN | dtype.Float8E5M2 | dtype.Float8E8M0FNU | dtype.Float8E5M3FNU | dtype.Float4E2M1FN
}

// IntElem lists the element types of a signed integer tile. Those of 4 bits can only be unpacked from bytes and converted.
type IntElem interface {
	int8 | int16 | int32 | int64 | dtype.Int4
}

// UintElem lists the element types of an unsigned integer tile.
type UintElem interface {
	uint8 | uint16 | uint32 | uint64
}

// NumElem lists the element types of memory except bool.
type NumElem interface {
	FloatElem | IntElem | UintElem
}

// Tile is any tile type.
type Tile interface{ tile() }

// FloatTile is any tile of floats.
type FloatTile interface {
	~float64
	Tile
}

// SignedTile is any tile of signed integers.
type SignedTile interface {
	~int64
	Tile
}

// IntTile is any tile of integers, signed or not.
type IntTile interface {
	~int64 | ~uint64
	Tile
}

// SignedNumTile is any tile of floats or signed integers.
type SignedNumTile interface {
	~float64 | ~int64
	Tile
}

// NumTile is any tile of numbers.
type NumTile interface {
	~float64 | ~int64 | ~uint64
	Tile
}

// Elem is a tile type whose elements have type E in memory. The Go compiler uses it to match a kernel's parameters with tensors
// when it checks a launch.
type Elem[E any] interface {
	Tile
	ElemOf(E)
}
