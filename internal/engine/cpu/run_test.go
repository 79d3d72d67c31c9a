package cpu_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// input is a tile that a test kernel loads.
type input struct {
	elem tileir.Elem
	data []byte
}

// runTiles runs a kernel that loads 1-D tiles, lets build compute from them, and stores the result's elements.
func runTiles(t testing.TB, d *cpu.Device, inputs []input, build func(k *kernel, args vals) *tileir.Value) ([]byte, error) {
	t.Helper()
	params := make([]tileir.Type, len(inputs)+1)
	for i, in := range inputs {
		params[i] = tileir.PointerTile(in.elem)
	}
	// The result's type is known only after building, so build once to look.
	probe := newKernel(t, params[:len(inputs)]...)
	out := build(probe, probe.loadAll(inputs)).Type.(*tileir.TileType)
	params[len(inputs)] = tileir.PointerTile(out.Elem)
	k := newKernel(t, params...)
	v := build(k, k.loadAll(inputs))
	flat := k.one("reshape", vals{v}, nil, tileir.Tile(out.Elem, out.Size()))
	k.store(flat, k.view(k.entry.Params[len(inputs)], []int{out.Size()}, int64(out.Size())), k.i32(0))
	k.ret()
	var args []uint64
	for _, in := range inputs {
		args = append(args, upload(t, d, in.data).Address())
	}
	res := upload(t, d, make([]byte, out.Size()*out.Elem.Bytes()))
	args = append(args, res.Address())
	if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, args...); err != nil {
		return nil, err
	}
	return append([]byte(nil), res.Host()...), nil
}

func (k *kernel) loadAll(inputs []input) vals {
	var args vals
	for i, in := range inputs {
		n := len(in.data) / in.elem.Bytes()
		args = append(args, k.load(k.view(k.entry.Params[i], []int{n}, int64(n)), k.i32(0)))
	}
	return args
}

// as sees bytes as elements.
func as[E any](b []byte) []E {
	var e E
	n := len(b) / len(bytesOf([]E{e}))
	out := make([]E, n)
	copy(bytesOf(out), b)
	return out
}

// format is a type of floats that tests write and read.
type format struct{ elem tileir.Elem }

var formats = []format{{tileir.F16}, {tileir.BF16}, {tileir.F32}, {tileir.F64}}

func (f format) decode(b []byte) []float64 {
	var out []float64
	switch f.elem {
	case tileir.F16:
		for _, v := range as[dtype.Float16](b) {
			out = append(out, v.Float64())
		}
	case tileir.BF16:
		for _, v := range as[dtype.BFloat16](b) {
			out = append(out, v.Float64())
		}
	case tileir.F32:
		for _, v := range as[float32](b) {
			out = append(out, float64(v))
		}
	case tileir.F64:
		out = as[float64](b)
	}
	return out
}

// encode stores values that the format has exactly.
func (f format) encode(v []float64) []byte {
	switch f.elem {
	case tileir.F16:
		out := make([]dtype.Float16, len(v))
		for i, x := range v {
			out[i] = dtype.Float16FromFloat64(x)
		}
		return bytesOf(out)
	case tileir.BF16:
		out := make([]dtype.BFloat16, len(v))
		for i, x := range v {
			out[i] = dtype.BFloat16FromFloat64(x)
		}
		return bytesOf(out)
	case tileir.F32:
		out := make([]float32, len(v))
		for i, x := range v {
			out[i] = float32(x)
		}
		return bytesOf(out)
	}
	return bytesOf(v)
}

// generator is a small random number generator (xorshift) with a fixed seed.
func generator(seed uint64) func() uint64 {
	x := seed*0x9e3779b97f4a7c15 + 1
	return func() uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x * 0x2545f4914f6cdd1d
	}
}

func randomFloats(n int, seed uint64, scale float32) []float32 {
	rng, out := generator(seed), make([]float32, n)
	for i := range out {
		out[i] = (float32(rng()>>40)/(1<<23) - 1) * scale
	}
	return out
}

// same compares as the tests do: all NaNs are one, zeros have signs.
func same(a, b float64) bool {
	if a != a || b != b {
		return a != a && b != b
	}
	return a == b && math.Signbit(a) == math.Signbit(b)
}
