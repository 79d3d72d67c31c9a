// Package vulkan runs kernels on any GPU that has a Vulkan driver, and on software drivers: the implementation of package
// engine over package driver/vulkan. It needs nothing but the driver: a [Compiler] makes SPIR-V, and the driver makes machine
// code of that.
//
// Streams share the device's queues; each orders its work by a timeline semaphore. A kernel finds its arguments, a word that
// asks it to stop and a place for records (what it prints, faults) as the type [Code] says.
//
// The machine is trusted to be right, kernels are not checked: an access outside of memory is undefined, and on a software
// driver it may end the process.
package vulkan

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/tools/store"
)

// ErrClosed is what [errors.Is] finds where a device, stream, event, kernel or buffer is used after its Close or Free.
var ErrClosed = errors.New("closed")

// ErrNoDriver is what [errors.Is] finds where the machine has no usable Vulkan driver.
var ErrNoDriver = vulkan.ErrNoDriver

// Options are the choices of [Open]. The zero value is the usual one.
type Options struct {
	Instance *vulkan.Instance   // nil for the machine's, which the process then keeps
	Adjust   func(*vulkan.Info) // changes what a device says of itself, as tests do to hide what it has
	Compiler Compiler           // nil for none: then Compile refuses
	Output   io.Writer          // where kernels print; nil for os.Stdout
	Store    *store.Store       // keeps the driver's compiled pipelines; nil for none
	Records  int                // words of a stream's records between two waits; 0 for 65536
	// Integers asks for all operations on floats in integers, as on a device that gets them wrong.
	Integers bool

	spoil func(p any, data []byte) // changes what the device has computed for a kernel of package probe
}

const defaultRecords = 1 << 16

func (o Options) withDefaults() Options {
	if o.Output == nil {
		o.Output = os.Stdout
	}
	o.Records = cmp.Or(o.Records, defaultRecords)
	return o
}

// Info is a device that a driver lists.
type Info struct {
	Ordinal int
	Device  vulkan.Info
	Lacks   []string // what the engine needs and the device does not have
}

// Name is how users ask for the device, such as "vulkan:0".
func (i Info) Name() string { return fmt.Sprintf("vulkan:%d", i.Ordinal) }

// String is for people, such as "AMD Radeon 780M (integrated GPU, Vulkan 1.3.274, 15.3 GiB, radv, Mesa 24.0.1)".
func (i Info) String() string {
	d := i.Device
	s := fmt.Sprintf("%s (%s, Vulkan %s, %s", d.Name, d.Type, vulkan.VersionName(d.Version), sizeText(i.Memory()))
	if d.Driver != "" {
		s += ", " + d.Driver
	}
	return s + ")"
}

// Memory is the bytes of the device's own memory.
func (i Info) Memory() int64 {
	var n uint64
	for _, h := range i.Device.Heaps {
		if h.DeviceLocal {
			n += h.Size
		}
	}
	return int64(min(n, 1<<62))
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<u.shift {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(int64(1)<<u.shift), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// typeOrder puts hardware first, the fastest kind before others, and software last.
var typeOrder = map[vulkan.DeviceType]int{vulkan.Discrete: 0, vulkan.Integrated: 1, vulkan.Virtual: 2, vulkan.Other: 3, vulkan.CPU: 4}

// Devices lists the devices, hardware before software. Without a driver the error is [ErrNoDriver].
func Devices(o Options) ([]Info, error) {
	_, infos, err := list(o)
	return infos, err
}

// list gives the devices in the order of their numbers: those that lack nothing before others, hardware before software, and of the same
// kind those first that have more of what the project asks for.
func list(o Options) ([]*vulkan.Physical, []Info, error) {
	in, err := instance(o)
	if err != nil {
		return nil, nil, err
	}
	all, err := in.Devices()
	if len(all) == 0 && err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		if o.Adjust != nil {
			o.Adjust(&p.Info)
		}
	}
	unable := func(p *vulkan.Physical) int { return min(len(lacks(&p.Info)), 1) }
	slices.SortStableFunc(all, func(a, b *vulkan.Physical) int {
		return cmp.Or(cmp.Compare(unable(a), unable(b)), cmp.Compare(typeOrder[a.Type], typeOrder[b.Type]),
			cmp.Compare(len(a.Features.Missing()), len(b.Features.Missing())))
	})
	infos := make([]Info, len(all))
	for i, p := range all {
		infos[i] = Info{i, p.Info, lacks(&p.Info)}
	}
	return all, infos, nil
}

var shared struct {
	sync.Mutex
	in *vulkan.Instance
}

// instance is that of the options, or the one of the process.
func instance(o Options) (*vulkan.Instance, error) {
	if o.Instance != nil {
		return o.Instance, nil
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.in != nil {
		return shared.in, nil
	}
	l, err := vulkan.Open()
	if err != nil {
		return nil, err
	}
	shared.in, err = l.NewInstance()
	return shared.in, err
}

// Open opens the device with a number of [Devices].
func Open(ordinal int, o Options) (*Device, error) {
	o = o.withDefaults()
	all, infos, err := list(o)
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(all) {
		return nil, fmt.Errorf("no such device: %s; see `cutile doctor`", countText(len(all)))
	}
	if len(infos[ordinal].Lacks) > 0 {
		return nil, infos[ordinal].unable()
	}
	return open(all[ordinal], infos[ordinal], o)
}

func countText(n int) string {
	switch n {
	case 0:
		return "the drivers list none"
	case 1:
		return "there is only vulkan:0"
	}
	return fmt.Sprintf("there are vulkan:0 to vulkan:%d", n-1)
}
