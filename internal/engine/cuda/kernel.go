package cuda

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// Kernel is loaded code; it implements [engine.Kernel].
type Kernel struct {
	d      *Device
	module cudrv.Module
	fn     cudrv.Function
	name   string
	params int
	loc    tileir.Loc // of the entry
	attrs  []cudrv.LaunchAttribute
	block  [3]uint32 // threads; one for code of tileiras, which has as many as it wants
	life   engine.Life

	dynamic uint32      // bytes of dynamic shared memory of code of our own compiler; the code of tileiras asks for its own
	tensors *tensorMaps // nil for none

	// Of the SIMT level, where a module has several kernels and is closed as a whole.
	inModule bool
	sharing  sync.Mutex
	shared   uint32 // dynamic shared memory that launches may ask for
}

func (k *Kernel) order() int     { return orderKernel }
func (k *Kernel) destroy() error { return k.d.drv.ModuleUnload(k.module) }

// Close unloads the code.
func (k *Kernel) Close() error {
	if k.inModule || !k.life.End() {
		return nil
	}
	return engine.Join(k.d.drop(k), k.tensors.close())
}

// Compile makes code by what [Choose] says, and loads it. A failing assembler is an [*AssemblyError]; what the GPU's architecture is
// known to lack is a [*tileir.VerifyError], before one is asked. Our own compiler comes next, unless the choice excludes it.
func (d *Device) Compile(ctx context.Context, m *tileir.Module, entry string) (engine.Kernel, error) {
	e, err := engine.FindEntry(m, entry)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	named := func(err error) error { return fmt.Errorf("%s: kernel %s: %w", d.Name(), entry, err) }
	w, err := d.makers(ctx)
	if err != nil {
		return nil, named(err)
	}
	var first error
	if d.shelved(ctx, &w, m, e) {
		w.asm, w.Because = nil, "the folder of cubins comes first"
	}
	if w.asm != nil {
		cubin, job, err := d.assemble(ctx, w.asm, m, e)
		if err == nil {
			return d.loadAssembled(ctx, w.asm, cubin, job)
		}
		if first = err; w.Only || ctx.Err() != nil || engine.Damaged(err) {
			return nil, err
		}
		w.Because = strings.SplitN(err.Error(), "\n", 2)[0]
	}
	engine.Note(ctx, "assembler", AssemblerOwn)
	engine.Note(ctx, "because", w.Because)
	code, key, err := d.makeOwn(ctx, m, e, !keepsState(m))
	if err != nil {
		if first == nil { // which is told before
			err = fmt.Errorf("our own compiler, since %s: %w", w.Because, err)
		}
		return nil, refusal(first, named(err))
	}
	k, err := d.loadOwn(code, key, e)
	if err != nil {
		return nil, refusal(first, err)
	}
	if len(code.Tensors) > 0 {
		k.tensors = &tensorMaps{params: code.Tensors, plain: func(ctx context.Context) (*Kernel, error) {
			code, key, err := d.makeOwn(ctx, m, e, false)
			if err != nil {
				return nil, named(err)
			}
			return d.loadOwn(code, key, e)
		}}
	}
	return k, nil
}

// keepsState reports whether a module has memory that its kernels write. Such a module is loaded once, so that all launches find what
// others have written: the same kernel without tensor maps would be a module of its own.
func keepsState(m *tileir.Module) bool {
	return slices.ContainsFunc(m.Globals, func(g *tileir.Global) bool { return !g.Constant })
}

// assemble makes a cubin in the version of [Options].
func (d *Device) assemble(ctx context.Context, asm Assembler, m *tileir.Module, e *tileir.Entry) (cubin []byte, job Job, err error) {
	version, err := d.version(ctx, asm)
	if err != nil {
		return nil, job, fmt.Errorf("%s: kernel %s: %w", d.Name(), e.Name, err)
	}
	if err := tileir.VerifyTarget(m, d.Target()); err != nil {
		return nil, job, fmt.Errorf("%s: kernel %s: this GPU lacks what the kernel uses: %w", d.Name(), e.Name, err)
	}
	code, err := bytecode.Write(m, version, bytecode.Options{})
	if err != nil {
		return nil, job, fmt.Errorf("%s: kernel %s: %w", d.Name(), e.Name, err)
	}
	job = Job{Bytecode: code, Version: version, Target: d.Target(), Module: m, Entry: e}
	cubin, err = asm.Assemble(ctx, job)
	return cubin, job, bundled(job, err)
}

// loadAssembled loads a cubin. One that the driver refuses is forgotten.
func (d *Device) loadAssembled(ctx context.Context, asm Assembler, cubin []byte, job Job) (engine.Kernel, error) {
	k, _, err := d.Load(cubin, job.Entry.Name, len(job.Entry.Params))
	if err != nil {
		if keeper, ok := asm.(forgetter); ok {
			err = engine.Join(err, keeper.forget(ctx, job))
		}
		return nil, err
	}
	k.loc = job.Entry.Loc
	if waitsForGrid(job.Entry) {
		k.attrs = earlyStart
	}
	return k, nil
}

// earlyStart lets a kernel start while the one before it on the stream still runs.
var earlyStart = []cudrv.LaunchAttribute{{ID: cudrv.ProgrammaticSerialization, Value: [16]uint32{1}}}

// waitsForGrid reports whether each block of a kernel waits for the grid before it: then the kernel may start early. A wait
// in a branch is not enough, as the next kernel would wait only for blocks that have not waited themselves.
func waitsForGrid(e *tileir.Entry) bool {
	return slices.ContainsFunc(e.Body.Ops, func(o *tileir.Op) bool { return o.Info.Opcode == tileir.OpGdcWaitTko })
}

// Load loads a cubin or PTX and finds its entry, which takes the given number of parameters. log is what the driver's
// compiler said of PTX.
func (d *Device) Load(image []byte, entry string, params int) (k *Kernel, log string, err error) {
	if err := d.enter(); err != nil {
		return nil, "", err
	}
	defer d.leave()
	m, log, err := d.drv.ModuleLoadData(image)
	if err != nil {
		return nil, "", d.loadError(entry, err)
	}
	fn, err := d.drv.ModuleGetFunction(m, entry)
	if err != nil {
		err = d.loadError(entry, err)
		if d.lost.Load() == nil {
			err = engine.Join(err, d.drv.ModuleUnload(m))
		}
		return nil, log, err
	}
	k = &Kernel{d: d, module: m, fn: fn, name: entry, params: params, block: [3]uint32{1, 1, 1}}
	d.track(k)
	return k, log, nil
}

func (d *Device) loadError(entry string, err error) error {
	if _, sticky := cudrv.Code(err).Sticky(); sticky {
		return d.fault(err)
	}
	return fmt.Errorf("%s: loading kernel %s: %w", d.Name(), entry, err)
}

// AllowDynamicShared lets launches ask for that many bytes of dynamic shared memory; above 48 KiB the driver wants it.
func (k *Kernel) AllowDynamicShared(bytes int) error {
	if err := k.enter(); err != nil {
		return err
	}
	defer k.leave()
	return k.d.fault(k.d.drv.FuncSetAttribute(k.fn, cudrv.FuncDynamicShared, bytes))
}

func (k *Kernel) enter() error {
	if err := use(&k.life, k.d, "kernel"); err != nil {
		return err
	}
	if err := k.d.enter(); err != nil {
		k.life.Done()
		return err
	}
	return nil
}

func (k *Kernel) leave() {
	k.d.leave()
	k.life.Done()
}
