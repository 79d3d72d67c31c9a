package simt

// Signature is what a program has to know of a kernel to launch it, where another compiler made the code: a text of PTX and a cubin say it.
type Signature struct {
	Name       string
	Params     []Param // without names, and of types of bits, in a cubin, which has only their sizes
	Block      [3]int  // the only extents of a block that the kernel runs with: zero for any
	MaxThreads int     // of a block: 0 if the code does not say
	Cluster    [3]int  // the only extents of a cluster: zero for any
	NeverWaits bool    // the code surely does not wait for the kernel before it (griddepcontrol.wait); a cubin does not say
}

// Bare is the parameter of so many bytes of which nothing else is known.
func Bare(bytes int) Param {
	switch bytes {
	case 1, 2, 4, 8:
		return Param{Type: [...]string{1: "b8", 2: "b16", 4: "b32", 8: "b64"}[bytes]}
	}
	return Param{Type: "b8", Bytes: bytes, Align: 1}
}

// Size is the number of bytes of a parameter.
func (p *Param) Size() int {
	if p.Bytes > 0 {
		return p.Bytes
	}
	return TypeBits(p.Type) / 8
}

// Func is the declaration of the kernel, without a body.
func (s *Signature) Func() *Func {
	return &Func{Name: s.Name, Params: s.Params, Block: s.Block, Cluster: s.Cluster}
}
