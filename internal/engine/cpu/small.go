package cpu

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/tileir"
)

// smallFloats are the formats of at most eight bits. Conversions to one saturate, as the hardware's do: what is too large
// becomes the largest finite number. Those of the unsigned formats take the magnitude, as CUDA's cuda_fp8.h does.
var smallFloats = map[tileir.Elem]*elem.Format{}

func init() {
	for _, row := range elem.Table {
		if row.Format == nil || row.Bits > 8 {
			continue
		}
		e, _ := tileir.ElemByName(row.IR)
		smallFloats[e] = row.Format
		table := new([256]float32)
		for i, x := range row.Format.Values() {
			table[i] = float32(x)
		}
		widening[e] = unary(func(d []float32, a []uint8) {
			a = a[:len(d)]
			for i := range d {
				d[i] = table[a[i]]
			}
		})
		toFloat64[e] = unary(func(d []float64, a []uint8) {
			a = a[:len(d)]
			for i := range d {
				d[i] = float64(table[a[i]])
			}
		})
	}
}

// directions are the rounding modes of conversions that are not to the nearest.
var directions = map[rounding]elem.Rounding{
	tileir.RoundingZero: elem.Zero, tileir.RoundingNegativeInf: elem.Down, tileir.RoundingPositiveInf: elem.Up,
	tileir.RoundingNearestAway: elem.Away,
}

// smallNarrowing makes the kernel that rounds float32 to a format of at most eight bits.
func smallNarrowing(f *elem.Format, mode rounding) kernel {
	direction := directions[mode]
	if direction == elem.Nearest && f.Man > 0 {
		return nearestSmall(f)
	}
	return unary(func(d []uint8, a []float32) {
		a = a[:len(d)]
		for i := range d {
			d[i] = uint8(f.Encode(float64(a[i]), direction, true))
		}
	})
}

// nearestSmall is quick for normal numbers, which may still round up to the next, and leaves others to the codec.
func nearestSmall(f *elem.Format) kernel {
	low, _ := f.Exponents()
	least := uint32(low+127) << 23 // the least normal number and the largest, as bits of a float32
	normal := math.Float32bits(float32(f.Decode(f.Largest()))) - least
	shift, sign := 23-f.Man, f.Exp+f.Man
	keep := uint32(f.Sign())
	return unary(func(d []uint8, a []float32) {
		a = a[:len(d)]
		for i, x := range a {
			bits := math.Float32bits(x)
			if above := bits&^(1<<31) - least; above < normal {
				d[i] = uint8((above+1<<23+1<<(shift-1)-1+bits>>shift&1)>>shift | bits>>31<<sign&keep)
				continue
			}
			d[i] = uint8(f.Encode(float64(x), elem.Nearest, true))
		}
	})
}
