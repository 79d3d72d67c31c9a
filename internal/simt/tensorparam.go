package simt

// TensorParam is a parameter of a kernel that is a tensor map, with what the launch makes it of: other parameters and numbers that are known.
// The text of a module does not say it.
type TensorParam struct {
	Param   int    // its own number
	Type    string // of an element: "u16"
	Base    int    // the number of the parameter that is the address of the first element
	Dims    []TensorDim
	Swizzle int // the bytes of a box's row, whose pieces of 16 bytes change places
}

// Follows reports whether a launch finds what the map is made of among its first parameters, of which there are so many.
func (p *TensorParam) Follows(params int) bool {
	known := func(n Number) bool {
		return n.Bits >= 0 && n.Bits <= 64 && (n.Bits == 0 || n.Param >= 0 && n.Param < params)
	}
	for _, d := range p.Dims {
		if !known(d.Extent) || !known(d.Stride) {
			return false
		}
	}
	return p.Base >= 0 && p.Base < params
}

// TensorDim is a dimension of a tensor; the first is the one whose elements lie side by side.
type TensorDim struct {
	Extent Number
	Stride Number // in elements
	Box    int    // the extent of a box
}

// Number is an integer that a launch knows: Value, or where Bits is not 0 what a parameter holds, with a sign in so many bits.
type Number struct {
	Value int64 `json:",omitempty"`
	Param int   `json:",omitempty"`
	Bits  int   `json:",omitempty"`
}

// Of gives the number for the arguments of a launch.
func (n Number) Of(args []uint64) int64 {
	if n.Bits == 0 {
		return n.Value
	}
	return int64(args[n.Param]<<(64-n.Bits)) >> (64 - n.Bits)
}
