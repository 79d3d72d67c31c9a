package dump

import (
	"io"
	"slices"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// vulkanTarget reads -target vulkan, which is a device that has everything, or vulkan:0, which is this machine's.
func (d *dumper) vulkanTarget() error {
	caps := vulkan.Typical()
	if d.opts.Target != "vulkan" {
		infos, err := vulkan.Devices(vulkan.Usual())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(infos, func(i vulkan.Info) bool { return i.Name() == d.opts.Target })
		if i < 0 {
			return toolbox.Usagef("-target: there is no device %s; there are %s, and vulkan for one that has everything", d.opts.Target, names.Plural(len(infos), "device"))
		}
		caps = infos[i].Caps()
	}
	v := caps.Threads()
	d.vulkan = &v
	return nil
}

// spirv prints SPIR-V as text.
func (d *dumper) spirv(w io.Writer) error {
	if d.vulkan == nil {
		return toolbox.Usagef("the stage spirv needs -target, such as -target vulkan")
	}
	if err := d.compile(); err != nil {
		return err
	}
	s, err := threads.SPIRV(d.code.Module, d.code.Module.Entries[0].Name, *d.vulkan)
	if err == nil {
		_, err = io.WriteString(w, s.Module.String())
	}
	return err
}
