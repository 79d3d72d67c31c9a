package atom_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/layout/atom"
)

func TestVectorBits(t *testing.T) {
	for _, c := range []struct {
		src, dst           string
		elem               atom.Elem
		srcAlign, dstAlign int
		want               int
	}{
		{"8:1", "8:1", atom.F16, 16, 16, 128},
		{"8:1", "8:1", atom.F16, 16, 8, 64},  // the pointers
		{"8:1", "8:1", atom.F16, 2, 16, 16},  //
		{"8:1", "8:2", atom.F16, 16, 16, 16}, // nothing in common
		{"(4,2):(1,4)", "8:1", atom.F32, 16, 16, 128},
		{"(4,2):(1,8)", "(4,2):(1,4)", atom.F32, 16, 16, 128},
		{"(2,4):(1,6)", "(2,4):(1,6)", atom.F32, 16, 16, 64}, // rows of 24 bytes
		{"(4,4):(1,6)", "(4,4):(1,6)", atom.F32, 16, 16, 64}, // words of 16 bytes would start at 24
		{"(4,4):(1,5)", "(4,4):(1,4)", atom.F32, 16, 16, 32},
		{"(4,4):(4,1)", "(4,4):(4,1)", atom.F16, 16, 16, 128}, // the second mode is the fast one
		{"(4,4):(4,1)", "(4,4):(1,4)", atom.F16, 16, 16, 16},
		{"6:1", "6:1", atom.F32, 16, 16, 64}, // 6 are no whole number of 4
		{"3:1", "3:1", atom.F32, 16, 16, 32},
		{"16:1", "16:1", atom.F64, 16, 16, 128},
		{"16:1", "16:1", atom.S8, 64, 64, 128},
		{"(8,2):(1,0)", "(8,2):(1,8)", atom.F16, 16, 16, 128}, // read twice
		{"((2,2,2),4):((1,?{div=8},8),?{div=16})", "((2,2,2),4):((1,2,4),8)", atom.F16, 16, 16, 32},
		{"(2,4):(1,?)", "(2,4):(1,2)", atom.F16, 16, 16, 16}, // rows may start at odd places
		{"(?,4):(1,?)", "(?,4):(1,?)", atom.F16, 16, 16, 16}, // how many is not known
		{"(4,4):(1@0,1@1)", "(4,4):(1@0,1@1)", atom.F16, 16, 16, 16},
	} {
		if got := atom.VectorBits(lay(c.src), lay(c.dst), c.elem, c.srcAlign, c.dstAlign); got != c.want {
			t.Errorf("%s to %s of %v at %d and %d: %d bits, want %d", c.src, c.dst, c.elem, c.srcAlign, c.dstAlign, got, c.want)
		}
	}
}

// Vectors of layouts that hit no place twice fill whole words on both sides.
func TestVectorsAreWords(t *testing.T) {
	shapes := []string{"(2,4,8)", "(4,4,4)", "(8,2,8)", "(3,4,8)"}
	strides := []string{"(1,2,8)", "(32,8,1)", "(1,8,64)", "(1,16,4)", "(64,1,4)", "(2,16,64)", "(1,12,96)", "(8,1,64)", "(1,64,8)"}
	wide := 0
	for _, shape := range shapes {
		for _, s := range strides {
			for _, d := range strides {
				src, dst := lay(shape+":"+s), lay(shape+":"+d)
				v := atom.VectorBits(src, dst, atom.F16, 16, 16) / 16
				if v > 1 {
					wide++
				}
				if !words(src.String(), v) || !words(dst.String(), v) {
					t.Errorf("%v to %v: no words of %d elements", src, dst, v)
				}
			}
		}
	}
	if wide < 50 {
		t.Errorf("only %d pairs have vectors", wide)
	}
}

// words reports whether the places of a layout are whole words of v, unless it hits a place twice.
func words(text string, v int) bool {
	l := lay(text)
	at := flat(l)
	hits := map[int]int{}
	for i := range size(l) {
		hits[at(i)]++
	}
	if len(hits) != size(l) {
		return true
	}
	for place := range hits {
		for k := range v {
			if hits[place-place%v+k] == 0 {
				return false
			}
		}
	}
	return true
}
