package gguf

import "math"

func q2K(dst []float32, b []byte) {
	scales, qs, d, dmin := b[:16], b[16:80], half(b[80:]), half(b[82:])
	for i := range 256 {
		s := scales[i/16]
		dl, ml := d*float32(s&15), dmin*float32(s>>4)
		q := qs[i/128*32+i%32] >> (i / 32 % 4 * 2) & 3
		dst[i] = float32(dl*float32(q)) - float32(ml)
	}
}

func q3K(dst []float32, b []byte) {
	mask, qs, scales, d := b[:32], b[32:96], b[96:108], half(b[108:])
	for i := range 256 {
		k := i / 16
		s := int(scales[k%8]>>(k/8*4)&15) | int(scales[8+k%4]>>(k/4*2)&3)<<4
		q := int(qs[i/128*32+i%32] >> (i / 32 % 4 * 2) & 3)
		if mask[i%32]>>(i/32)&1 == 0 {
			q -= 4
		}
		dst[i] = float32(d*float32(s-32)) * float32(q)
	}
}

// scaleMin unpacks the k-th of eight scales and minima of six bits.
func scaleMin(s []byte, k int) (scale, minimum float32) {
	if k < 4 {
		return float32(s[k] & 63), float32(s[k+4] & 63)
	}
	return float32(s[k+4]&15 | s[k-4]>>6<<4), float32(s[k+4]>>4 | s[k]>>6<<4)
}

func q4K(dst []float32, b []byte) {
	d, dmin, qs := half(b), half(b[2:]), b[16:]
	for k := range 8 {
		sc, m := scaleMin(b[4:16], k)
		sc, m = d*sc, dmin*m
		for i := range 32 {
			q := qs[k/2*32+i] >> (k % 2 * 4) & 15
			dst[k*32+i] = float32(sc*float32(q)) - float32(m)
		}
	}
}

func q5K(dst []float32, b []byte) {
	d, dmin, qh, qs := half(b), half(b[2:]), b[16:48], b[48:]
	for k := range 8 {
		sc, m := scaleMin(b[4:16], k)
		sc, m = d*sc, dmin*m
		for i := range 32 {
			q := qs[k/2*32+i]>>(k%2*4)&15 | qh[i]>>k&1<<4
			dst[k*32+i] = float32(sc*float32(q)) - float32(m)
		}
	}
}

func q6K(dst []float32, b []byte) {
	ql, qh, scales, d := b[:128], b[128:192], b[192:208], half(b[208:])
	for i := range 256 {
		low := ql[i/128*64+i%64] >> (i / 64 % 2 * 4) & 15
		high := qh[i/128*32+i%32] >> (i / 32 % 4 * 2) & 3
		dst[i] = float32(d*float32(int8(scales[i/16]))) * float32(int(low|high<<4)-32)
	}
}

// q8K has sums of groups behind the numbers, which nothing needs here.
func q8K(dst []float32, b []byte) {
	d := math.Float32frombits(le.Uint32(b))
	for i, q := range b[4:260] {
		dst[i] = d * float32(int8(q))
	}
}

// tq1_0 has five numbers of three values in a byte, as the fraction of a number to the base 3.
func tq1_0(dst []float32, b []byte) {
	d := half(b[52:])
	part := func(qs []byte, digits int) {
		for k := range digits {
			for i, q := range qs {
				for range k {
					q *= 3
				}
				dst[k*len(qs)+i] = d * float32(int(uint16(q)*3>>8)-1)
			}
		}
		dst = dst[digits*len(qs):]
	}
	part(b[:32], 5)
	part(b[32:48], 5)
	part(b[48:52], 4)
}

func tq2_0(dst []float32, b []byte) {
	d := half(b[64:])
	for i := range dst[:256] {
		q := b[i/128*32+i%32] >> (i / 32 % 4 * 2) & 3
		dst[i] = d * float32(int(q)-1)
	}
}

// e2m1 has twice the values of the floats of four bits.
var e2m1 = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

func mxfp4(dst []float32, b []byte) {
	bits := uint32(0x00200000) << b[0] // half of the scale
	if b[0] >= 2 {
		bits = uint32(b[0]-1) << 23
	}
	d := math.Float32frombits(bits)
	for i, q := range b[1:17] {
		dst[i] = d * e2m1[q&15]
		dst[i+16] = d * e2m1[q>>4]
	}
}

func nvfp4(dst []float32, b []byte) {
	for k := range 4 {
		d := halfE4M3(b[k])
		for i, q := range b[4+8*k:][:8] {
			dst[16*k+i] = d * e2m1[q&15]
			dst[16*k+i+8] = d * e2m1[q>>4]
		}
	}
}

// halfE4M3 is half of a scale of four bits of exponent and three of fraction. Its first bit is no sign, but ignored, and NaN
// is 0, as in llama.cpp.
func halfE4M3(x byte) float32 {
	if x == 0x7F {
		return 0
	}
	exp, man := int(x>>3&15), float64(x&7)
	if exp == 0 {
		return float32(math.Ldexp(man, -10))
	}
	return float32(math.Ldexp(1+man/8, exp-8))
}

var iq4Values = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func iq4NL(dst []float32, b []byte) {
	d := half(b)
	for i, q := range b[2:18] {
		dst[i] = d * iq4Values[q&15]
		dst[i+16] = d * iq4Values[q>>4]
	}
}

func iq4XS(dst []float32, b []byte) {
	d, high, low, qs := half(b), le.Uint16(b[2:]), b[4:8], b[8:]
	for k := range 8 {
		s := int(low[k/2]>>(k%2*4)&15) | int(high>>(2*k)&3)<<4
		dl := d * float32(s-32)
		for i, q := range qs[16*k:][:16] {
			dst[32*k+i] = dl * iq4Values[q&15]
			dst[32*k+i+16] = dl * iq4Values[q>>4]
		}
	}
}
