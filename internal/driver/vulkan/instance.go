package vulkan

import (
	"errors"
	"fmt"
	"unsafe"
)

// The versions of Vulkan that matter here, as Vulkan packs them.
const (
	V1_0 uint32 = 1 << 22
	V1_1 uint32 = 1<<22 | 1<<12
	V1_2 uint32 = 1<<22 | 2<<12
	V1_3 uint32 = 1<<22 | 3<<12
)

// VersionName writes a version as people do, such as "1.3.239".
func VersionName(v uint32) string { return fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff) }

// Instance is what devices are found through. One serves a whole process.
type Instance struct {
	functions
	handle uintptr
}

// portability is the extension without which the loader hides drivers that lack parts of Vulkan, as MoltenVK does.
const portability = "VK_KHR_portability_enumeration"

// NewInstance makes an instance, which takes some tens of milliseconds: the loader opens every driver. Where it finds none
// the error is [ErrNoDriver].
func (l *Library) NewInstance() (*Instance, error) {
	version, err := l.version()
	if err != nil {
		return nil, err
	}
	if version < V1_1 {
		return nil, &LoadError{Tried: []string{l.path}, Reason: "the loader is of Vulkan " + VersionName(version) + ", but 1.1 or later is needed",
			Advice: "update Vulkan's loader and the driver"}
	}
	extensions, err := l.instanceExtensions()
	if err != nil {
		return nil, err
	}
	app := &applicationInfo{header: header{sType: typeApplicationInfo}, engine: cString("cuTile for Go"), apiVersion: V1_3}
	info := &instanceCreateInfo{header: header{sType: typeInstanceCreateInfo}, application: app}
	for _, e := range extensions {
		if e == portability {
			info.flags, info.extensionCount, info.extensions = 1, 1, cStrings([]string{portability})
		}
	}
	in := &Instance{functions: functions{lib: l}}
	r := l.call(fnCreateInstance, uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&in.handle)))
	if r == IncompatibleDriver {
		return nil, &LoadError{Tried: []string{l.path}, Reason: "vkCreateInstance: " + r.String(), Advice: advice[r]}
	}
	if err := l.made(fnCreateInstance, r, "VkInstance"); err != nil {
		return nil, err
	}
	missing := in.resolve(ofInstance, func(name *byte) uintptr { return resolved(l.lookup, in.handle, name) })
	if missing != "" {
		err := &LoadError{Tried: []string{l.path}, Reason: "it has no function " + missing, Advice: "update Vulkan's loader"}
		if in.has(fnDestroyInstance) {
			in.Destroy()
		}
		return nil, err
	}
	return in, nil
}

// version is the loader's. One that cannot say is of Vulkan 1.0.
func (l *Library) version() (uint32, error) {
	if !l.has(fnEnumerateInstanceVersion) {
		return V1_0, nil
	}
	var v uint32
	r := l.call(fnEnumerateInstanceVersion, uintptr(unsafe.Pointer(&v)))
	return v, l.check(fnEnumerateInstanceVersion, r)
}

func (l *Library) instanceExtensions() ([]string, error) {
	return extensionNames(func(n *uint32, list *extensionProperties) error {
		r := l.call(fnEnumerateInstanceExtensionProperties, 0, uintptr(unsafe.Pointer(n)), uintptr(unsafe.Pointer(list)))
		return l.check(fnEnumerateInstanceExtensionProperties, r)
	})
}

func extensionNames(ask func(n *uint32, list *extensionProperties) error) ([]string, error) {
	list, err := enumerate(ask)
	names := make([]string, len(list))
	for i := range list {
		names[i] = goString(list[i].name[:])
	}
	return names, err
}

// enumerate asks for a list: for its length, then for the elements. A list that has grown in between gives what it had.
func enumerate[T any](ask func(n *uint32, list *T) error) ([]T, error) {
	var n uint32
	if err := ask(&n, nil); err != nil || n == 0 {
		return nil, err
	}
	if n > 1<<16 {
		return nil, fmt.Errorf("the driver says that it has %d of what there are some tens: update it", n)
	}
	list := make([]T, n)
	err := ask(&n, &list[0])
	return list[:min(int(n), len(list))], err
}

// Destroy gives the instance back. Its devices must be destroyed.
func (in *Instance) Destroy() {
	in.call(fnDestroyInstance, in.handle, 0)
	in.lib.count("VkInstance", -1)
}

// Library is the loader of the instance.
func (in *Instance) Library() *Library { return in.lib }

// Devices lists the devices in the loader's order. One that cannot be asked is left out; its error is among those that come
// along.
func (in *Instance) Devices() ([]*Physical, error) {
	handles, err := enumerate(func(n *uint32, list *uintptr) error {
		r := in.call(fnEnumeratePhysicalDevices, in.handle, uintptr(unsafe.Pointer(n)), uintptr(unsafe.Pointer(list)))
		return in.check(fnEnumeratePhysicalDevices, r)
	})
	if err != nil {
		return nil, err
	}
	var out []*Physical
	var errs []error
	for _, h := range handles {
		p := &Physical{in: in, handle: h}
		if err := p.describe(); err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, p)
	}
	return out, errors.Join(errs...)
}
