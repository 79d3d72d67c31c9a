package engine

// Checking is a stream of a device that can look, while a kernel runs, for what a GPU leaves undefined.
type Checking interface {
	// LaunchChecked is Launch for a kernel that is watched. w is kept until the kernel has ended.
	LaunchChecked(k Kernel, grid [3]uint32, args []uint64, w *Watch) error
}

// Watch says what a launch that is watched was given, so that mistakes can be told in its terms.
type Watch struct {
	Outside bool // tiles wholly outside their views are meant
	Tensors []Tensor
}

// Tensor is a tensor whose address is among the arguments.
type Tensor struct {
	Arg     int    // among the bits of the launch: the address of the first element
	Name    string // of the kernel's parameter
	Pointer bool   // the kernel counts its elements one behind another
	Size    int    // bytes of an element
	Shape   []int
	Strides []int // in elements
	Writes  bool  // the kernel may write it
}

// Bytes is how many bytes of memory there are from the first element to the last.
func (t *Tensor) Bytes() int64 {
	last := 0
	for axis, n := range t.Shape {
		if n == 0 {
			return 0
		}
		last += (n - 1) * t.Strides[axis]
	}
	return int64((last + 1) * t.Size)
}
