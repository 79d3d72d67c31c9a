package cpu

import (
	"context"
	"errors"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

var errMutant = errors.New("mutant")

// Compile is a wrapper.
func (d *Device) Compile(ctx context.Context, m *tileir.Module, entry string) (engine.Kernel, error) {
	if tileir.Mutant("engine", "module") {
		return nil, errMutant
	}
	return d.compileUnchanged(ctx, m, entry)
}

func compileEntry(ctx context.Context, d *Device, m *tileir.Module, e *tileir.Entry) (*Kernel, error) {
	if tileir.Mutant("engine", "entry") {
		return nil, errMutant
	}
	return compileEntryUnchanged(ctx, d, m, e)
}

func (c *compiler) makeGlobals() error {
	if len(c.module.Globals) > 0 && tileir.Mutant("engine", "global") {
		return errMutant
	}
	return c.makeGlobalsUnchanged()
}

func (c *compiler) supported(b *tileir.Block) error {
	for op := range b.All() {
		if tileir.Mutant("engine", op.Info.Mnemonic) {
			return unsupported(op, nil, "mutant")
		}
	}
	return c.supportedUnchanged(b)
}

func shapeOf(op *tileir.Op) shape {
	s := shapeUnchanged(op)
	if tileir.Mutant("engine result", op.Info.Mnemonic) {
		s.generate, s.role = spoiling(s.generate), roleEnd
	}
	return s
}

// spoiling does what an operation does and then changes the bytes that it wrote. Where it writes no value, it does
// nothing.
func spoiling(generate generator) generator {
	return func(c *compiler, op *tileir.Op) (step, error) {
		var do step
		if generate != nil {
			var err error
			if do, err = generate(c, op); err != nil {
				return nil, err
			}
		}
		written := op.Results
		switch op.Info.Mnemonic {
		case "yield":
			written = c.yields
		case "continue":
			written = c.loop.carried
		case "break":
			written = c.loop.results
		}
		var places []place
		var flips []byte
		for _, v := range written {
			flip := byte(0x15)
			if t, ok := v.Type.(*tileir.TileType); ok && t.Elem == tileir.I1 && !t.Pointer {
				flip = 1
			}
			if p := c.plan.places[v]; p.storage != nil && p.bytes > 0 {
				places, flips = append(places, p), append(flips, flip)
			}
		}
		if len(places) == 0 {
			return func(*frame) signal { return sigNext }, nil
		}
		return func(f *frame) signal {
			sig := sigNext
			if do != nil {
				sig = do(f)
			}
			for i, p := range places {
				bytes := tile[byte](f, p.off, p.bytes)
				for j := range bytes {
					bytes[j] ^= flips[i]
				}
			}
			return sig
		}, nil
	}
}
