package fake

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// Cubin is the fake's compiled code: the entries with the sizes of their parameters, and bytes that mean something to the
// test, such as Tile IR bytecode.
type Cubin struct {
	Target  string // must be the device's; empty is any
	Entries []Entry
	Payload []byte
	Loaded  any `json:"-"` // what Decode made of it for Run: it lasts as long as the module is loaded
}

// Entry is a kernel of a [Cubin].
type Entry struct {
	Name   string
	Params []int // bytes of each parameter: 1, 2, 4 or 8, or more of an array
}

var magic = []byte("fake cubin\n")

// Encode is the file that [DecodeCubin] reads.
func (c *Cubin) Encode() []byte {
	b, err := json.Marshal(c)
	if err != nil {
		panic("BUG: a fake cubin does not encode: " + err.Error())
	}
	return append(bytes.Clone(magic), b...)
}

// DecodeCubin reads what Encode wrote; zero bytes after it are ignored.
func DecodeCubin(image []byte) (*Cubin, error) {
	text, ok := bytes.CutPrefix(image, magic)
	if !ok {
		return nil, errors.New("this is not a fake cubin")
	}
	c := &Cubin{}
	if err := json.Unmarshal(bytes.TrimRight(text, "\x00"), c); err != nil {
		return nil, fmt.Errorf("broken fake cubin: %w", err)
	}
	return c, nil
}

func (c *Cubin) names() string {
	names := make([]string, len(c.Entries))
	for i, e := range c.Entries {
		names[i] = e.Name
	}
	return strings.Join(names, ", ")
}

// Launch is a kernel to run.
type Launch struct {
	Device      int
	Kernel      string
	Cubin       *Cubin
	Grid, Block [3]uint32
	Cluster     [3]uint32 // blocks; zero where the launch says nothing of clusters
	Cooperative bool      // all blocks must run at once
	Shared      uint32    // bytes of dynamic shared memory
	Stream      cudrv.Stream
	Args        []uint64       // the bits of each parameter, zero-extended
	Bytes       map[int][]byte // of parameters that are arrays; nil for none
	driver      *Driver
}

// Memory gives the device memory from an address to the end of its allocation. It may be read and written until Run
// returns.
func (l *Launch) Memory(p uint64) ([]byte, error) {
	l.driver.mu.Lock()
	defer l.driver.mu.Unlock()
	if b, ok := l.driver.find(cudrv.DevicePtr(p)); ok {
		return b, nil
	}
	return nil, &cudrv.Error{Call: "kernel " + l.Kernel, Code: cudrv.IllegalAddress, Text: fmt.Sprintf("no memory at %#x", p)}
}

// All gives all device memory: addresses, and what is there. What is said of Memory holds.
func (l *Launch) All() iter.Seq2[uint64, []byte] {
	l.driver.mu.Lock()
	allocs := slices.Clone(l.driver.allocs)
	l.driver.mu.Unlock()
	return func(yield func(uint64, []byte) bool) {
		for _, a := range allocs {
			if !yield(uint64(a.base), a.data) {
				return
			}
		}
	}
}

type module struct {
	ctx   *context
	cubin *Cubin
}

type function struct {
	module cudrv.Module
	ctx    *context
	cubin  *Cubin
	entry  Entry
	shared int
}

// ModuleLoadData implements [cudrv.Driver].
func (d *Driver) ModuleLoadData(image []byte) (cudrv.Module, string, error) {
	c, ctx, err := d.beginCtx("cuModuleLoadDataEx", len(image))
	defer d.mu.Unlock()
	if err != nil {
		return 0, "", err
	}
	cubin, err := d.opts.Decode(image)
	if err != nil {
		var told *cudrv.Error // of a driver that says why
		if errors.As(err, &told) {
			e := c.fail(told.Code).(*cudrv.Error)
			e.Log = told.Log
			return 0, "", e
		}
		e := c.fail(cudrv.InvalidImage).(*cudrv.Error)
		e.Log = err.Error()
		return 0, "", e
	}
	if cubin.Target != "" && cubin.Target != d.opts.Devices[ctx.device].Target() {
		return 0, "", c.fail(cudrv.NoBinaryForGPU)
	}
	id := cudrv.Module(d.newHandle())
	d.modules[id] = &module{ctx, cubin}
	c.Out = id
	return id, "", nil
}

// ModuleUnload implements [cudrv.Driver].
func (d *Driver) ModuleUnload(id cudrv.Module) error {
	c, ctx, err := d.beginCtx("cuModuleUnload", id)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if m := d.modules[id]; m == nil || m.ctx != ctx {
		return c.fail(cudrv.InvalidHandle)
	}
	d.unload(id)
	return nil
}

