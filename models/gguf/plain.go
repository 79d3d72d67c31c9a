package gguf

import (
	"encoding/binary"
	"math"

	"github.com/cutile-go/cutile/dtype"
)

var le = binary.LittleEndian

// half reads a float16.
func half(b []byte) float32 { return dtype.Float16(le.Uint16(b)).Float32() }

func f32(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(le.Uint32(b[4*i:]))
	}
}

func f16(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = half(b[2*i:])
	}
}

func bf16(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(le.Uint16(b[2*i:])) << 16)
	}
}

func f64(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(le.Uint64(b[8*i:])))
	}
}

func i8(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = float32(int8(b[i]))
	}
}

func i16(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = float32(int16(le.Uint16(b[2*i:])))
	}
}

func i32(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = float32(int32(le.Uint32(b[4*i:])))
	}
}

func i64(dst []float32, b []byte) {
	for i := range dst {
		dst[i] = float32(int64(le.Uint64(b[8*i:])))
	}
}

// Products are converted to float32 before they are added to: else Go may round once on some machines, where llama.cpp
// rounds twice.

func q4_0(dst []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:18] {
		dst[i] = d * float32(int(q&15)-8)
		dst[i+16] = d * float32(int(q>>4)-8)
	}
}

func q4_1(dst []float32, b []byte) {
	d, m := half(b), half(b[2:])
	for i, q := range b[4:20] {
		dst[i] = float32(d*float32(q&15)) + m
		dst[i+16] = float32(d*float32(q>>4)) + m
	}
}

// fives are the 32 numbers of five bits: the lower four, and a word of the fifth.
func fives(high uint32, low []byte) (q [32]int) {
	for i, l := range low[:16] {
		q[i] = int(l&15) | int(high>>i&1)<<4
		q[i+16] = int(l>>4) | int(high>>(i+16)&1)<<4
	}
	return q
}

func q5_0(dst []float32, b []byte) {
	d := half(b)
	for i, q := range fives(le.Uint32(b[2:]), b[6:]) {
		dst[i] = d * float32(q-16)
	}
}

func q5_1(dst []float32, b []byte) {
	d, m := half(b), half(b[2:])
	for i, q := range fives(le.Uint32(b[4:]), b[8:]) {
		dst[i] = float32(d*float32(q)) + m
	}
}

func q8_0(dst []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:34] {
		dst[i] = float32(int8(q)) * d
	}
}

// q8_1 has the sum of the block behind the scale, which nothing needs here.
func q8_1(dst []float32, b []byte) {
	d := half(b)
	for i, q := range b[4:36] {
		dst[i] = float32(int8(q)) * d
	}
}
