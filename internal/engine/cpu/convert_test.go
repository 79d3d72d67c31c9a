package cpu_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

func TestIntToFloat(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, e := range intElems {
		a, _ := intPairs(e)
		if e == tileir.I64 { // numbers around ties of every format
			for i := range a {
				if i%3 == 0 {
					a[i] = int64(1)<<(i%63) + int64(1)<<(i*7%63) + int64(i%3) - 1
				}
			}
		}
		for _, f := range formats {
			for _, signed := range []bool{true, false} {
				got, err := runTiles(t, d, []input{{e, encodeInts(e, a)}}, func(k *kernel, args vals) *tileir.Value {
					return k.one("itof", args, attrs{"signedness": sign(signed), "rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(f.elem, len(a)))
				})
				if err != nil {
					t.Fatal(err)
				}
				x := decodeInts(e, encodeInts(e, a), signed)
				for i, g := range f.decode(got) {
					if want := f.round(newBig().SetInt(x[i]), tileir.RoundingNearestEven, false); !same(g, want) {
						t.Fatalf("itof %s to %s signed=%v of %v is %v, want %v", e, f.elem, signed, x[i], g, want)
					}
				}
			}
		}
	}
}

func TestFloatToInt(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, f := range formats {
		a, _ := f.operands(generator(21))
		for i, v := range []float64{0.5, -0.5, 0.999, -0.999, 127, 128, 127.5, -128, -128.5, -129, 255, 256, 32767, 32768, 65535, 65536, 1 << 31, -(1 << 31), 1 << 32, 1 << 63, -(1 << 63), 1 << 62, 1e30, -1e30} {
			a[100+i] = f.round(exact(v), tileir.RoundingNearestEven, false)
		}
		in := []input{{f.elem, f.encode(a)}}
		a = f.decode(in[0].data)
		for _, e := range intElems {
			for _, signed := range []bool{true, false} {
				got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
					return k.one("ftoi", args, attrs{"signedness": sign(signed), "rounding_mode": tileir.RoundingNearestIntToZero}, tileir.Tile(e, len(a)))
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, g := range decodeInts(e, got, signed) {
					if want := saturated(a[i], e.Bits(), signed); g.Cmp(want) != 0 {
						t.Fatalf("ftoi %s to %s signed=%v of %v is %v, want %v", f.elem, e, signed, a[i], g, want)
					}
				}
			}
		}
	}
}

// saturated is the reference: toward zero, clamped, NaN to zero.
func saturated(x float64, bits int, signed bool) *big.Int {
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	switch {
	case x != x:
		return new(big.Int)
	case math.IsInf(x, 1):
		return hi
	case math.IsInf(x, -1):
		return lo
	}
	v, _ := exact(x).Int(nil)
	if v.Cmp(lo) < 0 {
		return lo
	}
	if v.Cmp(hi) > 0 {
		return hi
	}
	return v
}

func TestFloatToFloat(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, from := range formats {
		a, _ := from.operands(generator(31))
		for _, to := range formats {
			if from.elem == to.elem {
				continue
			}
			for i := len(a) - 1024; i < len(a); i++ { // neighbours of ties of the target
				v := to.random(generator(uint64(i)), 1)[0]
				_, e := math.Frexp(v)
				v += math.Ldexp(float64(i%3-1)*(1+math.Ldexp(1, -20)), max(e-1, to.emin)-to.prec)
				if finite(v) {
					a[i] = from.round(exact(v), tileir.RoundingNearestEven, false)
				}
			}
			in := []input{{from.elem, from.encode(a)}}
			a = from.decode(in[0].data)
			for name, mode := range map[string]tileir.Int{"nearest": tileir.RoundingNearestEven, "zero": tileir.RoundingZero} {
				got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
					return k.one("ftof", args, attrs{"rounding_mode": mode}, tileir.Tile(to.elem, len(a)))
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, g := range to.decode(got) {
					want := a[i]
					if finite(want) {
						want = to.round(exact(want), mode, math.Signbit(want))
					}
					if !same(g, want) {
						t.Fatalf("ftof %s to %s %s of %v is %v, want %v", from.elem, to.elem, name, a[i], g, want)
					}
				}
			}
		}
	}
}

// small describes the 8-bit floats for the reference: values by their definition.
var small = []struct {
	elem     tileir.Elem
	exp, man int
	bias     int
	largest  float64
	nan      byte
	zero     bool
}{
	{tileir.F8E4M3FN, 4, 3, 7, 448, 0x7f, true}, {tileir.F8E5M2, 5, 2, 15, 57344, 0x7f, true},
	{tileir.F4E2M1FN, 2, 1, 1, 6, 0x7, true}, {tileir.F8E8M0FNU, 8, 0, 127, math.Ldexp(1, 127), 0xff, false},
	{tileir.FNV8E5M3FNU, 5, 3, 15, 114688, 0xff, true},
}

func TestSmallFloats(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, s := range small {
		n := 256
		if s.elem == tileir.F4E2M1FN {
			n = 16
		}
		codes := make([]byte, n)
		for i := range codes {
			codes[i] = byte(i)
		}
		var in []input
		build := func(k *kernel, args vals) *tileir.Value {
			v := k.one("bitcast", args, nil, tileir.Tile(s.elem, n))
			return k.one("ftof", vals{v}, attrs{"rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(tileir.F32, n))
		}
		if s.elem == tileir.F4E2M1FN {
			packed := make([]byte, 8)
			for i := range packed {
				packed[i] = byte(2*i | (2*i+1)<<4)
			}
			in = []input{{tileir.I8, packed}}
			build = func(k *kernel, args vals) *tileir.Value {
				v := k.one("unpack", args, nil, tileir.Tile(s.elem, n))
				return k.one("ftof", vals{v}, attrs{"rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(tileir.F32, n))
			}
		} else {
			in = []input{{tileir.I8, codes}}
		}
		got, err := runTiles(t, d, in, build)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range as[float32](got) {
			sign, m, e := 1.0, float64(i&(1<<s.man-1)), i>>s.man&(1<<s.exp-1)
			if i>>(s.exp+s.man) == 1 { // unsigned formats have no such bit
				sign = -1
			}
			want := sign * math.Ldexp(1+m/math.Ldexp(1, s.man), e-s.bias)
			if e == 0 && s.zero {
				want = sign * math.Ldexp(m/math.Ldexp(1, s.man), 1-s.bias)
			}
			switch mag := i & (1<<(s.exp+s.man) - 1); {
			case s.elem == tileir.F8E5M2 && mag == 0x7c:
				want = sign * math.Inf(1)
			case s.elem == tileir.F8E5M2 && mag > 0x7c, s.elem == tileir.F8E4M3FN && mag == 0x7f, i == 0xff && s.nan == 0xff:
				want = math.NaN()
			}
			if !same(float64(g), want) {
				t.Fatalf("%s %#x is %v, want %v", s.elem, i, g, want)
			}
		}
	}
}

func TestNarrowSmallFloats(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, s := range append(small[:2:2], small[4]) {
		f := format{s.elem, s.man + 1, 1 - s.bias, 0}
		_, e := math.Frexp(s.largest)
		f.emax = e // beyond the format, so that the reference does not overflow before it is clamped
		f32 := formats[2]
		a, _ := f32.operands(generator(41))
		for i := range 2048 { // all neighbourhoods
			a[len(a)-1-i] = float64(float32(math.Ldexp(1+float64(i%64)/64, f.emin-s.man+i/64)))
			if i%2 == 0 {
				a[len(a)-1-i] *= -1
			}
		}
		got, err := runTiles(t, d, []input{{tileir.F32, f32.encode(a)}}, func(k *kernel, args vals) *tileir.Value {
			v := k.one("ftof", args, attrs{"rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(s.elem, len(a)))
			return k.one("ftof", vals{v}, attrs{"rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(tileir.F32, len(a)))
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range as[float32](got) {
			want := a[i]
			if want == want {
				if finite(want) {
					want = f.round(exact(want), tileir.RoundingNearestEven, math.Signbit(want))
				}
				want = max(-s.largest, min(want, s.largest))
				if s.elem == tileir.FNV8E5M3FNU { // the sign is discarded
					want = math.Abs(want)
				}
			}
			if !same(float64(g), want) {
				t.Fatalf("%s of %v is %v, want %v", s.elem, a[i], g, want)
			}
		}
	}
}

func TestTF32(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	f32 := formats[2]
	a, _ := f32.operands(generator(51))
	for _, mode := range []tileir.Int{tileir.RoundingNearestEven, tileir.RoundingZero} {
		got, err := runTiles(t, d, []input{{tileir.F32, f32.encode(a)}}, func(k *kernel, args vals) *tileir.Value {
			v := k.one("ftof", args, attrs{"rounding_mode": mode}, tileir.Tile(tileir.TF32, len(a)))
			return k.one("ftof", vals{v}, attrs{"rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(tileir.F32, len(a)))
		})
		if err != nil {
			t.Fatal(err)
		}
		f := format{tileir.TF32, 11, -126, 127}
		for i, g := range as[float32](got) {
			want := a[i]
			if finite(want) {
				want = f.round(exact(want), mode, math.Signbit(want))
			}
			if !same(float64(g), want) {
				t.Fatalf("tf32 mode %d of %v is %v, want %v", mode, a[i], g, want)
			}
		}
	}
}

func TestPowInt(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	powers := []int64{0, 1, 2, 3, -1, -2, 10, 31}
	base := []float64{0.5, -2, 3, 1.5, 2, -0.25, 1, -1}
	for _, f := range formats {
		got, err := runTiles(t, d, []input{{f.elem, f.encode(base)}, {tileir.I32, encodeInts(tileir.I32, powers)}}, func(k *kernel, args vals) *tileir.Value {
			return k.one("fpowi", args, nil, args[0].Type)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range f.decode(got) {
			want := f.round(exact(math.Pow(base[i], float64(powers[i]))), tileir.RoundingNearestEven, false)
			if !same(g, want) {
				t.Errorf("fpowi %s (%v, %d) is %v, want %v", f.elem, base[i], powers[i], g, want)
			}
		}
	}
}
