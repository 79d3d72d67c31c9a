package gguf

import (
	"fmt"
	"math"

	"github.com/cutile-go/cutile/dtype"
)

// span gives the least and greatest number of a block and the one of the greatest magnitude, the first of several.
func span(src []float32) (least, greatest, extreme float32, err error) {
	least, greatest = src[0], src[0]
	for i, v := range src {
		if v != v || math.IsInf(float64(v), 0) {
			return 0, 0, 0, fmt.Errorf("number %d is %v", i, v)
		}
		if v < least { // not min, which tells zeros apart
			least = v
		}
		if v > greatest {
			greatest = v
		}
		if magnitude(v) > magnitude(extreme) {
			extreme = v
		}
	}
	return least, greatest, extreme, nil
}

func magnitude(v float32) float32 { return float32(math.Abs(float64(v))) }

// putHalf writes a scale or a minimum as a float16.
func putHalf(b []byte, v float32) error {
	h := dtype.Float16FromFloat32(v)
	if math.IsInf(float64(h.Float32()), 0) || v != v {
		return fmt.Errorf("%v is too large for a float16", v)
	}
	le.PutUint16(b, uint16(h))
	return nil
}

// inverse is 1/d; 0 where d is 0, and where it is so small that the float16 is 0 and the quotient infinite.
func inverse(d float32) float32 {
	if id := 1 / d; !math.IsInf(float64(id), 0) {
		return id
	}
	return 0
}

// level rounds v/d + add down, to a number from 0 to top.
func level(v, id, add float32, top int) int {
	return min(max(int(float32(v*id)+add), 0), top)
}

// aroundZero makes the levels of blocks with a scale alone.
func aroundZero(b []byte, src []float32, middle int) (q [32]int, err error) {
	_, _, extreme, err := span(src)
	if err != nil {
		return q, err
	}
	d := extreme / float32(-middle)
	id := inverse(d)
	for i, v := range src {
		q[i] = level(v, id, float32(middle)+0.5, 2*middle-1)
	}
	return q, putHalf(b, d)
}

// fromLeast makes the levels of blocks with a scale and a minimum.
func fromLeast(b []byte, src []float32, top int) (q [32]int, err error) {
	least, greatest, _, err := span(src)
	if err != nil {
		return q, err
	}
	d := (greatest - least) / float32(top)
	id := inverse(d)
	for i, v := range src {
		q[i] = level(v-least, id, 0.5, top)
	}
	if err := putHalf(b[2:], least); err != nil {
		return q, err
	}
	return q, putHalf(b, d)
}

// pack writes the lower four bits of the levels, and returns a word of the fifth.
func pack(b []byte, q [32]int) (high uint32) {
	for i := range 16 {
		b[i] = byte(q[i]&15 | q[i+16]&15<<4)
	}
	for i, v := range q {
		high |= uint32(v>>4) << i
	}
	return high
}

func toF32(b []byte, src []float32) error {
	le.PutUint32(b, math.Float32bits(src[0]))
	return nil
}

func toQ4_0(b []byte, src []float32) error {
	q, err := aroundZero(b, src, 8)
	pack(b[2:], q)
	return err
}

func toQ4_1(b []byte, src []float32) error {
	q, err := fromLeast(b, src, 15)
	pack(b[4:], q)
	return err
}

func toQ5_0(b []byte, src []float32) error {
	q, err := aroundZero(b, src, 16)
	le.PutUint32(b[2:], pack(b[6:], q))
	return err
}

func toQ5_1(b []byte, src []float32) error {
	q, err := fromLeast(b, src, 31)
	le.PutUint32(b[4:], pack(b[8:], q))
	return err
}

func toQ8_0(b []byte, src []float32) error {
	_, _, extreme, err := span(src)
	if err != nil {
		return err
	}
	d := magnitude(extreme) / 127
	id := inverse(d)
	for i, v := range src {
		b[2+i] = byte(int8(math.Round(float64(v * id))))
	}
	return putHalf(b, d)
}