func (d *Driver) unload(id cudrv.Module) {
	delete(d.modules, id)
	for h, f := range d.functions {
		if f.module == id {
			delete(d.functions, h)
		}
	}
}

// ModuleGetFunction implements [cudrv.Driver].
func (d *Driver) ModuleGetFunction(id cudrv.Module, name string) (cudrv.Function, error) {
	c, _, err := d.beginCtx("cuModuleGetFunction", id, name)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	m := d.modules[id]
	if m == nil {
		return 0, c.fail(cudrv.InvalidHandle)
	}
	for _, e := range m.cubin.Entries {
		if e.Name == name {
			h := cudrv.Function(d.newHandle())
			d.functions[h] = &function{module: id, ctx: m.ctx, cubin: m.cubin, entry: e}
			c.Out = h
			return h, nil
		}
	}
	return 0, c.fail(cudrv.NotFound)
}

// OccupancyMaxActiveBlocks implements [cudrv.Driver].
func (d *Driver) OccupancyMaxActiveBlocks(h cudrv.Function, threads int, shared uint32) (int, error) {
	c, _, err := d.beginCtx("cuOccupancyMaxActiveBlocksPerMultiprocessor", h, threads, shared)
	defer d.mu.Unlock()
	switch {
	case err != nil:
		return 0, err
	case d.functions[h] == nil:
		return 0, c.fail(cudrv.InvalidHandle)
	case threads < 1 || threads > 1024:
		return 0, c.fail(cudrv.InvalidValue)
	}
	return resident(threads, shared), nil
}

// resident is how many blocks a multiprocessor of the fake runs at once: it has 2048 threads, 64 K registers, of which threads take 32, and
// 228 KiB of shared memory, of which each block takes 1 KiB more.
func resident(threads int, shared uint32) int {
	return min(32, 2048/((threads+31)&^31), 228<<10/(int(shared)+1<<10))
}

func volume(extents [3]uint32) int { return int(extents[0]) * int(extents[1]) * int(extents[2]) }

// FuncGetAttribute implements [cudrv.Driver].
func (d *Driver) FuncGetAttribute(h cudrv.Function, a cudrv.FuncAttribute) (int, error) {
	c, _, err := d.beginCtx("cuFuncGetAttribute", h, a)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	f := d.functions[h]
	if f == nil {
		return 0, c.fail(cudrv.InvalidHandle)
	}
	return map[cudrv.FuncAttribute]int{cudrv.FuncMaxThreads: 1024, cudrv.FuncRegisters: 32, cudrv.FuncDynamicShared: f.shared}[a], nil
}

// FuncSetAttribute implements [cudrv.Driver].
func (d *Driver) FuncSetAttribute(h cudrv.Function, a cudrv.FuncAttribute, value int) error {
	c, _, err := d.beginCtx("cuFuncSetAttribute", h, a, value)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	f := d.functions[h]
	if f == nil {
		return c.fail(cudrv.InvalidHandle)
	}
	switch {
	case a == cudrv.FuncDynamicShared && value <= maxShared:
		f.shared = value
	case a != cudrv.FuncNonPortableCluster || d.opts.Version < 11080 || value != 0 && value != 1:
		return c.fail(cudrv.InvalidValue)
	}
	return nil
}

// TensorMapEncodeTiled implements [cudrv.Driver].
func (d *Driver) TensorMapEncodeTiled(m *cudrv.TensorMap) (b [128]byte, err error) {
	c, _, err := d.beginCtx("cuTensorMapEncodeTiled", *m)
	defer d.mu.Unlock()
	if err != nil {
		return b, err
	}
	if d.opts.TensorMap == nil {
		return b, c.fail(cudrv.NotFound)
	}
	if b, err = d.opts.TensorMap(m); err != nil {
		return b, c.fail(cudrv.InvalidValue)
	}
	return b, nil
}

// LaunchKernel implements [cudrv.Driver].
func (d *Driver) LaunchKernel(h cudrv.Function, grid, block [3]uint32, shared uint32, on cudrv.Stream, params []unsafe.Pointer) error {
	return d.launch("cuLaunchKernel", h, grid, block, shared, on, nil, params)
}

// LaunchKernelEx implements [cudrv.Driver]. ProgrammaticSerialization changes nothing here: a kernel runs when those before it
// have ended.
func (d *Driver) LaunchKernelEx(h cudrv.Function, grid, block [3]uint32, shared uint32, on cudrv.Stream, attrs []cudrv.LaunchAttribute, params []unsafe.Pointer) error {
	return d.launch("cuLaunchKernelEx", h, grid, block, shared, on, attrs, params)
}

