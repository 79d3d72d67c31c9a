package numerics_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cutile-go/cutile/tileir"
)

// isNaN reports whether the bits of an element are one of the type's NaN.
func isNaN(e tileir.Elem, bits uint64) bool {
	l, ok := layouts[e]
	if !ok {
		return false
	}
	m := l.magnitude(bits >> pad(e))
	switch e {
	case tileir.F4E2M1FN:
		return false
	case tileir.F8E4M3FN, tileir.F8E8M0FNU, tileir.FNV8E5M3FNU:
		return m == 1<<(l.exp+l.man)-1
	}
	return m > uint64(1<<l.exp-1)<<l.man
}

// same compares the bits of two elements; all NaN are one, unless the case is raw.
func (c *testCase) same(a, b uint64) bool {
	return a == b || !c.raw && isNaN(c.result, a) && isNaN(c.result, b)
}

// digest is the same for results that are the same.
func (c *testCase) digest(a *array) []byte {
	data := a.data
	if l, ok := layouts[a.elem]; ok && !c.raw {
		nan := (uint64(1)<<(l.exp+l.man) - 1) << pad(a.elem)
		codes := make([]byte, 0, len(data))
		for i := range a.len() {
			v := a.at(i)
			if isNaN(a.elem, v) {
				v = nan
			}
			codes = binary.LittleEndian.AppendUint64(codes, v)[:len(codes)+a.elem.Bytes()]
		}
		data = codes
	}
	sum := sha256.Sum256(data)
	return sum[:8]
}

// describe tells what an element was computed from.
func (c *testCase) describe(i int) string {
	if c.form != elementwise {
		return fmt.Sprintf("element %d", i)
	}
	text := fmt.Sprintf("element %d, of", i)
	for _, a := range c.args {
		text += " " + show(a.elem, a.at(i))
	}
	return text
}

// show gives bits, and the number that they stand for where a format has infinities or subnormal numbers.
func show(e tileir.Elem, bits uint64) string {
	text := fmt.Sprintf("%#0*x", 2+(e.Bits()+pad(e)+3)/4, bits)
	if l, ok := layouts[e]; ok && e != tileir.F8E8M0FNU {
		text += fmt.Sprintf(" (%v)", l.value(bits>>pad(e)))
	}
	return text
}

// reference is what a case must give: the nearest bits and, for functions, how far the value is from them in units in
// the last place. Where at is not nil it holds only for those elements.
type reference struct {
	bits    *array
	missing []float64
	at      []int
}

// differences lists the first few elements that are wrong, and gives the worst error in units in the last place.
func (c *testCase) differences(got *array, want *reference) (texts []string, worst float64) {
	bound, n := c.ulps[c.result], want.bits.len()
	for k := range n {
		i := k
		if want.at != nil {
			i = want.at[k]
		}
		g, w := got.at(i), want.bits.at(k)
		if c.ulps == nil {
			if !c.same(g, w) {
				texts = append(texts, fmt.Sprintf("%s: is %s, want %s", c.describe(i), show(c.result, g), show(c.result, w)))
			}
			continue
		}
		u := ulps(c.result, g, w, want.missing[k])
		if worst = max(worst, u); u > bound {
			texts = append(texts, fmt.Sprintf("%s: is %s, want %s and %+.3f ulp: the error of %.3f ulp is above %v", c.describe(i),
				show(c.result, g), show(c.result, w), want.missing[k], u, bound))
		}
	}
	if len(texts) > 3 {
		texts = append(texts[:3], fmt.Sprintf("%d of %d elements are wrong", len(texts), n))
	}
	return texts, worst
}

// ulps is the distance of a result from the value that lies missing beside the bits want, counted in steps from one
// number of the type to the next; infinity is one step above the largest number.
func ulps(e tileir.Elem, got, want uint64, missing float64) float64 {
	l := layouts[e]
	if isNaN(e, got) || isNaN(e, want) {
		if isNaN(e, got) && isNaN(e, want) {
			return 0
		}
		return math.Inf(1)
	}
	g, w := l.magnitude(got), l.magnitude(want)
	if (g != got) != (w != want) { // the signs differ: of a zero too
		return math.Inf(1)
	}
	return math.Abs(float64(int64(g-w)) - missing)
}
