package cpu_test

import (
	"math"
	"math/big"
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

// format describes a binary floating-point format for the reference: precision and the exponents of normal numbers.
type format struct {
	elem       tileir.Elem
	prec       int
	emin, emax int
}

var formats = []format{
	{tileir.F16, 11, -14, 15}, {tileir.BF16, 8, -126, 127}, {tileir.F32, 24, -126, 127}, {tileir.F64, 53, -1022, 1023},
}

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

// round is the reference: the value of the format that an exact number rounds to. Zero results take the sign given.
func (f format) round(x *big.Float, mode tileir.Int, negZero bool) float64 {
	if x.Sign() == 0 {
		if negZero {
			return math.Copysign(0, -1)
		}
		return 0
	}
	neg := x.Sign() < 0
	a := new(big.Float).SetPrec(5000).Abs(x)
	exp := max(a.MantExp(nil)-1, f.emin) // of the leading bit, or of the least normal number
	ulp := exp - f.prec + 1
	scaled := new(big.Float).SetPrec(5000).SetMantExp(a, -ulp)
	q, _ := scaled.Int(nil) // truncated
	rest := new(big.Float).SetPrec(5000).Sub(scaled, new(big.Float).SetPrec(5000).SetInt(q))
	half := rest.Cmp(big.NewFloat(0.5))
	up := false
	switch mode {
	case tileir.RoundingNearestEven:
		up = half > 0 || half == 0 && q.Bit(0) == 1
	case tileir.RoundingNegativeInf:
		up = neg && rest.Sign() > 0
	case tileir.RoundingPositiveInf:
		up = !neg && rest.Sign() > 0
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	r := new(big.Float).SetPrec(5000).SetMantExp(new(big.Float).SetPrec(5000).SetInt(q), ulp)
	largest := math.Ldexp(2-math.Ldexp(1, 1-f.prec), f.emax)
	v, _ := r.Float64()
	if r.Cmp(big.NewFloat(largest)) > 0 {
		v = math.Inf(1)
		if mode == tileir.RoundingZero || mode == tileir.RoundingNegativeInf && !neg || mode == tileir.RoundingPositiveInf && neg {
			v = largest
		}
	}
	if neg {
		v = -v
	}
	return v
}

// specials are values at which formats and operations turn: zeros, subnormal numbers, powers of two and their
// neighbours, the greatest numbers, infinities, NaN.
func (f format) specials() []float64 {
	least := math.Ldexp(1, f.emin-f.prec+1)
	normal := math.Ldexp(1, f.emin)
	largest := math.Ldexp(2-math.Ldexp(1, 1-f.prec), f.emax)
	eps := math.Ldexp(1, 1-f.prec)
	pos := []float64{0, least, 2 * least, 3 * least, normal - least, normal, normal + least, eps, eps / 2, 0.5, 1 - eps/2, 1, 1 + eps,
		1 + 3*eps, 1.5, 2, 3, 5, 7, math.Ldexp(1, f.prec), math.Ldexp(1, f.prec) - 1, math.Ldexp(1, f.emax/2), largest / 2, largest, math.Inf(1)}
	out := []float64{math.NaN()}
	for _, v := range pos {
		out = append(out, v, -v)
	}
	return out
}

// random gives n values of the format with many exponents.
func (f format) random(rng func() uint64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		m := float64(rng()>>(64-f.prec)) + 1
		span := f.emax - f.emin + f.prec
		e := f.emin - f.prec + int(rng()%uint64(span))
		if i%2 == 0 {
			e = -f.prec + int(rng()%8) // near each other
		}
		out[i] = f.round(new(big.Float).SetMantExp(big.NewFloat(m), e), tileir.RoundingZero, false)
		if rng()&1 == 1 {
			out[i] = -out[i]
		}
	}
	return out
}

// operands gives two tiles of a power-of-two length: all pairs of special values, then random ones.
func (f format) operands(rng func() uint64) (a, b []float64) {
	s := f.specials()
	for _, x := range s {
		for _, y := range s {
			a, b = append(a, x), append(b, y)
		}
	}
	n := 4096
	a = append(a, f.random(rng, n-len(a))...)
	b = append(b, f.random(rng, n-len(b))...)
	return a, b
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

// same compares as the tests do: all NaNs are one, zeros have signs.
func same(a, b float64) bool {
	if a != a || b != b {
		return a != a && b != b
	}
	return a == b && math.Signbit(a) == math.Signbit(b)
}
