package cuda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/tileir"
)

var (
	_ engine.SIMT       = (*Device)(nil)
	_ engine.SIMTStream = (*Stream)(nil)
)

// simtModule is a loaded module of the SIMT level.
type simtModule struct {
	d       *Device
	handle  cudrv.Module
	kernels map[string]*Kernel
	life    engine.Life
}

func (m *simtModule) order() int     { return orderKernel }
func (m *simtModule) destroy() error { return m.d.drv.ModuleUnload(m.handle) }

// LoadSIMT implements [engine.SIMT]: the driver compiles PTX, and takes machine code as it is.
func (d *Device) LoadSIMT(ctx context.Context, m *simt.Module, image []byte) (engine.SIMTModule, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	handle, _, err := d.drv.ModuleLoadData(image)
	if err != nil {
		return nil, d.loadError(m.Name, err)
	}
	l := &simtModule{d: d, handle: handle, kernels: map[string]*Kernel{}}
	for _, f := range m.Kernels {
		if err := l.find(f); err != nil {
			err = d.loadError(f.Title(), err)
			if d.lost.Load() == nil {
				err = errors.Join(err, l.destroy())
			}
			return nil, err
		}
	}
	d.track(l)
	return l, nil
}

// The first driver, and the first GPU, with clusters.
const (
	clusterDriver = 11080
	clusterMajor  = 9
)

// find finds a kernel in the loaded module and prepares it for launches.
func (m *simtModule) find(f *simt.Func) error {
	fn, err := m.d.drv.ModuleGetFunction(m.handle, f.Name)
	if err != nil {
		return err
	}
	if m.d.info.Driver >= clusterDriver && m.d.info.Major >= clusterMajor {
		if err := m.d.drv.FuncSetAttribute(fn, cudrv.FuncNonPortableCluster, 1); err != nil {
			return err
		}
	}
	k := &Kernel{d: m.d, module: m.handle, fn: fn, name: f.Title(), params: len(f.Params), shared: portableShared, inModule: true}
	for i, n := range f.Block {
		k.block[i] = uint32(n)
	}
	for i := range f.Body {
		if p := f.Body[i].Pos; p.IsValid() {
			k.loc = tileir.Loc{File: p.Filename, Line: p.Line, Col: p.Column}
			break
		}
	}
	m.kernels[f.Name] = k
	return nil
}

// Kernel implements [engine.SIMTModule].
func (m *simtModule) Kernel(name string) (engine.Kernel, error) {
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	return nil, fmt.Errorf("%s: the module has no kernel %s", m.d.Name(), name)
}

// Close implements [engine.SIMTModule].
func (m *simtModule) Close() error {
	if !m.life.End() {
		return nil
	}
	for _, k := range m.kernels {
		k.life.End()
	}
	return m.d.drop(m)
}

// tensorTypes are the driver's numbers for the types of elements (CUtensorMapDataType).
var tensorTypes = map[string]cudrv.TensorType{
	"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9, "tf32": 11,
}

// Checks implements [engine.SIMT].
func (d *Device) Checks() bool { return false }

// Archs implements [engine.SIMT]: the GPU's own architecture with all that this generation alone has. A GPU that is not in
// the table runs code for the next older one that is.
func (d *Device) Archs() []string { return []string{simt.ArchFor(d.Target())} }

// TakesModules implements [engine.SIMT].
func (d *Device) TakesModules() bool { return false }

// TensorMap implements [engine.SIMT].
func (d *Device) TensorMap(m engine.TensorMap) ([]byte, error) {
	if d.info.Major < clusterMajor {
		return nil, fmt.Errorf("%s: %s has no tensor maps: they need sm_90", d.Name(), d.Target())
	}
	t, ok := tensorTypes[m.Type]
	if !ok || m.Rank < 1 || m.Rank > len(m.Dims) {
		return nil, fmt.Errorf("%s: no tensor map of rank %d has elements of type %s", d.Name(), m.Rank, m.Type)
	}
	c := cudrv.TensorMap{Type: t, Addr: cudrv.DevicePtr(m.Addr), Swizzle: m.Swizzle}
	for i := range m.Rank {
		c.Dims, c.Box, c.Steps = append(c.Dims, m.Dims[i]), append(c.Box, m.Box[i]), append(c.Steps, max(m.Steps[i], 1))
		if i > 0 {
			c.Strides = append(c.Strides, m.Strides[i])
		}
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	b, err := d.drv.TensorMapEncodeTiled(&c)
	if err != nil {
		return nil, d.fault(err)
	}
	return b[:], nil
}

// Output implements [engine.SIMT]: where the driver prints, too.
func (d *Device) Output() io.Writer { return os.Stdout }

// portableShared is the dynamic shared memory that a kernel may have without being asked, in bytes.
const portableShared = 48 << 10

// LaunchSIMT implements [engine.SIMTStream].
func (s *Stream) LaunchSIMT(k engine.Kernel, l engine.SIMTLaunch) error {
	own, ok := k.(*Kernel)
	if !ok || own.d != s.d {
		return fmt.Errorf("%s: launch: the kernel was loaded on another device", s.d.Name())
	}
	if err := own.allow(l.Shared); err != nil {
		return err
	}
	block := own.block
	if l.Block != [3]uint32{} {
		block = l.Block
	}
	if l.PDL && s.d.info.Major < clusterMajor {
		l.PDL = false // the kernel starts when the one before it has ended
	}
	return s.launchBlock(own, l.Grid, block, l.Shared, l.Args, extra{bytes: l.Bytes, cluster: l.Cluster, attrs: launchAttrs(l)})
}

// launchAttrs are the attributes of a launch.
func launchAttrs(l engine.SIMTLaunch) []cudrv.LaunchAttribute {
	switch {
	case l.Cooperative && l.PDL:
		return allAttrs
	case l.Cooperative:
		return allAttrs[:1]
	case l.PDL:
		return allAttrs[1:]
	}
	return nil
}

// allAttrs does not lie on a stack.
var allAttrs = append([]cudrv.LaunchAttribute{{ID: cudrv.Cooperative, Value: [16]uint32{1}}}, earlyStart...)

// allow makes the driver give the kernel that much dynamic shared memory.
func (k *Kernel) allow(shared uint32) error {
	k.sharing.Lock()
	defer k.sharing.Unlock()
	if shared <= k.shared {
		return nil
	}
	if err := k.AllowDynamicShared(int(shared)); err != nil {
		return fmt.Errorf("%s: kernel %s: %d bytes of shared memory: %w", k.d.Name(), k.name, shared, err)
	}
	k.shared = shared
	return nil
}
