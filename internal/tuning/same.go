package tuning

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cutile-go/cutile/dtype"
)

// Output is a tensor that the work writes: its bytes are compared.
type Output struct {
	Elem  dtype.Type
	Shape []int
}

// Same compares results with those of the default. Integers have to be equal. Floats may differ by tolerance times their magnitude, and by a
// hundredth of it times the greatest finite magnitude of their tensor, as sums that cancel keep the errors of their terms; NaN and infinities
// have to be in the same places. A tolerance of 0 stands for the square root of the type's relative precision: half of the digits.
func Same(outputs []Output, tolerance float64, got, want [][]byte) error {
	return same("the default", outputs, tolerance, got, want)
}

// same is Same with the results of another one than the default.
func same(of string, outputs []Output, tolerance float64, got, want [][]byte) error {
	for i, o := range outputs {
		if err := o.same(of, tolerance, got[i], want[i]); err != nil {
			return fmt.Errorf("output #%d %w", i, err)
		}
	}
	return nil
}

func (o *Output) same(of string, tolerance float64, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	size := o.Elem.Size()
	if !o.Elem.IsFloat() {
		for i := 0; i < len(want); i += size {
			if !bytes.Equal(got[i:i+size], want[i:i+size]) {
				return fmt.Errorf("differs from %s's at %v: the bits are %x, not %x", of, o.index(i/size), word(got[i:i+size]), word(want[i:i+size]))
			}
		}
		return nil
	}
	if tolerance == 0 {
		one := o.Elem.FloatBits(1)
		tolerance = math.Sqrt(o.Elem.FloatFromBits(one+1) - 1)
	}
	value := func(data []byte, i int) float64 { return o.Elem.FloatFromBits(word(data[i*size : (i+1)*size])) }
	n, most := len(want)/size, 0.0
	for i := range n {
		if x := math.Abs(value(want, i)); x > most && !math.IsInf(x, 0) {
			most = x
		}
	}
	for i := range n {
		a, b := value(got, i), value(want, i)
		allowed := tolerance * (math.Abs(b) + most/100)
		if a == b || a != a && b != b || math.Abs(a-b) <= allowed && !math.IsInf(b, 0) { // NaN fails the last
			continue
		}
		return fmt.Errorf("differs from %s's at %v: it is %g, not %g, and a difference of %.3g is allowed", of, o.index(i), a, b, allowed)
	}
	return nil
}

// word reads the bits of an element.
func word(data []byte) uint64 {
	var b [8]byte
	copy(b[:], data)
	return binary.LittleEndian.Uint64(b[:])
}

// index is the place of an element in its tensor.
func (o *Output) index(at int) []int {
	out := make([]int, len(o.Shape))
	for axis := len(o.Shape) - 1; axis >= 0; axis-- {
		out[axis] = at % o.Shape[axis]
		at /= o.Shape[axis]
	}
	return out
}
