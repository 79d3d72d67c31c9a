package gemm

// A loader turns elements of an operand, as memory has them, into the lanes that are multiplied. A lane holds group elements
// which follow each other in k.
type loader struct {
	elem, group, lane int  // bytes of an element, elements of a lane, bytes of a lane
	asIs              bool // the bytes are the lanes; otherwise the machine has a row for what becomes of them
	minusZero         bool // what is missing in the last lane is -0: to add 0 would change a sum that is -0
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
	loadOct
	loadBF16Pair
	loadBF16InOrder
	numLoaders
)

var loaders = [...]loader{
	loadF32:          {elem: 4, group: 1, lane: 4, asIs: true},
	loadF64:          {elem: 8, group: 1, lane: 8, asIs: true},
	loadF16:          {elem: 2, group: 1, lane: 4},
	loadBF16:         {elem: 2, group: 1, lane: 4},
	loadE4M3:         {elem: 1, group: 1, lane: 4},
	loadE5M2:         {elem: 1, group: 1, lane: 4},
	loadS8:           {elem: 1, group: 1, lane: 4}, // to 32 bits
	loadU8:           {elem: 1, group: 1, lane: 4},
	loadS8Pair:       {elem: 1, group: 2, lane: 4}, // to 16 bits
	loadU8Pair:       {elem: 1, group: 2, lane: 4},
	loadQuad:         {elem: 1, group: 4, lane: 4, asIs: true},
	loadQuadInverted: {elem: 1, group: 4, lane: 4}, // the highest bit of each byte is inverted
	loadOct:          {elem: 1, group: 8, lane: 8, asIs: true},
	loadBF16Pair:     {elem: 2, group: 2, lane: 4, asIs: true},
	loadBF16InOrder:  {elem: 2, group: 2, lane: 4, asIs: true, minusZero: true},
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
