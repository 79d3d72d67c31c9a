package doctor

import (
	"fmt"
	"os"
	"slices"
	"strings"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/names"
)

// Vulkan is what was found of GPUs by their Vulkan drivers.
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

// examineVulkan describes the devices.
func examineVulkan(infos []vulkan.Info, err error) Vulkan {
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

// judgeVulkan gives the verdicts on the devices.
func judgeVulkan(infos []vulkan.Info) (out []Verdict) {
	for _, i := range infos {
		v := Verdict{Device: i.Name(), Model: i.String(), Memory: i.Memory(), Runs: true, Makes: "own",
			Because: "our own compiler makes SPIR-V for it; how it computes with floats is tested when it is opened"}
		if !i.Device.Features.Int64 {
			v.Because += "; pairs of words take the place of integers of 64 bits, which it does not have"
		}
		switch {
		case len(i.Lacks) > 0:
			v.Runs, v.Makes, v.Because, v.Do = false, "", "it lacks "+strings.Join(i.Lacks, ", "), "update its driver, or use another device"
		case !i.Unasked():
			v.Because += "; it computes on the CPU, where the device \"cpu\" is faster, and is used only by its name"
		}
		out = append(out, v)
	}
	return out
}

// choose says which device a program gets that names none.
func (r *Report) choose(gpus int, infos []vulkan.Info) {
	r.Unasked, r.Reason = "cpu", "there is no GPU by CUDA, and no hardware by Vulkan that can run kernels"
	for _, i := range infos {
		if i.Unasked() {
			r.Unasked, r.Reason = i.Name(), "there is no GPU by CUDA"
			break
		}
	}
	if gpus > 0 {
		r.Unasked, r.Reason = "cuda:0", "GPUs by CUDA come first"
	}
	if name := os.Getenv(deviceEnv); name != "" {
		r.Unasked, r.Reason = name, deviceEnv+" says so"
		known := func(v Verdict) bool { return v.Device == name || v.Device == name+":0" }
		if !slices.ContainsFunc(r.Devices, known) {
			r.Reason += "; it is none of the devices above, so that only programs open it that register such a device"
		}
	}
}

// deviceEnv names the device for programs that name none.
const deviceEnv = "CUTILE_DEVICE"

// lines are the report's, the first of which has the heading.
func (v Vulkan) lines() []string {
	if !v.Found {
		return []string{"not found: " + v.Error}
	}
	if len(v.Devices) == 0 {
		return []string{"found, but its drivers list no device"}
	}
	out := []string{"found, " + names.Plural(len(v.Devices), "device")}
	if v.Error != "" {
		out[0] += "; " + v.Error
	}
	for _, d := range v.Devices {
		out = append(out, d.String())
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
