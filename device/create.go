package device

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/cutile-go/cutile/dtype"
)

// Number lists the element types whose values are numbers in Go: the floats of 19 bits and fewer are not among them.
type Number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Full makes a tensor whose elements are all value.
func Full[E dtype.Elem](dev *Device, value E, shape ...int) (*Tensor[E], error) {
	return generate(dev, shape, func(_ int, part []E) {
		for i := range part {
			part[i] = value
		}
	})
}

// Arange makes a tensor of rank 1 with the elements start, start+step, start+2·step and so on, up to stop, which is not among
// them. step may be negative. There are ⌈(stop-start)/step⌉ elements, or none if that is negative; for floats
// that is computed in float64, so that rounding may add an element at stop: Linspace is better for steps that are fractions.
// Each element is start+i·step, computed in float64 with one rounding, and rounded to E.
func Arange[E Number](dev *Device, start, stop, step E) (*Tensor[E], error) {
	if step == 0 || step != step {
		return nil, fmt.Errorf("cutile: Arange: the step is %v: expected a number other than 0", step)
	}
	if dtype.Of[E]().IsFloat() {
		return arangeFloats(dev, start, stop, step)
	}
	n, d := uint64(0), distance(start, stop)
	if start < stop && step > 0 || start > stop && step < 0 {
		s := uint64(step)
		if step < 0 {
			s = -s
		}
		n = (d-1)/s + 1
	}
	if n > math.MaxInt {
		return nil, fmt.Errorf("cutile: Arange: %d elements are too many", n)
	}
	return generate(dev, []int{int(n)}, func(at int, part []E) {
		for i := range part {
			part[i] = start + E(uint64(at+i))*step // integers wrap, and so does what is lost above
		}
	})
}

// distance is how far two integers are apart.
func distance[E Number](a, b E) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(b) - uint64(a) // of signed numbers, too, in two's complement
}

func arangeFloats[E Number](dev *Device, start, stop, step E) (*Tensor[E], error) {
	first, d := float64(start), float64(step)
	n := math.Ceil((float64(stop) - first) / d)
	if n != n || math.IsInf(n, 0) || n >= 1<<62 {
		return nil, fmt.Errorf("cutile: Arange: there is no number of elements from %v to %v by %v", start, stop, step)
	}
	return generate(dev, []int{int(max(n, 0))}, func(at int, part []E) {
		for i := range part {
			part[i] = E(math.FMA(float64(at+i), d, first))
		}
	})
}

// Linspace makes a tensor of rank 1 with n numbers at equal distances from start to stop: both are among them, if n is 2 or
// more. Numbers are computed in float64 and rounded to E.
func Linspace[E dtype.Float](dev *Device, start, stop float64, n int) (*Tensor[E], error) {
	if n < 0 {
		return nil, fmt.Errorf("cutile: Linspace: the number of elements is %d: expected 0 or more", n)
	}
	if d := stop - start; d != d || math.IsInf(d, 0) {
		return nil, fmt.Errorf("cutile: Linspace: from %v to %v: expected finite numbers whose difference is finite", start, stop)
	}
	step := (stop - start) / float64(max(n-1, 1))
	return numbers[E](dev, []int{n}, func(at int) float64 {
		if at > 0 && at == n-1 {
			return stop
		}
		return math.FMA(float64(at), step, start)
	})
}

// Eye makes a matrix of n rows and n columns with ones on its diagonal and zeros elsewhere; true and false for bool.
func Eye[E dtype.Elem](dev *Device, n int) (*Tensor[E], error) {
	typ := dtype.Of[E]()
	switch {
	case n < 0:
		return nil, fmt.Errorf("cutile: Eye: the number of rows is %d: expected 0 or more", n)
	case typ.IsFloat() && typ.FloatFromBits(0) != 0:
		return nil, fmt.Errorf("cutile: Eye: %v has no zero", typ)
	}
	one := elementOf[E](1)
	if typ.IsFloat() {
		one = elementOf[E](typ.FloatBits(1))
	}
	return generate(dev, []int{n, n}, func(at int, part []E) {
		clear(part)
		for next := (at + n) / (n + 1) * (n + 1); next < at+len(part); next += n + 1 {
			part[next-at] = one
		}
	})
}

// numbers makes a tensor of a float type of the numbers at each place in row-major order.
func numbers[E dtype.Float](dev *Device, shape []int, number func(at int) float64) (*Tensor[E], error) {
	var wide []float64
	return generate(dev, shape, func(at int, part []E) {
		wide = wide[:0]
		for i := range part {
			wide = append(wide, number(at+i))
		}
		copy(part, dtype.Floats[E](wide))
	})
}

// generate makes a tensor whose elements a function writes, in parts: at is the place of part in row-major order. The parts
// bound the memory that is used beside the tensor's.
func generate[E dtype.Elem](dev *Device, shape []int, write func(at int, part []E)) (*Tensor[E], error) {
	t, err := NewTensor[E](dev, shape...)
	if err != nil {
		return nil, err
	}
	flat := t.Flatten()
	if flat.Err() != nil {
		return nil, errors.Join(flat.Err(), t.Close())
	}
	buffer := make([]E, min(t.Len(), chunk/dtype.Of[E]().Size()))
	for at := 0; at < t.Len(); at += len(buffer) {
		part := buffer[:min(len(buffer), t.Len()-at)]
		write(at, part)
		if err := flat.Narrow(0, at, at+len(part)).Write(context.Background(), part); err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}
