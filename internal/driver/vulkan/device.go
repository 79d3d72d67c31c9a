package vulkan

import (
	"fmt"
	"slices"
	"unsafe"
)

// Queue executes what is submitted to it (VkQueue). One caller at a time.
type Queue uintptr

// Device is an open device (VkDevice).
type Device struct {
	functions
	handle uintptr
	queues []Queue
}

// portabilitySubset must be asked for where a device has it.
const portabilitySubset = "VK_KHR_portability_subset"

// Open opens the device with queues of one family and with the features of Info that are true.
func (p *Physical) Open(family uint32, queues int) (*Device, error) {
	if p.Version < V1_2 {
		return nil, fmt.Errorf("%s has Vulkan %s, but 1.2 or later is needed; update the driver", p.Name, VersionName(p.Version))
	}
	c := newChain(p.Version, p.Extensions)
	if name := c.write(p.Features); name != "" {
		return nil, &Error{Call: symbols[fnCreateDevice].name, Code: FeatureNotPresent, Text: name}
	}
	if slices.Contains(p.Extensions, portabilitySubset) {
		c.extensions = append(c.extensions, portabilitySubset)
	}
	priorities := make([]float32, queues)
	for i := range priorities {
		priorities[i] = 1
	}
	q := &deviceQueueCreateInfo{header: header{sType: typeDeviceQueueCreateInfo}, family: family, count: uint32(queues), priorities: &priorities[0]}
	info := &deviceCreateInfo{header: header{typeDeviceCreateInfo, unsafe.Pointer(c.structs[inFeatures])}, queueCount: 1, queues: q,
		extensionCount: uint32(len(c.extensions)), extensions: cStrings(c.extensions)}
	d := &Device{functions: functions{lib: p.in.lib}}
	r := p.in.call(fnCreateDevice, p.handle, uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&d.handle)))
	if err := p.in.made(fnCreateDevice, r, "VkDevice"); err != nil {
		return nil, err
	}
	lookup := p.in.addr[fnGetDeviceProcAddr]
	if missing := d.resolve(ofDevice, func(name *byte) uintptr { return resolved(lookup, d.handle, name) }); missing != "" {
		if d.has(fnDestroyDevice) {
			d.Destroy()
		}
		return nil, fmt.Errorf("%s: the driver has no function %s; update it", p.Name, missing)
	}
	d.queues = make([]Queue, queues)
	for i := range d.queues {
		d.call(fnGetDeviceQueue, d.handle, uintptr(family), uintptr(i), uintptr(unsafe.Pointer(&d.queues[i])))
	}
	return d, nil
}

// Queues are those that Open asked for.
func (d *Device) Queues() []Queue { return d.queues }

// WaitIdle waits for everything that was submitted. No queue may be in use.
func (d *Device) WaitIdle() error {
	return d.check(fnDeviceWaitIdle, d.quick(fnDeviceWaitIdle, d.handle))
}

// Destroy gives the device back, of which nothing may be left. It waits for what runs, for ever if need be.
func (d *Device) Destroy() {
	d.call(fnDestroyDevice, d.handle, 0)
	d.lib.count("VkDevice", -1)
}

// destroy gives back an object, which may be 0.
func (d *Device) destroy(f fn, object uint64, name string) {
	if object == 0 {
		return
	}
	d.quick(f, d.handle, uintptr(object), 0)
	d.lib.count(name, -1)
}

// create makes an object from a description.
func create[T ~uint64](d *Device, f fn, name string, info unsafe.Pointer) (T, error) {
	var object T
	r := d.call(f, d.handle, uintptr(info), 0, uintptr(unsafe.Pointer(&object)))
	return object, d.made(f, r, name)
}
