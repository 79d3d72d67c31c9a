package vulkan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
)

// Lost is the error of every call since the driver lost the device, with all its memory.
type Lost struct {
	Fault *engine.Fault
	Cause *vulkan.Error // the call that told of it
}

// Error is the fault's text.
func (l *Lost) Error() string { return l.Fault.Error() }

// Unwrap gives the fault and the driver's error.
func (l *Lost) Unwrap() []error { return []error{l.Fault, l.Cause} }

// fault turns an error of the driver that means a lost device into a [*Lost], which stays.
func (d *Device) fault(err error) error {
	if err == nil {
		return nil
	}
	var e *vulkan.Error
	if !errors.As(err, &e) || e.Code != vulkan.DeviceLost {
		return err
	}
	f := &engine.Fault{Text: fmt.Sprintf("the driver has lost the device (%s): a kernel did what it must not, such as to access memory that is "+
		"not there, or ran for longer than the system allows; all memory of %s is lost: close the device and open it again", e.Code, d.Name())}
	kernels := d.suspects()
	f.Kernel = kernelNames(kernels)
	if len(kernels) == 1 {
		f.Loc = kernels[0].loc
	} else {
		for _, k := range kernels {
			f.Suspects = append(f.Suspects, engine.Suspect{Kernel: k.name, Loc: k.loc})
		}
	}
	d.lost.CompareAndSwap(nil, &Lost{f, e})
	return d.lost.Load()
}

// kernelNames lists names in a message: "add or mul".
func kernelNames(kernels []*Kernel) string {
	var names []string
	for _, k := range kernels {
		if !slices.Contains(names, k.name) {
			names = append(names, k.name)
		}
	}
	if len(names) == 0 {
		return "unknown"
	}
	slices.Sort(names)
	return strings.Join(names, " or ")
}

// suspects are the kernels that may have been running: the driver does not say which one it was.
func (d *Device) suspects() []*Kernel {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []*Kernel
	for r := range d.live {
		s, ok := r.(*Stream)
		if !ok {
			continue
		}
		s.recentMu.Lock()
		for _, k := range s.recent {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
		s.recentMu.Unlock()
	}
	return out
}
