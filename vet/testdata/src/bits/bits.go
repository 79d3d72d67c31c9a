// want package:"registers 1 files"

// Package bits has numbers that become bits of floats, and others that do not.
package bits

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

//go:embed bits.go
var source embed.FS
var _ = cutile.Module(source)

type half = dtype.Float16

var (
	numbers = []dtype.Float16{1, 2}                    // want `1 is taken as the bits of a dtype.Float16, which mean 5.96e-08: write dtype.Floats\[dtype.Float16\]\(\[\]float32{1, 2}\) for numbers, or 0x1 for these bits`
	many    = []half{0, 1.0, 2, 3, 4, 5}               // want `1.0 is taken as the bits of a dtype.Float16, which mean 5.96e-08: write dtype.Float16FromFloat32\(1.0\) for numbers, or 0x1 for these bits`
	long    = []dtype.BFloat16{1, 2, 3, 4, 5}          // want `1 is taken as the bits of a dtype.BFloat16, which mean 9.18e-41: write dtype.Floats\[dtype.BFloat16\]\(\[\]float32{1, 2, 3, …}\) for numbers, or 0x1 for these bits`
	array   = [2]dtype.Float8E4M3FN{1: 56}             // want `56 is taken as the bits of a dtype.Float8E4M3FN, which mean 1: write dtype.Float8E4M3FNFromFloat32\(56\) for numbers, or 0x38 for these bits`
	table   = map[string]dtype.TensorFloat32{"a": 1}   // want `1 is taken as the bits of a dtype.TensorFloat32, which mean 0: `
	pair    = struct{ a, b dtype.Float8E5M2 }{0x3c, 2} // want `2 is taken as the bits of a dtype.Float8E5M2, which mean 3.05e-05: write dtype.Float8E5M2FromFloat32\(2\) for numbers, or 0x2 for these bits`
	single  = dtype.Float16(2)                         // want `2 is taken as the bits of a dtype.Float16, which mean 1.19e-07: write dtype.Float16FromFloat32\(2\) for the number, or 0x2 for these bits`

	meant = []dtype.Float16{0, 0x3c00, 0b1, 0o17, 0.0}
	zero  = dtype.Float16(0)
	bits  = dtype.Float16(0x3c00)
	right = dtype.Floats[dtype.Float16]([]float32{1, 2})
	wide  = []float32{1, 2}
)

const one = 1

func named(n uint16) []dtype.Float16 { return []dtype.Float16{dtype.Float16(n), one} }

// twice is a kernel, in which such constants are numbers.
func twice(x tile.InOut[tile.F16T1[tile.D16]]) {
	x.Store(x.Load(0)*tile.F16T1[tile.D16](factor()), 0)
}

func factor() dtype.Float16 { return dtype.Float16(2) }

func launch(ctx context.Context, dev *cutile.Device, x *cutile.Tensor[dtype.Float16]) error {
	if err := x.Fill(ctx, dtype.Float16(1)); err != nil { // want `1 is taken as the bits of a dtype.Float16`
		return err
	}
	return cutile.Launch(ctx, dev.Grid(1), twice, x)
}
