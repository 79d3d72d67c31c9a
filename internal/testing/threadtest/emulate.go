package threadtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/toolbox/emuprofile"
	"github.com/cutile-go/cutile/tileir"
)

// Compile makes PTX of an entry, looks whether it is valid, and gets it ready for the emulator. An entry that the compiler
// refuses is a [*threads.Error].
func Compile(m *tileir.Module, entry, arch string, o threads.Options) (*simt.Module, *emu.Program, error) {
	code, err := threads.PTX(m, entry, arch, o)
	if err != nil {
		return nil, nil, err
	}
	if err := simt.Verify(code, arch); err != nil {
		return nil, nil, fmt.Errorf("PTX that is not valid: %w", err)
	}
	p, err := emu.Load(code)
	return code, p, err
}

// withMaps adds the tensor maps to a launch; ok is false if there are no such maps.
func withMaps(l *emu.Launch, f *simt.Func) (ok bool) {
	l.Bytes, ok = emuprofile.TensorMaps(f, l.Args)
	l.Args = append(l.Args, make([]uint64, len(f.Tensors))...)
	return ok
}

// base is the address of a parameter's memory.
func base(i int) uint64 { return uint64(i+1) << 36 }

// Emulator runs random programs on the emulator, with races reported: where the seed is odd by a schedule that holds warps back.
func Emulator(arch string, o threads.Options) nativefuzz.Engine { return Changed(arch, o, nil) }

// Changed is [Emulator] for kernels that change has changed.
func Changed(arch string, o threads.Options, change func(m *simt.Module)) nativefuzz.Engine {
	return nativefuzz.Engine{Name: "the emulator for " + arch, Run: func(p *nativefuzz.Program, data [][]byte) (refused, fault string, err error) {
		name := p.Module.Entries[0].Name
		code, prog, err := Compile(p.Module, name, arch, o)
		var no *threads.Error
		if errors.As(err, &no) {
			return no.Text, "", nil
		} else if err != nil {
			return "", "", err
		}
		if change != nil {
			change(code)
			if prog, err = emu.Load(code); err != nil {
				return "", "", err
			}
		}
		l := launch(p, code, data)
		if !withMaps(&l, code.Kernels[0]) {
			plain := o
			plain.Tensors = false
			return Changed(arch, plain, change).Run(p, data)
		}
		if err := prog.Run(context.Background(), l); err != nil {
			return "", err.Error(), nil
		}
		return "", "", nil
	}}
}

// launch is a launch of a program's kernel.
func launch(p *nativefuzz.Program, code *simt.Module, data [][]byte) emu.Launch {
	mem := &emu.Memory{}
	l := emu.Launch{Kernel: code.Kernels[0].Name, Shared: code.Kernels[0].Shared, Memory: mem, Races: true, Workers: 1}
	if p.Seed%2 > 0 {
		l.Schedule = p.Seed
	}
	for i, n := range p.Grid {
		l.Grid[i] = int(n)
	}
	next := 0
	for i, q := range p.Params {
		if q.Elems < 0 {
			l.Args = append(l.Args, q.Bits)
			continue
		}
		mem.Map(base(i), data[next], fmt.Sprintf("parameter %d", i), false)
		l.Args = append(l.Args, base(i))
		next++
	}
	return l
}
