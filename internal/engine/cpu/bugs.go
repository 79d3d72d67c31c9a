package cpu

import (
	"fmt"
	"runtime/debug"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tools/bundle"
)

// run runs one command. A panic, which is a bug of ours, becomes an error, and leaves a folder for a report where that is asked for.
func (s *Stream) run(c *command) error {
	err := s.guarded(c)
	if err == nil || c.kernel == nil && c.simt == nil {
		return err
	}
	return bundle.Keep(err, func() *bundle.Report { return s.report(c) })
}

func (s *Stream) guarded(c *command) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f := &engine.Fault{Text: fmt.Sprintf("BUG: the CPU engine panicked: %v", r), Stack: string(debug.Stack())}
			switch {
			case c.kernel != nil:
				f.Kernel = c.kernel.name
			case c.simt != nil:
				f.Kernel = c.simt.kernel.fn.Title()
			}
			err = f
		}
	}()
	return s.do(c)
}

// report is what is known of a launch with a fault of ours.
func (s *Stream) report(c *command) *bundle.Report {
	r := &bundle.Report{Target: s.device.Target(), Versions: []string{"device " + s.device.Description()}}
	size := func(address uint64) int64 {
		if b := s.device.table.find(address); b != nil {
			return b.size - int64(address-b.base)
		}
		return 0
	}
	if c.simt != nil {
		w := &c.simt.launch
		l := bundle.Launch{Args: w.Args, Size: size, Shared: uint32(w.Shared), Bytes: w.Bytes}
		for i, n := range w.Grid {
			l.Grid[i] = uint32(n)
		}
		fn := c.simt.kernel.fn
		r.Name, r.SIMT, r.Files = fn.Title(), c.simt.kernel.module, map[string][]byte{
			"facts.txt": fmt.Appendf(nil, "grid %v, %d bytes of shared memory, arguments %#x\n", w.Grid, w.Shared, w.Args),
		}
		r.RepeatSIMT(&l, fn)
		return r
	}
	l := bundle.Launch{Grid: c.grid, Args: c.args, Size: size}
	k := c.kernel
	r.Name, r.Module = k.name, k.module
	for _, e := range k.module.Entries {
		if e.Name == k.name {
			r.Repeat, r.Reduce = l.Command(bundle.OnCPU, e), l.Command(bundle.Differs, e)
		}
	}
	return r
}
