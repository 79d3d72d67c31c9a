package dump

import (
	"io"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// vulkanTarget reads -target vulkan, which is a device that has everything, vulkan:-shaderInt64, which is one that lacks a feature, or several,
// or vulkan:0, which is this machine's.
func (d *dumper) vulkanTarget() error {
	caps := vulkan.Typical()
	if _, list, _ := strings.Cut(d.opts.Target, ":"); strings.HasPrefix(list, "-") {
		for _, name := range strings.Split(list, ",") {
			if !strings.HasPrefix(name, "-") || !caps.Features.Hide(name[1:]) {
				return toolbox.Usagef("-target: there is no feature %q; a device that lacks some is vulkan:-shaderInt64,-shaderFloat64, and those of a device that has all are %s",
					name, names.List(caps.Features.Names()))
			}
		}
	} else if d.opts.Target != "vulkan" {
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
