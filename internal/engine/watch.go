package engine

import (
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/tileir"
)

// Checking is a stream of a device that can look, while a kernel runs, for what a GPU leaves undefined.
type Checking interface {
	// LaunchChecked is Launch for a kernel that is watched. w is kept until the kernel has ended.
	LaunchChecked(k Kernel, grid [3]uint32, args []uint64, w *Watch) error
}

// Watch says what a launch that is watched was given, so that mistakes can be told in its terms.
type Watch struct {
	Outside bool   // tiles wholly outside their views are meant
	Allow   string // what says so, as part of a message; "" for the directive of Go
	Tensors []Tensor
	Find    *Store // a store to look for; nil for none
}

// Store asks which store is the last one to a byte. The launch fills what follows Address; several blocks may store there one after the
// other.
type Store struct {
	Address uint64 // as a parameter of the launch has it
	Found   bool
	Block   [3]uint32
	Loc     tileir.Loc
	Op      string // its name for users
	Blocks  int    // how many blocks stored there, one after another
}

// Note notes a store.
func (s *Store) Note(block [3]uint32, loc tileir.Loc, op string) {
	if !s.Found || s.Block != block {
		s.Blocks++
	}
	s.Found, s.Block, s.Loc, s.Op = true, block, loc, op
}

// Tensor is a tensor whose address is among the arguments.
type Tensor struct {
	Arg     int // among the bits of the launch: the address of the first element
	Elem    *elem.Row
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
