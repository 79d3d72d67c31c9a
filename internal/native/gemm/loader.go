package gemm

// A loader turns elements of an operand, as memory has them, into the lanes that are multiplied. A lane holds group elements
// which follow each other in k.
type loader struct {
	elem, group, lane int  // bytes of an element, elements of a lane, bytes of a lane
	asIs              bool // the bytes are the lanes; otherwise the machine has a row for what becomes of them
}

// The loaders.
const (
	loadF32 = iota
	loadF64
	loadF16
	loadBF16
	loadE4M3
	loadE5M2
	loadS8
	loadU8
	loadS8Pair
	loadU8Pair
	loadQuad
	loadQuadInverted
	loadBF16Pair
	numLoaders
)

var loaders = [...]loader{
	loadF32:          {4, 1, 4, true},
	loadF64:          {8, 1, 8, true},
	loadF16:          {2, 1, 4, false},
	loadBF16:         {2, 1, 4, false},
	loadE4M3:         {1, 1, 4, false},
	loadE5M2:         {1, 1, 4, false},
	loadS8:           {1, 1, 4, false}, // to 32 bits
	loadU8:           {1, 1, 4, false},
	loadS8Pair:       {1, 2, 4, false}, // to 16 bits
	loadU8Pair:       {1, 2, 4, false},
	loadQuad:         {1, 4, 4, true},
	loadQuadInverted: {1, 4, 4, false}, // the highest bit of each byte is inverted
	loadBF16Pair:     {2, 2, 4, true},
}

// What the machines need to make f32 of e4m3 (see widenE4M3 of each).
const (
	e4m3Number = 0x7F       // exponent and fraction
	e4m3Scale  = 0x7B800000 // 2^120
	e4m3Above  = 0x43F00000 // 480
	e4m3NaN    = 0x7FC00000
)

// direct says whether the kernel can take the operand from memory as it is.
func (l *loader) direct() bool { return l.group == 1 && l.asIs }
