package passes_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

// TestFast: a division by what is the same for many elements becomes a product with one reciprocal, another one of f32 is
// approximate; one with a rounding of its own stays, as one of f16 does.
func TestFast(t *testing.T) {
	const (
		product  = "divf tile<1x1xE>, mulf tile<8x16xE>"
		constant = "divf tile<8x16xE>, mulf tile<8x16xE>"
		division = "divf tile<8x16xE>"
	)
	for _, c := range []struct{ name, elem, divisor, rounding, want string }{
		{"a number", "f32", "one", "", product},
		{"a number of f64", "f64", "one", "", product},
		{"a number of bf16", "bf16", "one", "", product},
		{"a number of f16", "f16", "one", "", division},
		{"a constant", "f32", "three", "", constant},
		{"a rounding", "f32", "one", "rounding<zero>", division},
		{"every element", "f32", "whole", "", "divf approx tile<8x16xE>"},
		{"every element of f64", "f64", "whole", "", division},
	} {
		b := tileir.NewBuilder()
		elem := elems[c.elem]
		whole, one := tileir.Tile(elem, 8, 16), tileir.Tile(elem, 1, 1)
		e := b.Entry("k", []tileir.Type{tileir.Tile(elem)}, func(params []*tileir.Value) {
			small := b.Reshape(params[0], one.Shape...)
			x := b.AddF(b.Broadcast(small, whole.Shape...), b.Constant(wave(whole)), tileir.RoundingNearestEven)
			by := x
			switch c.divisor {
			case "one":
				by = b.Broadcast(small, whole.Shape...)
			case "three":
				by = b.Constant(tileir.FloatConstant(whole, 3))
			}
			mode := tileir.RoundingNearestEven
			if c.rounding != "" {
				mode = tileir.RoundingZero
			}
			b.PrintTko("%f", []*tileir.Value{b.DivF(x, by, mode)})
		})
		m, err := b.Build(tileir.V13_4)
		if err != nil {
			t.Fatal(err)
		}
		if err := passes.Run(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		passes.Fast(e)
		if err := tileir.Verify(m, tileir.V13_4); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		for _, o := range e.Body.Ops {
			if o.Info.Opcode != tileir.OpDivF && o.Info.Opcode != tileir.OpMulF {
				continue
			}
			text := o.Info.Mnemonic + " "
			if o.Int("rounding_mode") == int64(tileir.RoundingApprox) {
				text += "approx "
			}
			got = append(got, text+o.Results[0].Type.String())
		}
		if want := strings.ReplaceAll(c.want, "E", c.elem); strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, ", "), want)
		}
	}
}

var elems = map[string]tileir.Elem{"f16": tileir.F16, "bf16": tileir.BF16, "f32": tileir.F32, "f64": tileir.F64}

// wave is a constant whose elements differ.
func wave(t *tileir.TileType) *tileir.Constant {
	c := &tileir.Constant{Type: t}
	for i := range t.Size() {
		bits := tileir.FloatBits(t.Elem, float64(i%7)+1)
		for j := range t.Elem.Bits() / 8 {
			c.Data = append(c.Data, byte(bits>>(8*j)))
		}
	}
	return c
}

// scaled divides by a number.
//
//cutile:fast
func scaled(x tile.In[tile.F32T1[tile.D64]], n float32, z tile.Out[tile.F32T1[tile.D64]]) {
	z.Store(x.Load(z.Index(0)) / tile.F32T1[tile.D64](n))
}

// TestFastIsClose compares a kernel with //cutile:fast with the host: it multiplies by the rounded reciprocal, which is at most
// two units in the last place from the quotient, and is not the quotient everywhere.
func TestFastIsClose(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const n = 49
	xs := make([]float32, 1000)
	for i := range xs {
		xs[i] = float32(i)*1.37 - 600
	}
	x, err := cutile.FromSlice(dev, xs)
	if err != nil {
		t.Fatal(err)
	}
	z, err := cutile.FromSlice(dev, make([]float32, len(xs)))
	if err != nil {
		t.Fatal(err)
	}
	if err := cutile.Launch(t.Context(), dev, scaled, x, float32(n), z); err != nil {
		t.Fatal(err)
	}
	got, err := z.Slice()
	if err != nil {
		t.Fatal(err)
	}
	quotients := make([]float32, len(xs))
	for i, v := range xs {
		quotients[i] = v / n
		if by := float32(1) / n; got[i] != v*by {
			t.Errorf("%v / %v: %v, want the product with the reciprocal, %v", v, n, got[i], v*by)
		}
		exact := float64(v) / n
		if ulp := math.Abs(exact) * 0x1p-23; math.Abs(float64(got[i])-exact) > 2*ulp {
			t.Errorf("%v / %v: %v is more than two units from %v", v, n, got[i], exact)
		}
	}
	if slices.Equal(got, quotients) {
		t.Error("every element is the quotient: nothing shows that the kernel multiplies")
	}
}
