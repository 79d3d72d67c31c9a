package cute

// Tensor is elements at a layout: a view of memory. [Of] makes one of a tensor of a device; in a kernel others are made
// by slicing and dividing, in shared memory and in registers.
type Tensor[T Elem] struct {
	layout Layout
	memory any // in the program that calls: what its elements are in
	err    error
}

// Slice keeps the modes that [All] stands for in a coordinate, and moves to the coordinate in the others:
// t.Slice(cute.All, cute.I(3)) is column 3.
//
//cutile:intrinsic slice
func (t Tensor[T]) Slice(crd ...Coord) Tensor[T] { panic(deviceOnly) }

// Layout is the layout.
//
//cutile:intrinsic layout
func (t Tensor[T]) Layout() Layout { return t.hostLayout() }

// Shape is the shape, of the mode at a path where one is given.
//
//cutile:intrinsic shape
func (t Tensor[T]) Shape(path ...int) Shape { return t.hostLayout().Shape(path...) }

// Stride is the stride in elements, of the mode at a path where one is given.
//
//cutile:intrinsic stride
func (t Tensor[T]) Stride(path ...int) Stride { return t.hostLayout().Stride(path...) }

// Size is the number of elements, of the mode at a path where one is given.
//
//cutile:intrinsic size
func (t Tensor[T]) Size(path ...int) int { return t.hostLayout().Size(path...) }

// Rank is the number of modes.
//
//cutile:intrinsic rank
func (t Tensor[T]) Rank() int { return t.hostLayout().Rank() }

// At reads the element at a coordinate: an integer for each mode, or one for all.
//
//cutile:intrinsic at
func (t Tensor[T]) At(crd ...int) T { panic(deviceOnly) }

// Set writes the element at a coordinate.
//
//cutile:intrinsic set
func (t Tensor[T]) Set(v T, crd ...int) { panic(deviceOnly) }

// AtCoord reads the element at a nested coordinate.
//
//cutile:intrinsic atcoord
func (t Tensor[T]) AtCoord(crd Coord) T { panic(deviceOnly) }

// SetCoord writes the element at a nested coordinate.
//
//cutile:intrinsic setcoord
func (t Tensor[T]) SetCoord(v T, crd Coord) { panic(deviceOnly) }

// Load reads all elements of a tensor of static size.
//
//cutile:intrinsic loadvec
func (t Tensor[T]) Load() Vec[T] { panic(deviceOnly) }

// Store writes all elements of a tensor of static size.
//
//cutile:intrinsic storevec
func (t Tensor[T]) Store(v Vec[T]) { panic(deviceOnly) }

// Fill writes one number to all elements of a tensor of static size.
//
//cutile:intrinsic storevec
func (t Tensor[T]) Fill(v T) { panic(deviceOnly) }

// WithLayout is the memory of a tensor under another layout.
//
//cutile:intrinsic maketensor
func (t Tensor[T]) WithLayout(l Layout) Tensor[T] { panic(deviceOnly) }

// Recast is the memory of a tensor as elements of another width. Wider ones must begin where narrow ones do: the tensor's
// offset, and its strides, must be whole numbers of them. What is not is refused where it is static; a device with
// cutile.WithChecks reports it where it is dynamic.
//
//cutile:intrinsic recasttensor
func Recast[To, From Elem](t Tensor[From]) Tensor[To] { panic(deviceOnly) }

// MakeRmem is a tensor in the registers of each thread, all zero. Its elements are at static coordinates.
//
//cutile:intrinsic rmem
func MakeRmem[T Elem](shape Shape) Tensor[T] { panic(deviceOnly) }

// MakeRmemLayout is a tensor in registers with a layout.
//
//cutile:intrinsic rmem
func MakeRmemLayout[T Elem](l Layout) Tensor[T] { panic(deviceOnly) }

// MakeFragmentLike is a tensor in registers for a copy of another one: without gaps, the modes in the other's order.
//
//cutile:intrinsic rmemlike
func MakeFragmentLike[T Elem](t Tensor[T]) Tensor[T] { panic(deviceOnly) }

// CoordTensor maps coordinates to coordinates. Divided and sliced like the tensor beside it, it tells which element of the
// whole a place is: a predicate for edges.
type CoordTensor struct{ _ [0]func() }

// Identity maps each coordinate in a shape to itself.
//
//cutile:intrinsic identity
func Identity(s Shape) CoordTensor { panic(deviceOnly) }

// At is the coordinate at a coordinate.
//
//cutile:intrinsic crdat
func (t CoordTensor) At(crd ...int) Coord { panic(deviceOnly) }

// Slice is as [Tensor.Slice].
//
//cutile:intrinsic slice
func (t CoordTensor) Slice(crd ...Coord) CoordTensor { panic(deviceOnly) }

// Layout is the layout, whose strides are steps along modes.
//
//cutile:intrinsic layout
func (t CoordTensor) Layout() Layout { panic(deviceOnly) }

// Shape is the shape, of the mode at a path where one is given.
//
//cutile:intrinsic shape
func (t CoordTensor) Shape(path ...int) Shape { panic(deviceOnly) }

// Size is the number of coordinates, of the mode at a path where one is given.
//
//cutile:intrinsic size
func (t CoordTensor) Size(path ...int) int { panic(deviceOnly) }

// LocalTile divides by a tiler and takes the tiles at a coordinate, in which [All] keeps a mode of tiles behind those of
// the tile: LocalTile(a, S(128, 32), Nest(I(bx), All)) is (128,32,k).
//
//cutile:intrinsic localtile
func LocalTile[V View[V]](v V, tiler Tiler, crd Coord) V { panic(deviceOnly) }

// LocalPartition deals a tensor out to threads: what thread idx gets.
//
//cutile:intrinsic localpartition
func LocalPartition[V View[V]](v V, threads Layout, idx int) V { panic(deviceOnly) }

// DomainOffset moves a tensor by a coordinate, which may be negative.
//
//cutile:intrinsic domainoffset
func DomainOffset[V View[V]](crd Coord, v V) V { panic(deviceOnly) }
