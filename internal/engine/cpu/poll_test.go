package cpu_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// bigOps are kernels whose time is in a few large operations, each with what makes it long: the operation is repeated
// in a loop, whose turns take long enough to be told from it.
var bigOps = map[string]func(k *kernel) *tileir.Value{
	"mmaf": func(k *kernel) *tileir.Value {
		t := tileir.Tile(tileir.F32, 2048, 2048)
		a := constant(k, t, float32(1))
		return k.one("mmaf", vals{a, a, a}, nil, t)
	},
	"mmaf of wide rows": func(k *kernel) *tileir.Value {
		a, b, c := tileir.Tile(tileir.F16, 64, 4096), tileir.Tile(tileir.F16, 4096, 4096), tileir.Tile(tileir.F32, 64, 4096)
		return k.one("mmaf", vals{constant(k, a, uint16(0x3c00)), constant(k, b, uint16(0x3c00)), constant(k, c, float32(1))}, nil, c)
	},
	"pow, interpreted": func(k *kernel) *tileir.Value {
		t := tileir.Tile(tileir.F64, 1<<22)
		x := counted(k, 1<<22)
		return k.one("fpowf", vals{x, x}, nil, t)
	},
	"scan":   func(k *kernel) *tileir.Value { return bigFold(k, "scan") },
	"reduce": func(k *kernel) *tileir.Value { return bigFold(k, "reduce") },
	"permute": func(k *kernel) *tileir.Value {
		t := tileir.Tile(tileir.F64, 2048, 2048)
		return k.one("permute", vals{counted(k, 2048, 2048)}, attrs{"permutation": tileir.Ints{1, 0}}, t)
	},
	"print": func(k *kernel) *tileir.Value {
		k.opGroups("print_tko", []vals{{counted(k, 1<<17)}, nil}, attrs{"str": tileir.String("%f")}, nil, tileir.Token)
		return nil
	},
}

// counted is a tile of float64 that are all different.
func counted(k *kernel, shape ...int) *tileir.Value {
	n := 1
	for _, m := range shape {
		n *= m
	}
	i := k.one("iota", nil, nil, tileir.Tile(tileir.I32, n))
	x := k.one("itof", vals{i}, attrs{"signedness": tileir.Signed, "rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(tileir.F64, n))
	if len(shape) > 1 {
		x = k.one("reshape", vals{x}, nil, tileir.Tile(tileir.F64, shape...))
	}
	return x
}

// bigFold is a scan or reduction of a large tile along its first dimension, with a body of two operations.
func bigFold(k *kernel, name string) *tileir.Value {
	to, as := tileir.Tile(tileir.F64, 1<<18, 16), attrs{"reverse": tileir.Bool(false)}
	if name == "reduce" {
		to, as = tileir.Tile(tileir.F64, 16), nil
	}
	return k.fold(name, counted(k, 1<<18, 16), 0, as, to, func(elem, acc *tileir.Value) *tileir.Value {
		s := tileir.Tile(tileir.F64)
		v := k.one("addf", vals{acc, elem}, attrs{"rounding_mode": tileir.RoundingNearestEven}, s)
		return k.one("exp", vals{v}, nil, s)
	})
}

// TestStopInsideOperation: a launch that is stopped ends within 50 ms, in the middle of one large operation, too.
func TestStopInsideOperation(t *testing.T) {
	const most = 50 * time.Millisecond
	for name, build := range bigOps {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t, cpu.Options{Workers: 1, Output: io.Discard, Interpret: strings.HasSuffix(name, "interpreted")})
			k := newKernel(t)
			for range 40 {
				build(k)
			}
			k.ret()
			kern := k.compile(d)
			worst := time.Hour
			for range 12 { // the machine may be busy: once is enough
				s := newStream(t, d)
				s.Launch(kern, [3]uint32{1, 1, 1}, nil)
				short, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
				if err := s.Wait(short); err == nil {
					t.Fatal("the kernel is too short for the test")
				}
				cancel()
				start := time.Now()
				s.(interface{ Stop() }).Stop()
				if err := s.Wait(t.Context()); !isStopped(err) {
					t.Fatal(err)
				}
				if worst = min(worst, time.Since(start)); worst < most {
					return
				}
			}
			t.Errorf("it stopped after %v", worst)
		})
	}
}
