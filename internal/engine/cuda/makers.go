package cuda

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

// makers are what makes code for a device.
type makers struct {
	asm Assembler // what is asked first; nil for our own compiler alone
	Choice
}

// makers are settled at the first call that finds no mistake. A folder of cubins comes before all.
func (d *Device) makers(ctx context.Context) (makers, error) {
	d.choosing.Lock()
	defer d.choosing.Unlock()
	if d.made != nil {
		return *d.made, nil
	}
	w, err := d.findMakers(ctx)
	if ctx.Err() != nil { // the answer is not that of tileiras
		return w, ctx.Err()
	}
	if err == nil {
		d.made = &w
	}
	return w, err
}

// Maker implements [engine.Making]. What a folder of cubins has was made where that was written. A kernel that tileiras will refuse counts as its
// own, too, and as that of any program that asks it.
func (d *Device) Maker(ctx context.Context, m *tileir.Module, entry string) (string, error) {
	w, err := d.makers(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.Name(), err)
	}
	p, folder := w.asm.(*Prebuilt)
	switch {
	case w.asm == nil:
		return AssemblerOwn, nil
	case !folder || w.Only:
		return AssemblerTileiras, nil
	}
	e, err := engine.FindEntry(m, entry)
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.Name(), err)
	}
	if d.shelved(ctx, &w, m, e) {
		return AssemblerOwn, nil
	}
	if p.Next == nil { // else it makes what the folder lacks
		version, err := d.version(ctx, p)
		if err != nil {
			return AssemblerOwn, nil
		}
		if code, err := identity(m, version); err != nil || !p.holds(CubinName(code, d.Target())) {
			return AssemblerOwn, nil
		}
	}
	return AssemblerTileiras, nil
}

func (d *Device) findMakers(ctx context.Context) (w makers, err error) {
	w.asm = d.opts.Assembler
	if w.asm != nil {
		w.Choice = Choice{AssemblerTileiras, "it is the only one", true}
	} else if w.Choice, err = Choose(d.opts.Choice, d.info, askTileiras(ctx)); err != nil && d.opts.Cubins == nil {
		return w, err
	}
	if w.asm == nil && w.Assembler == AssemblerTileiras {
		if w.asm, err = keepingTileiras(); err != nil && d.opts.Cubins == nil {
			return w, err
		}
	}
	if d.opts.Cubins != nil && d.opts.Choice != AssemblerOwn && d.info.Driver >= MinDriver {
		w.asm = &Prebuilt{FS: d.opts.Cubins, Next: w.asm}
	}
	return w, nil
}

// keepingTileiras is tileiras with the folder of what it made before.
func keepingTileiras() (Assembler, error) {
	t, err := FindTileiras()
	if err != nil {
		return nil, err
	}
	s, err := codeStore(tileLevel)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return t, nil
	}
	return &Kept{Tileiras: t, Store: s}, nil
}

// version is the newest that the assembler reads, unless the options name one.
func (d *Device) version(ctx context.Context, asm Assembler) (tileir.Version, error) {
	if d.opts.Version != 0 {
		return d.opts.Version, nil
	}
	versions, err := asm.Versions(ctx)
	if err != nil {
		return 0, err
	}
	if len(versions) == 0 {
		return 0, fmt.Errorf("the assembler reads none of the bytecode versions %v: update the toolchain (cutile toolchain install)",
			tileir.Versions())
	}
	return versions[len(versions)-1], nil
}

// shelved reports whether the folder of cubins has code of our own compiler for an entry, or what should be such code, and none of
// tileiras, which would have to be run. What the user has ruled out is not looked for.
func (d *Device) shelved(ctx context.Context, w *makers, m *tileir.Module, e *tileir.Entry) bool {
	p, ok := w.asm.(*Prebuilt)
	if !ok || w.Only {
		return false
	}
	if version, err := d.version(ctx, p); err == nil {
		code, err := identity(m, version)
		if err != nil || p.holds(CubinName(code, d.Target())) {
			return false
		}
	}
	name, err := identity(m, tileir.Newest)
	if err != nil {
		return false
	}
	code, err := (&ownFolder{files: p.FS, gpu: d.info}).find(name, e, true)
	return err != nil || code.file != ""
}