func (d *Driver) launch(name string, h cudrv.Function, grid, block [3]uint32, shared uint32, on cudrv.Stream, attrs []cudrv.LaunchAttribute, params []unsafe.Pointer) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	code := d.fault(name)
	f := d.functions[h]
	ctx, state := d.live()
	if code == cudrv.Success {
		code = state
	} else if ctx != nil {
		d.poison(ctx, code)
	}
	if code == cudrv.Success && (f == nil || f.ctx != ctx) {
		code = cudrv.InvalidHandle
	}
	if code == cudrv.Success && (!inside(grid, block) || len(params) != len(f.entry.Params) || int(shared) > max(portableShared, f.shared)) {
		code = cudrv.InvalidValue
	}
	for _, a := range attrs {
		switch {
		case code != cudrv.Success:
		case !valid(a, grid):
			code = cudrv.InvalidValue
		case a.ID == cudrv.Cooperative && a.Value[0] == 1 && volume(grid) > d.opts.Devices[ctx.device].Multiprocessors*resident(volume(block), shared):
			code = cudrv.CooperativeTooLarge
		}
	}
	var s *stream
	if code == cudrv.Success {
		s, code = d.stream(ctx, on)
	}
	var args []uint64
	var arrays map[int][]byte
	if code == cudrv.Success {
		args, arrays = s.readArgs(params, f.entry.Params)
	}
	if !d.opts.Quiet {
		d.noteLaunch(name, f, grid, block, shared, on, attrs, args, code)
	}
	if code != cudrv.Success {
		return &cudrv.Error{Call: name, Code: code, Text: textOf(code)}
	}
	coop := slices.ContainsFunc(attrs, func(a cudrv.LaunchAttribute) bool { return a.ID == cudrv.Cooperative && a.Value[0] == 1 })
	s.push(cmd{kind: cmdLaunch, launch: f, grid: grid, block: block, shared: shared, cluster: clusterOf(attrs), coop: coop, args: args, bytes: arrays})
	return nil
}

func (d *Driver) noteLaunch(name string, f *function, grid, block [3]uint32, shared uint32, on cudrv.Stream, attrs []cudrv.LaunchAttribute, args []uint64, code cudrv.Result) {
	kernel := "?"
	if f != nil {
		kernel = f.entry.Name
	}
	c := &Call{Name: name, Args: []any{kernel, grid, block, shared, on, append([]uint64(nil), args...)}, Code: code}
	if attrs != nil {
		c.Args = append(c.Args, append([]cudrv.LaunchAttribute(nil), attrs...))
	}
	d.trace = append(d.trace, c)
}

// clusterOf is the cluster that a launch asks for; zero for none.
func clusterOf(attrs []cudrv.LaunchAttribute) (c [3]uint32) {
	for _, a := range attrs {
		if a.ID == cudrv.ClusterDimension {
			copy(c[:], a.Value[:])
		}
	}
	return c
}

// valid reports whether the fake knows an attribute of a launch, and its value is right.
func valid(a cudrv.LaunchAttribute, grid [3]uint32) bool {
	switch a.ID {
	case cudrv.ProgrammaticSerialization, cudrv.Cooperative:
		return a.Value[0] <= 1
	case cudrv.ClusterDimension:
		for i, g := range grid {
			if a.Value[i] == 0 || g%a.Value[i] != 0 {
				return false
			}
		}
		return a.Value[0]*a.Value[1]*a.Value[2] <= 16
	}
	return false
}

// portableShared is the dynamic shared memory that a kernel may have without being asked, in bytes.
const portableShared = 48 << 10

func inside(grid, block [3]uint32) bool {
	for i := range grid {
		if grid[i] == 0 || int64(grid[i]) > int64(maxGrid[i]) || block[i] == 0 {
			return false
		}
	}
	return block[0]*block[1]*block[2] <= 1024
}

// readArgs copies the parameters as the driver does: each has its own size.
func (s *stream) readArgs(params []unsafe.Pointer, sizes []int) (args []uint64, arrays map[int][]byte) {
	if n := len(s.spare); n > 0 {
		args, s.spare = s.spare[n-1][:0], s.spare[:n-1]
	} else {
		args = make([]uint64, 0, max(len(sizes), 16))
	}
	for i, p := range params {
		var word [8]byte
		data := unsafe.Slice((*byte)(p), sizes[i])
		if sizes[i] > len(word) {
			if arrays == nil {
				arrays = map[int][]byte{}
			}
			arrays[i] = slices.Clone(data)
		}
		copy(word[:], data)
		args = append(args, binary.LittleEndian.Uint64(word[:]))
	}
	return args, arrays
}
