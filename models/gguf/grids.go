package gguf

import (
	_ "embed"
	"encoding/hex"
	"math/bits"
	"strings"
	"sync"
)

// gridText has the tables of llama.cpp that tables.py took from the package gguf for Python.
//
//go:embed grids.txt
var gridText string

// gridShape says how a grid is packed: the values of an entry, the bits of each, and what they mean.
type gridShape struct {
	width, bits int
	values      []float32
}

var (
	twos      = gridShape{8, 2, []float32{8, 25, 43}}
	ones      = gridShape{8, 2, []float32{-1, 0, 1}}
	gridNames = map[string]gridShape{
		"IQ2_XXS": twos, "IQ2_XS": twos, "IQ2_S": twos, "IQ1_S": ones,
		"IQ3_XXS": {4, 4, []float32{4, 12, 20, 28, 36, 44, 52, 62}},
		"IQ3_S":   {4, 4, []float32{1, 3, 5, 7, 9, 11, 13, 15}},
	}
)

// grids unpacks all tables when the first is needed.
var grids = sync.OnceValue(func() map[string][]float32 {
	all := map[string][]float32{}
	for line := range strings.Lines(gridText) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		packed, err := hex.DecodeString(digits)
		if err != nil {
			panic("BUG: grids.txt: " + err.Error())
		}
		shape := gridNames[name]
		for _, b := range packed {
			for at := 0; at < 8; at += shape.bits {
				all[name] = append(all[name], shape.values[b>>at&(1<<shape.bits-1)])
			}
		}
	}
	return all
})

// signs are eight signs of which seven are stored: the number of negative ones is even.
func signs(seven uint32) byte {
	s := byte(seven & 127)
	return s | byte(bits.OnesCount8(s)&1)<<7
}

// signed writes scale times an entry, with a sign for each value.
func signed(dst, entry []float32, scale float32, negative byte) {
	for i, v := range entry {
		p := scale * v
		if negative>>i&1 != 0 {
			p = -p
		}
		dst[i] = p
	}
}

func iq2XXS(dst []float32, b []byte) {
	d, grid := half(b), grids()["IQ2_XXS"]
	for k := range 8 {
		qs, word := b[2+8*k:], le.Uint32(b[6+8*k:])
		db := float32(d*(0.5+float32(word>>28))) * 0.25
		for j := range 4 {
			signed(dst[32*k+8*j:], grid[8*int(qs[j]):][:8], db, signs(word>>(7*j)))
		}
	}
}

func iq2XS(dst []float32, b []byte) {
	d, scales, grid := half(b), b[66:74], grids()["IQ2_XS"]
	for k := range 32 {
		q := le.Uint16(b[2+2*k:])
		db := float32(d*(0.5+float32(scales[k/4]>>(k/2%2*4)&15))) * 0.25
		signed(dst[8*k:], grid[8*int(q&511):][:8], db, signs(uint32(q>>9)))
	}
}

func iq2S(dst []float32, b []byte) {
	d, qs, neg, qh, scales, grid := half(b), b[2:34], b[34:66], b[66:74], b[74:82], grids()["IQ2_S"]
	for k := range 32 {
		q := int(qs[k]) | int(qh[k/4]>>(k%4*2)&3)<<8
		db := float32(d*(0.5+float32(scales[k/4]>>(k/2%2*4)&15))) * 0.25
		signed(dst[8*k:], grid[8*q:][:8], db, neg[k])
	}
}

func iq3XXS(dst []float32, b []byte) {
	d, qs, grid := half(b), b[2:66], grids()["IQ3_XXS"]
	for k := range 8 {
		word := le.Uint32(b[66+4*k:])
		db := float32(d*(0.5+float32(word>>28))) * 0.5
		for j := range 8 {
			neg := signs(word>>(7*(j/2))) >> (j % 2 * 4)
			signed(dst[32*k+4*j:], grid[4*int(qs[8*k+j]):][:4], db, neg)
		}
	}
}

func iq3S(dst []float32, b []byte) {
	d, qs, qh, neg, scales, grid := half(b), b[2:66], b[66:74], b[74:106], b[106:110], grids()["IQ3_S"]
	for k := range 64 {
		q := int(qs[k]) | int(qh[k/8]>>(k%8)&1)<<8
		db := d * float32(1+2*int(scales[k/16]>>(k/8%2*4)&15))
		signed(dst[4*k:], grid[4*q:][:4], db, neg[k/2]>>(k%2*4))
	}
}

// shifted writes scale times an entry that is moved up or down.
func shifted(dst, entry []float32, scale float32, down bool) {
	delta := float32(0.125)
	if down {
		delta = -delta
	}
	for i, v := range entry {
		dst[i] = scale * (v + delta)
	}
}

func iq1S(dst []float32, b []byte) {
	d, qs, grid := half(b), b[2:34], grids()["IQ1_S"]
	for k := range 32 {
		h := le.Uint16(b[34+k/4*2:])
		q := int(qs[k]) | int(h>>(k%4*3)&7)<<8
		shifted(dst[8*k:], grid[8*q:][:8], d*float32(2*(h>>12&7)+1), h&0x8000 != 0)
	}
}

// iq1M has its scale in the upper bits of four words.
func iq1M(dst []float32, b []byte) {
	qs, qh, words, grid := b[:32], b[32:48], b[48:56], grids()["IQ1_S"]
	scale := uint16(0)
	for k := range 4 {
		scale |= le.Uint16(words[2*k:]) >> 12 << (4 * k)
	}
	d := half(le.AppendUint16(nil, scale))
	for k := range 32 {
		h := qh[k/2] >> (k % 2 * 4)
		q := int(qs[k]) | int(h&7)<<8
		s := le.Uint16(words[k/8*2:]) >> (k / 2 % 4 * 3) & 7
		shifted(dst[8*k:], grid[8*q:][:8], d*float32(2*s+1), h&8 != 0)
	}
}
