package vulkan

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

// Kernel is code that is ready; it implements [engine.Kernel].
type Kernel struct {
	d    *Device
	id   uint32
	name string
	code *Code
	loc  tileir.Loc // of the entry
	pipe *pipeline
	data *block // of the code's Data; nil for none
	life engine.Life
}

func (k *Kernel) order() int { return orderKernel }

func (k *Kernel) destroy() {
	k.d.releasePipeline(k.pipe)
	if k.data != nil {
		k.d.freeBlock(k.data)
	}
}

// Close frees the code, once what was queued until now has ended.
func (k *Kernel) Close() error {
	if !k.life.End() {
		return nil
	}
	return k.d.retire(k)
}

// Compile makes SPIR-V by the compiler of [Options] and the driver's code of that. What the compiler does not take is a
// [*Refused].
func (d *Device) Compile(ctx context.Context, m *tileir.Module, entry string) (engine.Kernel, error) {
	e, err := engine.FindEntry(m, entry)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	if d.opts.Compiler == nil {
		return nil, &Refused{Entry: entry, Loc: e.Loc, Reason: d.Name() + " cannot run it: this program has no compiler from Tile IR to SPIR-V; use another device"}
	}
	code, err := d.opts.Compiler(ctx, m, entry, d.caps)
	if err != nil {
		return nil, err
	}
	if code.Params != len(e.Params) {
		return nil, fmt.Errorf("BUG: the compiler made code of %d parameters, but kernel %s has %d", code.Params, entry, len(e.Params))
	}
	k, err := d.Load(entry, code)
	if err != nil {
		var r *Refused
		if errors.As(err, &r) {
			r.Loc = e.Loc
		}
		return nil, err
	}
	k.loc = e.Loc
	return k, nil
}

// Load makes a kernel of SPIR-V; name is for messages. The code must not be changed afterwards. Code that the device cannot
// run is a [*Refused].
func (d *Device) Load(name string, code *Code) (*Kernel, error) {
	if why := code.check(&d.caps); why != "" {
		return nil, &Refused{Entry: name, Reason: why}
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.sweep()
	p, err := d.pipelineOf(code)
	if err != nil {
		if err = d.fault(err); d.lost.Load() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: loading kernel %s: %w", d.Name(), name, err)
	}
	data, err := d.dataOf(code)
	if err != nil {
		d.releasePipeline(p)
		return nil, fmt.Errorf("%s: loading kernel %s: %w", d.Name(), name, d.fault(err))
	}
	d.mu.Lock()
	d.kernelID++
	k := &Kernel{d: d, id: d.kernelID, name: name, code: code, pipe: p, data: data}
	d.mu.Unlock()
	d.track(k)
	return k, nil
}

// dataOf makes memory of a kernel's variables; nil for none. The program sees it: variables are small and read seldom.
func (d *Device) dataOf(code *Code) (*block, error) {
	if len(code.Data) == 0 {
		return nil, nil
	}
	b, err := d.newBlock(uint64(len(code.Data)), hostMemory)
	if err == nil {
		copy(b.bytes, code.Data)
	}
	return b, err
}

// pipelineKey names a pipeline by all that decides it.
type pipelineKey struct {
	words    [sha256.Size]byte
	entry    string
	subgroup uint32
	full     bool
}

// pipeline is the driver's code, which kernels of the same SPIR-V share.
type pipeline struct {
	key    pipelineKey
	refs   int // guarded by the device's mutex
	make   sync.Once
	handle vulkan.Pipeline
	err    error
}

// pipelineOf gives the pipeline of some code. The driver compiles each once, and several at a time.
func (d *Device) pipelineOf(code *Code) (*pipeline, error) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&code.Words[0])), 4*len(code.Words))
	key := pipelineKey{sha256.Sum256(bytes), code.Entry, code.Subgroup, code.Full}
	d.mu.Lock()
	p := d.pipes[key]
	if p == nil {
		p = &pipeline{key: key}
		d.pipes[key] = p
	}
	p.refs++
	d.mu.Unlock()
	p.make.Do(func() { p.handle, p.err = d.makePipeline(code) })
	if p.err != nil {
		d.releasePipeline(p)
		return nil, p.err
	}
	return p, nil
}

func (d *Device) makePipeline(code *Code) (vulkan.Pipeline, error) {
	shader, err := d.drv.CreateShader(code.Words)
	if err != nil {
		return 0, err
	}
	defer d.drv.DestroyShader(shader)
	return d.drv.CreateComputePipeline(d.cache.handle, d.layout, shader, code.Entry, code.Subgroup, code.Full)
}

// releasePipeline gives the pipeline back with its last kernel.
func (d *Device) releasePipeline(p *pipeline) {
	d.mu.Lock()
	p.refs--
	last := p.refs == 0
	if last {
		delete(d.pipes, p.key)
	}
	d.mu.Unlock()
	if last {
		d.drv.DestroyPipeline(p.handle)
	}
}
