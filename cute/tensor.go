package cute

// Tensor is a view of memory with a layout. [Of] makes one from a tensor of a device; kernels make others by slicing and
// dividing, and in shared memory and registers.
type Tensor[T Elem] struct {
	layout Layout
	memory any // in the calling program: the memory of its elements
	err    error
}

// Slice keeps the modes for which the coordinate has [All], and fixes the others at the coordinate: t.Slice(cute.All,
// cute.I(3)) is column 3.
//
//cutile:intrinsic slice
func (t Tensor[T]) Slice(crd ...Coord) Tensor[T] { panic(deviceOnly) }

// Layout returns the layout.
//
//cutile:intrinsic layout
func (t Tensor[T]) Layout() Layout { return t.hostLayout() }

// Shape returns the shape, or that of the mode at a path.
//
//cutile:intrinsic shape
func (t Tensor[T]) Shape(path ...int) Shape { return t.hostLayout().Shape(path...) }

// Stride returns the stride in elements, or that of the mode at a path.
//
//cutile:intrinsic stride
func (t Tensor[T]) Stride(path ...int) Stride { return t.hostLayout().Stride(path...) }

// Size returns the number of elements, or that of the mode at a path.
//
//cutile:intrinsic size
func (t Tensor[T]) Size(path ...int) int { return t.hostLayout().Size(path...) }

// Rank returns the number of modes.
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

// WithLayout returns a view of the tensor's memory with another layout.
//
//cutile:intrinsic maketensor
func (t Tensor[T]) WithLayout(l Layout) Tensor[T] { panic(deviceOnly) }

// Recast returns a view of the tensor's memory as elements of another width. The tensor's offset and strides must be whole
// numbers of the wider elements. Static ones that are not are refused; a device with cutile.WithChecks reports dynamic ones.
//
//cutile:intrinsic recasttensor
func Recast[To, From Elem](t Tensor[From]) Tensor[To] { panic(deviceOnly) }

// MakeRmem returns a tensor in the registers of each thread, all zero. It is only accessed at static coordinates.
//
//cutile:intrinsic rmem
func MakeRmem[T Elem](shape Shape) Tensor[T] { panic(deviceOnly) }

// MakeRmemLayout is [MakeRmem] with a layout.
//
//cutile:intrinsic rmem
func MakeRmemLayout[T Elem](l Layout) Tensor[T] { panic(deviceOnly) }

// MakeFragmentLike returns a tensor in registers that can hold a copy of another one: without gaps, with the modes in the same
// order.
//
//cutile:intrinsic rmemlike
func MakeFragmentLike[T Elem](t Tensor[T]) Tensor[T] { panic(deviceOnly) }

// CoordTensor maps coordinates to coordinates. Divided and sliced like a tensor, it gives the coordinate of each
// element in the whole tensor, for example to compute predicates at edges.
type CoordTensor struct{ _ [0]func() }

// Identity returns the CoordTensor that maps each coordinate in a shape to itself.
//
//cutile:intrinsic identity
func Identity(s Shape) CoordTensor { panic(deviceOnly) }

// At returns the coordinate to which a coordinate is mapped.
//
//cutile:intrinsic crdat
func (t CoordTensor) At(crd ...int) Coord { panic(deviceOnly) }

// Slice is like [Tensor.Slice].
//
//cutile:intrinsic slice
func (t CoordTensor) Slice(crd ...Coord) CoordTensor { panic(deviceOnly) }

// Layout returns the layout, whose strides are steps along modes.
//
//cutile:intrinsic layout
func (t CoordTensor) Layout() Layout { panic(deviceOnly) }

// Shape returns the shape, or that of the mode at a path.
//
//cutile:intrinsic shape
func (t CoordTensor) Shape(path ...int) Shape { panic(deviceOnly) }

// Size returns the number of coordinates, or that of the mode at a path.
//
//cutile:intrinsic size
func (t CoordTensor) Size(path ...int) int { panic(deviceOnly) }

// LocalTile divides by a tiler and selects the tiles at a coordinate. For [All] in the coordinate, a mode of tiles follows the
// modes of the tile: LocalTile(a, S(128, 32), Nest(I(bx), All)) has the shape (128,32,k).
//
//cutile:intrinsic localtile
func LocalTile[V View[V]](v V, tiler Tiler, crd Coord) V { panic(deviceOnly) }

// LocalPartition distributes a tensor over threads and returns the part of thread idx.
//
//cutile:intrinsic localpartition
func LocalPartition[V View[V]](v V, threads Layout, idx int) V { panic(deviceOnly) }

// DomainOffset moves a tensor by a coordinate, which may be negative.
//
//cutile:intrinsic domainoffset
func DomainOffset[V View[V]](crd Coord, v V) V { panic(deviceOnly) }
