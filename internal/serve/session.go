package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// session is what one peer has.
type session struct {
	limits  Limits
	greeted bool
	shared  []byte // the file that both processes map; nil if there is none
	devices [2]Device
	out     *output
	modules map[uint32]*module
	nextID  uint32
}

// The devices: one tests promises, one does not.
const (
	strict = iota
	trusting
)

// module is a loaded module with the kernels that were compiled from it.
type module struct {
	*tileir.Module
	kernels map[kernelKey]engine.Kernel
}

type kernelKey struct {
	entry  string
	device int
}

// output keeps what kernels print.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) take() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := bytes.Clone(o.b.Bytes())
	o.b.Reset()
	return b
}

func newSession(o Options) *session {
	s := &session{limits: DefaultLimits(), out: &output{}, modules: map[uint32]*module{}}
	if o.Limits != nil {
		s.limits = *o.Limits
	}
	for i := range s.devices {
		c := cpu.Options{Workers: o.Workers, Output: s.out, StopOnCancel: true, Reorder: o.Reorder, CheckAssumes: i == strict, Early: true}
		if o.Open != nil {
			s.devices[i] = o.Open(c)
		} else {
			s.devices[i] = cpu.New(c)
		}
	}
	return s
}

func (s *session) close() {
	for _, m := range s.modules {
		m.close()
	}
	for _, d := range s.devices {
		d.Close()
	}
	unmap(s.shared)
}

// sharedAt reports whether an address lies in the shared file.
func (s *session) sharedAt(a uintptr) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(s.shared)))
	return s.shared != nil && a >= start && a-start < uintptr(len(s.shared))
}

func (m *module) close() {
	for _, k := range m.kernels {
		k.Close()
	}
}

// hello begins the session: version, name and size of the shared file; the reply is the version.
func (s *session) hello(c *cursor) ([]byte, error) {
	version, path, size := c.u32("the version"), c.text("the name of the shared file"), c.u64("the size of the shared file")
	if err := c.end(); err != nil {
		return nil, err
	}
	switch {
	case s.greeted:
		return nil, badRequest("a second H in one session")
	case version != Version:
		return nil, badRequest("the peer speaks version %d of the protocol, this program version %d: use the package of the same release", version, Version)
	case size > uint64(s.limits.Memory):
		return nil, badRequest("a shared file of %d bytes, but at most %d are taken", size, s.limits.Memory)
	}
	if path != "" {
		shared, err := mapFile(path, int64(size))
		if err != nil {
			return nil, badRequest("the shared file: %v", err)
		}
		s.shared = shared
	}
	s.greeted = true
	return binary.LittleEndian.AppendUint32(nil, Version), nil
}

// load reads and verifies a module; the reply is its number and, for each entry, its name and the kinds of its parameters.
func (s *session) load(data []byte) ([]byte, error) {
	if len(s.modules) >= s.limits.Modules {
		return nil, badRequest("%d modules are loaded, which is the maximum: unload some", len(s.modules))
	}
	m, version, err := bytecode.Read(data)
	if err != nil {
		return nil, &Error{Code: BadBytecode, Text: err.Error()}
	}
	if err := m.Verify(version); err != nil {
		return nil, &Error{Code: BadModule, Text: err.Error()}
	}
	s.nextID++
	s.modules[s.nextID] = &module{m, map[kernelKey]engine.Kernel{}}
	reply := binary.LittleEndian.AppendUint32(nil, s.nextID)
	reply = binary.LittleEndian.AppendUint32(reply, uint32(len(m.Entries)))
	for _, e := range m.Entries {
		reply = appendText(reply, e.Name)
		reply = binary.LittleEndian.AppendUint32(reply, uint32(len(e.Params)))
		for _, p := range e.Params {
			reply = append(reply, paramKind(p))
		}
	}
	return reply, nil
}

// paramKind is 0 for a pointer, else how many bits of the argument count.
func paramKind(p *tileir.Value) byte {
	if t, ok := p.Type.(*tileir.TileType); ok && !t.Pointer {
		return byte(t.Elem.Bits())
	}
	return 0
}

func (s *session) unload(c *cursor) ([]byte, error) {
	id := c.u32("the module")
	if err := c.end(); err != nil {
		return nil, err
	}
	m := s.modules[id]
	if m == nil {
		return nil, badRequest("there is no module %d", id)
	}
	m.close()
	delete(s.modules, id)
	return nil, nil
}

// kernel compiles an entry for a device, once.
func (s *session) kernel(ctx context.Context, m *module, name string, device int) (engine.Kernel, error) {
	key := kernelKey{name, device}
	k := m.kernels[key]
	if k == nil {
		var err error
		if k, err = s.devices[device].Compile(ctx, m.Module, name); err != nil {
			return nil, &Error{Code: NotSupported, Text: err.Error()}
		}
		m.kernels[key] = k
	}
	return k, nil
}

// entry finds an entry by name.
func (m *module) entry(name string) (*tileir.Entry, error) {
	for _, e := range m.Entries {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, badRequest("the module has no entry %s", fmt.Sprintf("%q", name))
}
