package doctor

import (
	"fmt"
	"strings"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/names"
)

// Vulkan is what was found of GPUs by their Vulkan drivers. There are no verdicts on them yet: kernels do not run there.
type Vulkan struct {
	Found   bool           `json:"found"`
	Error   string         `json:"error,omitempty"` // why there is none, or some are missing
	Devices []VulkanDevice `json:"devices,omitempty"`
}

// VulkanDevice is a device that a Vulkan driver lists.
type VulkanDevice struct {
	Device   string   `json:"device"` // such as "vulkan:0"
	Model    string   `json:"model"`
	Kind     string   `json:"kind"`    // such as "integrated GPU"
	Version  string   `json:"version"` // of Vulkan
	Driver   string   `json:"driver,omitempty"`
	Memory   int64    `json:"memory,omitempty"`   // bytes
	Lacks    []string `json:"lacks,omitempty"`    // without which nothing can run
	Features []string `json:"features,omitempty"` // of those that kernels may use, by Vulkan's names
	Missing  []string `json:"missing,omitempty"`  // the others
}

// examineVulkan lists the devices.
func examineVulkan(list func() ([]vulkan.Info, error)) Vulkan {
	infos, err := list()
	r := Vulkan{Found: err == nil || len(infos) > 0}
	if err != nil {
		r.Error = err.Error()
	}
	for _, i := range infos {
		d := i.Device
		r.Devices = append(r.Devices, VulkanDevice{Device: i.Name(), Model: d.Name, Kind: d.Type.String(), Version: driver.VersionName(d.Version),
			Driver: d.Driver, Memory: i.Memory(), Lacks: i.Lacks, Features: d.Features.Names(), Missing: d.Features.Missing()})
	}
	return r
}

// lines are the report's, the first of which has the heading.
func (v Vulkan) lines() []string {
	if !v.Found {
		return []string{"not found: " + v.Error}
	}
	if len(v.Devices) == 0 {
		return []string{"found, but its drivers list no device"}
	}
	out := []string{fmt.Sprintf("found, %s; kernels do not run there yet", names.Plural(len(v.Devices), "device"))}
	if v.Error != "" {
		out[0] += "; " + v.Error
	}
	for _, d := range v.Devices {
		out = append(out, d.String())
		if len(d.Lacks) > 0 {
			out = append(out, "  cannot be used, as it lacks "+strings.Join(d.Lacks, ", "))
		}
		if len(d.Missing) > 0 {
			out = append(out, "  does not have "+strings.Join(d.Missing, ", "))
		}
	}
	return out
}

// String is one line.
func (d VulkanDevice) String() string {
	s := fmt.Sprintf("%s: %s, %s, Vulkan %s", d.Device, d.Model, d.Kind, d.Version)
	if d.Driver != "" {
		s += ", driver " + d.Driver
	}
	return s
}
