package atom

import "github.com/cutile-go/cutile/internal/layout"

// maxVector is the widest access of a thread in bits.
const maxVector = 128

// VectorBits is how many bits one access may move of values that source and destination lay out alike: a power of two
// up to 128. The addresses of their first elements are known to be multiples of srcAlign and dstAlign bytes; the strides
// between vectors must keep that alignment. It is the width of one element where nothing wider is proved.
func VectorBits(src, dst layout.Layout, e Elem, srcAlign, dstAlign int) int {
	common, err := layout.MaxCommon(src, dst)
	if err != nil {
		return e.Bits() // the layouts are known at run time only
	}
	n, _ := common.Size().Static()
	for bits := maxVector; bits > e.Bits(); bits /= 2 {
		v := bits / e.Bits()
		if v > 1 && n%v == 0 && srcAlign*8%bits == 0 && dstAlign*8%bits == 0 &&
			inWords(src, common, v) && inWords(dst, common, v) {
			return bits
		}
	}
	return e.Bits()
}

// inWords reports whether l puts every vector of v elements at a multiple of v, where common lays out a longer one.
func inWords(l, common layout.Layout, v int) bool {
	vector, err := layout.Compose(common, entry(layout.N(v)).Layout)
	if err != nil {
		return false
	}
	divided, err := layout.LogicalDivide(l, vector)
	if err != nil {
		return false
	}
	for _, d := range layout.Filter(divided.Modes()[1]).Stride().Leaves() {
		if s, ok := d.IsLeaf(); !ok || len(d.Path()) > 0 || s.Div()%v != 0 {
			return false
		}
	}
	return true
}
