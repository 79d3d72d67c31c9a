package shadow

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/engine"
)

// tolerances say by how much floats of a type may differ, as a part of their size. Of float32 and float64 these are thousands of steps, as
// sums of many elements come in another order; of types of 16 bits four steps, of 8 bits one.
var tolerances = map[string]float64{
	"float64": 0x1p-40, "float32": 0x1p-13, "tf32": 0x1p-8, "float16": 0x1p-8, "bfloat16": 0x1p-5,
	"float8_e4m3fn": 0x1p-3, "float8_e5m2": 0x1p-2, "float8_e5m3fnu": 0x1p-3, "float8_e8m0fnu": 0x1p-1, "float4_e2m1fn": 0x1p-1,
}

// comparer compares elements of a tensor.
type comparer struct {
	elem      *elem.Row
	tolerance float64 // 0 where elements must be equal
	elements  int64

	tensor  *tensor
	part    *part
	typical float64 // the size of elements; negative if it is not known yet
}

func newComparer(o engine.Shadow, t *tensor, p *part) *comparer {
	c := &comparer{elem: t.Elem, tensor: t, part: p, typical: -1, elements: 1}
	for _, n := range t.Shape {
		c.elements *= int64(n)
	}
	if c.elem.Format != nil {
		if c.tolerance = tolerances[c.elem.Name]; o.Tolerance > 0 {
			c.tolerance = o.Tolerance
		}
	}
	return c
}

// differ reports whether two elements with different bits differ by more than they may: by the tolerance, as a part of the larger one or of
// the typical size of the tensor's elements. That serves sums in which much cancels.
func (c *comparer) differ(got, want []byte) bool {
	if c.elem.Format == nil {
		return true
	}
	x, y := c.float(got), c.float(want)
	if x != x && y != y {
		return false
	}
	if c.typical < 0 {
		c.typical = c.size()
	}
	most := c.tolerance * max(math.Abs(x), math.Abs(y), c.typical)
	return !(math.Abs(x-y) <= most) || math.IsInf(x, 0) || math.IsInf(y, 0)
}

func (c *comparer) float(data []byte) float64 { return c.elem.Format.Decode(word(data)) }

// word is the bits of an element.
func word(data []byte) (bits uint64) {
	for i, b := range data {
		bits |= uint64(b) << (8 * i)
	}
	return bits
}

// samples is how many elements the typical size is taken from.
const samples = 1 << 12

// size is the typical size of the elements: the median of those that are neither zero nor infinite nor NaN, on the CPU; 0 if there are none.
func (c *comparer) size() float64 {
	var all []float64
	base, _ := c.part.holds(c.tensor.address)
	step := max(1, c.elements/samples)
	for n := int64(0); n < c.elements; n += step {
		off, left := base, n
		for axis := len(c.tensor.Shape) - 1; axis >= 0; axis-- {
			extent := int64(c.tensor.Shape[axis])
			off += left % extent * int64(c.tensor.Strides[axis]*c.tensor.Size)
			left /= extent
		}
		if x := math.Abs(c.float(c.part.want[off : off+int64(c.tensor.Size)])); x > 0 && !math.IsInf(x, 0) && x == x {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// show writes an element for people.
func show(e *elem.Row, data []byte) string {
	bits := word(data)
	switch {
	case e.Format != nil && e.Bits > 32:
		return strconv.FormatFloat(e.Format.Decode(bits), 'g', -1, 64)
	case e.Format != nil:
		return strconv.FormatFloat(e.Format.Decode(bits), 'g', -1, 32)
	case e.Kind == elem.Int:
		shift := 64 - 8*len(data)
		return fmt.Sprint(int64(bits<<shift) >> shift)
	}
	return fmt.Sprint(bits)
}
