package emu_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
)

// sharedLayout is how a matrix lies in shared memory: the canonical layouts of the PTX ISA in 128-bit elements, which CuTe's
// swizzles then move.
type sharedLayout struct {
	kind    uint64 // in the descriptor
	swizzle [3]int // bits, base and shift, of bytes
	across  bool   // rows lie side by side
	lead    int    // byte offsets
	stride  int
}

// sharedLayouts are all kinds, for matrices of at most 256 rows and 32 bytes along k, or of 32 k across it.
var sharedLayouts = []sharedLayout{
	{0, [3]int{0, 4, 3}, false, 128, 256}, {0, [3]int{0, 4, 3}, false, 4096, 128}, {6, [3]int{1, 4, 3}, false, 16, 256},
	{4, [3]int{2, 4, 3}, false, 16, 512}, {2, [3]int{3, 4, 3}, false, 16, 1024},
	{0, [3]int{0, 4, 3}, true, 4096, 128}, {6, [3]int{1, 4, 3}, true, 1024, 8192}, {4, [3]int{2, 4, 3}, true, 2048, 512},
	{2, [3]int{3, 4, 3}, true, 4096, 1024}, {1, [3]int{2, 5, 2}, true, 4096, 512},
}

// at gives the byte where the element of a row at k begins, elements of so many bits in so many bytes.
func (y sharedLayout) at(row, k, size int) int {
	t := 16 / size
	var off int
	switch pieces := map[uint64]int{0: 1, 1: 8, 2: 8, 4: 4, 6: 2}[y.kind]; {
	case !y.across && y.kind == 0: // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
		off = strided{{8, 16}, {32, y.stride}}.at(row) + strided{{t, size}, {2, y.lead}}.at(k)
	case !y.across: // ((8,m),(T,2k)):((4T,SBO),(1,T)) and its like
		off = strided{{8, 16 * pieces}, {32, y.stride}}.at(row) + k*size
	case y.kind == 0: // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
		off = strided{{t, size}, {64, y.stride}}.at(row) + strided{{8, 16}, {8, y.lead}}.at(k)
	case y.kind == 1: // ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO))
		off = strided{{t, size}, {8, 16}, {64, y.lead}}.at(row) + strided{{4, 128}, {8, y.stride}}.at(k)
	default: // ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO)) and its like
		off = strided{{t, size}, {pieces, 16}, {64, y.lead}}.at(row) + strided{{8, 16 * pieces}, {8, y.stride}}.at(k)
	}
	bits, base, shift := y.swizzle[0], y.swizzle[1], y.swizzle[2]
	mask := (1<<bits - 1) << (base + shift)
	return off ^ off&mask>>shift
}

func (y sharedLayout) descriptor(addr int) uint64 {
	return uint64(addr>>4) | uint64(y.lead>>4)<<16 | uint64(y.stride>>4)<<32 | 1<<46 | y.kind<<61
}

// tensorType is an element type of tcgen05.mma: its number in instruction descriptors, its bits, those of 16 bytes, and codes of
// small numbers.
type tensorType struct {
	name   string
	number uint32
	bits   int
	per    int
	code   func(v int) uint64
}

// tiny are the codes of 0 to 4 of small floats; the sign is above.
func tiny(bits int, codes ...uint64) func(v int) uint64 {
	return func(v int) uint64 {
		if v < 0 {
			return codes[-v] | 1<<(bits-1)
		}
		return codes[v]
	}
}

func ordinary(name string, number uint32, bits int) tensorType {
	return tensorType{name, number, bits, 128 / bits, func(v int) uint64 { return small(name, v) }}
}

var (
	narrowTypes = []tensorType{
		ordinary("e4m3", 0, 8), ordinary("e5m2", 1, 8), {"e2m3", 3, 6, 16, tiny(6, 0, 8, 16, 20, 24)},
		{"e3m2", 4, 6, 16, tiny(6, 0, 12, 16, 18, 20)}, {"e2m1", 5, 4, 16, tiny(4, 0, 2, 4, 5, 6)},
	}
	packedTypes = []tensorType{{"e2m1", 1, 4, 32, tiny(4, 0, 2, 4, 5, 6)}}
	tensorKinds = map[string][]tensorType{
		"f16": {ordinary("f16", 0, 16), ordinary("bf16", 1, 16)}, "tf32": {ordinary("tf32", 2, 32)},
		"i8": {ordinary("u8", 0, 8), ordinary("s8", 1, 8)}, "f8f6f4": narrowTypes, "mxf8f6f4": narrowTypes,
		"mxf4": packedTypes, "mxf4nvf4": packedTypes,
	}
)

// matrix is small numbers by row and k.
func (y tensorType) matrix(rng *rand.Rand, rows, k int) (x [][]int) {
	for range rows {
		var row []int
		for range k {
			v := rng.IntN(9) - 4
			if y.name[0] == 'u' {
				v += 4
			}
			row = append(row, v)
		}
		x = append(x, row)
	}
	return x
}

// store writes a matrix into shared memory.
func (y tensorType) store(mem []byte, base int, l sharedLayout, x [][]int) {
	for r := range x {
		for k, v := range x[r] {
			var at, bit int
			if y.bits >= 8 {
				at = l.at(r, k, y.bits/8)
			} else { // 16 or 32 elements of a piece of 16 bytes
				at, bit = l.at(r, k/y.per, 16), k%y.per*y.bits
			}
			code := y.code(v)
			for i := range max(y.bits, 8) {
				if i < y.bits && code>>i&1 == 1 {
					mem[base+at+(bit+i)/8] |= 1 << ((bit + i) % 8)
				}
			}
		}
	}
}

// words writes a matrix as A lies in tensor memory: 8 words a row.
func (y tensorType) words(x [][]int) (out [][]uint32) {
	hold := max(y.bits, 8)
	if y.per == 32 {
		hold = 4
	}
	for _, row := range x {
		words := make([]uint32, 8)
		for k, v := range row {
			words[k*hold/32] |= uint32(y.code(v)) << (k * hold % 32)
		}
		out = append(out, words)
	}
	return out
}

// dLane and dCol are where an element of D lies, from the figures of the PTX ISA ("data path layout organization").
func dPlace(ws bool, blocks, m, n, row, col int) (block, lane, at int) {
	switch {
	case blocks == 2 && m == 256: // A
		return row / 128, row % 128, col
	case blocks == 2: // B: 64 rows in each block, the halves of the columns in the halves of the lanes
		return row / 64, row%64 + col/(n/2)*64, col % (n / 2)
	case m == 128: // D
		return 0, row, col
	case ws && m == 64: // E
		return 0, row + col/(n/2)*64, col % (n / 2)
	case m == 64: // F
		return 0, row/16*32 + row%16, col
	}
	return 0, row + col/(n/4)*32, col % (n / 4) // G
}

func (y sharedLayout) String() string { return fmt.Sprintf("kind %d, across k %v", y.kind, y.across) }

// small16 gives the bits of a number as f16, and half the number.
func small16(x float32) uint16 { return uint16(dtype.Float16FromFloat32(x)) }

func half(code uint16) float64 { return float64(dtype.Float16(code).Float32()) }

// eight gives the number of a code of e4m3 or e5m2.
func eight(code byte, e5m2 bool) float64 {
	if e5m2 {
		return float64(dtype.Float8E5M2(code).Float32())
	}
	return float64(dtype.Float8E4M3FN(code).Float32())
}
