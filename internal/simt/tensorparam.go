package simt

// TensorParam is a parameter of a kernel that is a tensor map, with what the launch makes it of: other parameters and numbers that are known.
// The text of a module does not say it.
type TensorParam struct {
	Param   int         `json:"param"` // its own number
	Type    string      `json:"type"`  // of an element: "u16"
	Base    int         `json:"base"`  // the number of the parameter that is the address of the first element
	Dims    []TensorDim `json:"dims"`
	Swizzle int         `json:"swizzle,omitempty"` // the bytes of a box's row, whose pieces of 16 bytes change places
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
	Extent Number `json:"extent"`
	Stride Number `json:"stride"` // in elements
	Box    int    `json:"box"`    // the extent of a box
}

// Number is an integer that a launch knows: Value, or where Bits is not 0 what a parameter holds, with a sign in so many bits.
type Number struct {
	Value int64 `json:"value,omitempty"`
	Param int   `json:"param,omitempty"`
	Bits  int   `json:"bits,omitempty"`
}

// Of gives the number for the arguments of a launch.
func (n Number) Of(args []uint64) int64 {
	if n.Bits == 0 {
		return n.Value
	}
	return int64(args[n.Param]<<(64-n.Bits)) >> (64 - n.Bits)
}
