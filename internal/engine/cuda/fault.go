package cuda

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

// Lost is the error of every call since a kernel trapped or the hardware failed: the driver then refuses all work of the
// context, and its memory is gone.
type Lost struct {
	Fault *engine.Fault
	Cause *cudrv.Error // the call that told of it
}

// Error is the fault's text.
func (l *Lost) Error() string { return l.Fault.Error() }

// Unwrap gives the fault and the driver's error.
func (l *Lost) Unwrap() []error { return []error{l.Fault, l.Cause} }

// fault turns an error of the driver that means a lost context into a [*Lost], which stays.
func (d *Device) fault(err error) error {
	var e *cudrv.Error
	if !errors.As(err, &e) {
		return err
	}
	text, ok := e.Code.Sticky()
	if !ok {
		return err
	}
	f := &engine.Fault{Text: fmt.Sprintf("%s (%s); the context of %s and all its memory are lost: close the device and open it "+
		"again; if that fails, restart the program", text, e.Code, d.Name())}
	if e.Code == cudrv.Assert {
		f.Text = "assertion failed; the driver printed it on the standard output" + strings.TrimPrefix(f.Text, text)
	}
	suspects, more := d.suspects()
	f.Kernel = kernelNames(suspects, more)
	if len(suspects) == 1 && !more {
		f.Loc = suspects[0].loc
	} else if len(suspects) > 0 {
		for _, k := range suspects {
			f.Suspects = append(f.Suspects, engine.Suspect{Kernel: k.name, Loc: k.loc})
		}
		if more {
			f.Suspects = append(f.Suspects, engine.Suspect{Kernel: "another"})
		}
	}
	d.lost.CompareAndSwap(nil, &Lost{f, e})
	return d.lost.Load()
}

// kernelNames lists names in a message: "add or mul".
func kernelNames(kernels []*Kernel, more bool) string {
	var names []string
	for _, k := range kernels {
		if !slices.Contains(names, k.name) {
			names = append(names, k.name)
		}
	}
	if more {
		names = append(names, "another")
	}
	if len(names) == 0 {
		return "unknown"
	}
	return strings.Join(names, " or ")
}

// suspects are the kernels that may have been running: the driver does not say which one trapped.
func (d *Device) suspects() (kernels []*Kernel, more bool) {
	d.mu.Lock()
	var streams []*Stream
	for r := range d.live {
		if s, ok := r.(*Stream); ok {
			streams = append(streams, s)
		}
	}
	d.mu.Unlock()
	seen := map[*Kernel]bool{}
	for _, s := range streams {
		recent, overflow := s.recentKernels()
		more = more || overflow
		for _, k := range recent {
			if !seen[k] {
				seen[k] = true
				kernels = append(kernels, k)
			}
		}
	}
	return kernels, more
}
