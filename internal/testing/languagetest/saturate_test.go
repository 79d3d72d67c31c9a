package languagetest_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// borders are the borders of the integer types, what lies beside them, and what no integer is.
func borders() [64]float64 {
	return [...]float64{
		0, math.Copysign(0, -1), 0.5, -0.5, 0.999, -0.999, 1, -1, 1.5, -2.5, 7, 7.9, 8, -8, -8.9, -9,
		127, 127.9, 128, 129, -128, -128.9, -129, -130, 255, 255.9, 256, 257, 448, -448, 6, -6,
		32767, 32767.9, 32768, -32768, -32769, 65504, 65535, 65535.9, 65536, 57344, -65536, 1e9,
		2147483520, 2147483647, 2147483648, -2147483648, -2147483904, 4294967040, 4294967295, 4294967296,
		9223371487098961920, 9223372036854774784, 1 << 63, -1 << 63, -9223373136366403584, 18446742974197923840, 18446744073709549568, 1 << 64,
		3e38, math.Inf(1), math.Inf(-1), math.NaN(),
	}
}

type (
	doubles64 = tile.F64T1[tile.D64]
	longs64   = tile.I64T1[tile.D64]
)

// toAll converts floats to F, and those to every integer type. Each result is a tile of 64-bit integers.
func toAll[F tile.FloatTile](x doubles64) (doubles64, [9]longs64) {
	v := F(x)
	return doubles64(v), [9]longs64{
		longs64(tile.I4T1[tile.D64](v)), longs64(tile.I8T1[tile.D64](v)), longs64(tile.I16T1[tile.D64](v)),
		longs64(tile.I32T1[tile.D64](v)), longs64(tile.I64T1[tile.D64](v)), longs64(tile.U8T1[tile.D64](v)),
		longs64(tile.U16T1[tile.D64](v)), longs64(tile.U32T1[tile.D64](v)), longs64(tile.U64T1[tile.D64](v)),
	}
}

// toAllKnown does the same with one number.
func toAllKnown[F tile.FloatTile](x float64) (doubles, [9]one) {
	v := F(x)
	return doubles(v), [9]one{
		one(tile.I4(v)), one(tile.I8(v)), one(tile.I16(v)), one(tile.I32(v)), one(tile.I64(v)),
		one(tile.U8(v)), one(tile.U16(v)), one(tile.U32(v)), one(tile.U64(v)),
	}
}

// convertTiles stores what a function gives for numbers of the launch.
func convertTiles(f func(doubles64) (doubles64, [9]longs64), x tile.In[doubles64], floats tile.Out[doubles64], out tile.InOut[longs64]) {
	v, all := f(x.Load(0))
	floats.Store(v)
	for i, r := range all {
		out.Store(r, i)
	}
}

// convertIntegers does the same for integers of the launch, which become floats first: the assembler may convert them itself.
func convertIntegers(f func(doubles64) (doubles64, [9]longs64), x tile.In[longs64], floats tile.Out[doubles64], out tile.InOut[longs64]) {
	v, all := f(doubles64(x.Load(0)))
	floats.Store(v)
	for i, r := range all {
		out.Store(r, i)
	}
}

// convertKnown stores what a function gives for numbers that are known when the kernel is compiled.
func convertKnown(f func(float64) (doubles, [9]one), floats tile.InOut[doubles], out tile.InOut[one]) {
	for i, x := range borders() {
		v, all := f(x)
		floats.Store(v, i)
		for j, r := range all {
			out.Store(r, 64*j+i)
		}
	}
}

// integerTypes are the integer types in the order of toAll: the least number, and the first that is too large.
var integerTypes = [9]struct {
	name        string
	least, past float64
}{
	{"int4", -8, 8}, {"int8", -1 << 7, 1 << 7}, {"int16", -1 << 15, 1 << 15}, {"int32", -1 << 31, 1 << 31}, {"int64", -1 << 63, 1 << 63},
	{"uint8", 0, 1 << 8}, {"uint16", 0, 1 << 16}, {"uint32", 0, 1 << 32}, {"uint64", 0, 1 << 64},
}

// saturated is the rule: x without its fraction, else the nearest integer of the type, 0 for NaN. It has the bits of int64.
func saturated(x, least, past float64) int64 {
	switch {
	case x != x:
		return 0
	case x >= past && past == 1<<64:
		return -1
	case x >= past:
		return int64(uint64(past) - 1)
	case x <= least:
		return int64(least)
	case x >= 1<<63:
		return int64(uint64(x))
	}
	return int64(x)
}

// Every float type converts to every integer type by one rule: at run time, after an integer, and where the value is known.
func TestFloatsSaturate(t *testing.T) {
	dev := open(t)
	in := borders()
	x, err := cutile.FromSlice(dev, in[:])
	if err != nil {
		t.Fatal(err)
	}
	ints := make([]int64, len(in))
	for i, f := range in {
		ints[i] = saturated(f, -1<<63, 1<<63)
	}
	n, err := cutile.FromSlice(dev, ints)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		tiles func(doubles64) (doubles64, [9]longs64)
		known func(float64) (doubles, [9]one)
	}{
		{
			"float64",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.F64T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.F64](x) },
		},
		{
			"float32",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.F32T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.F32](x) },
		},
		{
			"tf32",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.TF32T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.TF32](x) },
		},
		{
			"float16",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.F16T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.F16](x) },
		},
		{
			"bfloat16",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.BF16T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.BF16](x) },
		},
		{
			"float8_e4m3fn",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.F8E4M3T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.F8E4M3](x) },
		},
		{
			"float8_e5m2",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.F8E5M2T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.F8E5M2](x) },
		},
		{
			"float8_e8m0fnu",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.F8E8M0T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.F8E8M0](x) },
		},
		{
			"float4_e2m1fn",
			func(x doubles64) (doubles64, [9]longs64) { return toAll[tile.F4E2M1T1[tile.D64]](x) },
			func(x float64) (doubles, [9]one) { return toAllKnown[tile.F4E2M1](x) },
		},
	} {
		for way, kernel := range map[string][]any{
			"at run time": {convertTiles, c.tiles, x}, "from integers": {convertIntegers, c.tiles, n}, "known": {convertKnown, c.known},
		} {
			floats, out := zeros[float64](t, dev, 64), zeros[int64](t, dev, 64*9)
			if err := cutile.Launch(t.Context(), dev.Grid(1), kernel[0], append(kernel[1:], floats, out)...); err != nil {
				t.Fatalf("%s, %s: %v", c.name, way, err)
			}
			fs, got := values(t, floats), values(t, out)
			for j, to := range integerTypes {
				for i, f := range fs {
					if want := saturated(f, to.least, to.past); got[64*j+i] != want {
						t.Errorf("%s to %s, %s: of %g: %d, want %d", c.name, to.name, way, f, got[64*j+i], want)
					}
				}
			}
		}
	}
}
