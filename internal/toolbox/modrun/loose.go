package modrun

import (
	"fmt"
	"io"
	"slices"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
)

// Array is an array for a parameter of which nothing but the size is known, as in PTX.
type Array struct {
	Shape   []int
	Strides []int  // in elements
	Data    []byte // as the kernel has it in memory

	src    *arraySource
	before []byte
}

// maxArray is the most bytes of an [Array].
const maxArray = 1 << 30

// NewArray reads what an argument says about an array, and its elements.
func NewArray(a *Argument) (*Array, error) {
	src, err := parseSource(a)
	if err != nil {
		return nil, err
	}
	for _, e := range tileir.Elems() {
		if slices.Contains(elemTypes[e], src.typ) {
			src.elem = e
			break
		}
	}
	file, size, err := src.bytes()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src, err)
	}
	if most := max(file, size); most > maxArray {
		return nil, toolbox.Usagef("%s: the array has %d bytes: %d are the most here", src, most, maxArray)
	}
	per := src.elem.PerByte()
	x := &Array{Shape: src.shape, Strides: src.layout(), Data: make([]byte, (size+per-1)/per), src: src}
	if err := src.place(x.Data, file); err != nil {
		return nil, err
	}
	if src.name == "" {
		x.before = slices.Clone(x.Data)
	}
	return x, nil
}

// Result writes the array to its file if it has a name, and prints it on demand. Notes are for what is lost.
func (x *Array) Result(print bool, out, notes io.Writer) error {
	r := &Runner{Print: print, Out: out, Notes: notes}
	return r.result(x.src, x.before, x.Data)
}

// String is the argument as it was given.
func (x *Array) String() string { return x.src.String() }

// ParseNumber reads a number or truth value for a parameter of a type, and gives its bits, zero-extended.
func ParseNumber(a *Argument, e tileir.Elem) (uint64, error) {
	bits, err := parseScalar(a.Text, e)
	if err != nil {
		return 0, toolbox.Usagef("%s: %v", a, err)
	}
	return bits, nil
}
