package languagetest_test

import (
	"testing"

	"github.com/cutile-go/cutile/tile"
)

// aboveTie lies above the middle between two float32 by so little that it is the middle to a float64. So it is 1 to a variable of
// type float64 that is converted to float32, and more than 1 to a float32.
const aboveTie = 0x1.00000100000000000001p0

func narrowed(x float64) float32 { return float32(x) }

type doubleHolder struct{ a float64 }

func narrowedAny(v any) float32 {
	if f, ok := v.(float64); ok {
		return float32(f)
	}
	return 0
}

// TestLiteralsRoundOnce compares literals, constants and constant expressions with Go: each is rounded to the type of its variable, once.
func TestLiteralsRoundOnce(t *testing.T) {
	dev := open(t)
	for name, f := range map[string]func(float64) float64{
		"variable":          func(float64) float64 { x := 0x1.00000100000000000001p0; return float64(float32(x)) },
		"declared":          func(float64) float64 { var x float64 = 0x1.00000100000000000001p0; return float64(float32(x)) },
		"of a constant":     func(float64) float64 { x := aboveTie; return float64(float32(x)) },
		"sum":               func(float64) float64 { x := 1 + 0x1p-24 + 0x1p-80; return float64(float32(x)) },
		"argument":          func(float64) float64 { return float64(narrowed(0x1.00000100000000000001p0)) },
		"constant argument": func(float64) float64 { return float64(narrowed(aboveTie)) },
		"field":             func(float64) float64 { h := doubleHolder{0x1.00000100000000000001p0}; return float64(float32(h.a)) },
		"array":             func(float64) float64 { h := [2]float64{0x1.00000100000000000001p0}; return float64(float32(h[0])) },
		"interface":         func(float64) float64 { return float64(narrowedAny(0x1.00000100000000000001p0)) },
		"assign":            func(float64) float64 { x := 1.0; x = 0x1.00000100000000000001p0; return float64(float32(x)) },
		"result": func(float64) float64 {
			g := func() float64 { return 0x1.00000100000000000001p0 }
			return float64(float32(g()))
		},
		"equal": func(float64) float64 {
			x := 1.0 + 0x1p-24
			if x == 0x1.00000100000000000001p0 {
				return 1
			}
			return 0
		},
		"range": func(float64) float64 {
			s := 0.0
			for _, x := range []float64{0x1.00000100000000000001p0} {
				s += float64(float32(x))
			}
			return s
		},
		"slice": func(float64) float64 {
			var h []float64
			h = append(h, 0x1.00000100000000000001p0)
			return float64(float32(h[0]))
		},
		"two": func(float64) float64 {
			x, y := 0x1.00000100000000000001p0, 1
			return float64(float32(x)) + float64(y-1)
		},
		"float32":          func(float64) float64 { x := float32(0x1.00000100000000000001p0); return float64(x) },
		"float32 declared": func(float64) float64 { var x float32 = 0x1.00000100000000000001p0; return float64(x) },
		"float32 sum":      func(float64) float64 { var x float32 = 1 + 0x1p-24 + 0x1p-80; return float64(x) },
		"conversion":       func(float64) float64 { return float64(float32(float64(0x1.00000100000000000001p0))) },
	} {
		got, err := asks(t, dev, f, 0)
		if err != nil || got != f(0) {
			t.Errorf("%s: %v %v, want %v", name, got, err, f(0))
		}
	}
}

// TestLiteralsOfTiles: the elements of a tile may be narrower than the type beneath it, to which Go's type checker rounds.
func TestLiteralsOfTiles(t *testing.T) {
	dev := open(t)
	for name, f := range map[string]func(float64) float64{
		"literal":  func(float64) float64 { var x tile.F32 = 0x1.00000100000000000001p0; return float64(x) },
		"sum":      func(float64) float64 { var x tile.F32 = 1 + 0x1p-24 + 0x1p-80; return float64(x) },
		"minus":    func(float64) float64 { var x tile.F32 = -0x1.00000100000000000001p0; return -float64(x) },
		"operand":  func(float64) float64 { x := tile.F32(0); return float64(x + 0x1.00000100000000000001p0) },
		"argument": func(float64) float64 { return float64(tile.Full[tile.F32](0x1.00000100000000000001p0)) },
	} {
		if got, err := asks(t, dev, f, 0); err != nil || got != 1+0x1p-23 {
			t.Errorf("%s: %v, %v, want %v", name, got, err, 1+0x1p-23)
		}
	}
}
