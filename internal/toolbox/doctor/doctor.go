// Package doctor reports what is installed on a machine, whether the versions fit together, whether kernels run on each
// device, and what to do if they do not.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// askLimit is how long the tools may take to say what they are.
const askLimit = 30 * time.Second

// probes are the questions that the report answers; tests have other ones than the machine's.
type probes struct {
	gpus func() ([]cuda.Info, error)
	find func(name string) (toolchain.Tool, error)
	ask  func(ctx context.Context, t toolchain.Tool) (toolchain.Info, error)
	cpu  func() string
	code func() Code

	vulkan func() ([]vulkan.Info, error)

	distrusted func() []error
}

var machine = probes{
	gpus: func() ([]cuda.Info, error) { return cuda.Devices(nil) },
	find: toolchain.Find,
	ask:  func(ctx context.Context, t toolchain.Tool) (toolchain.Info, error) { return t.Info(ctx) },
	cpu: func() string {
		d := cpu.New(cpu.Options{})
		defer d.Close()
		return d.Description()
	},
	code:       examineCode,
	vulkan:     func() ([]vulkan.Info, error) { return vulkan.Devices(vulkan.Usual()) },
	distrusted: toolchain.Distrusted,
}

// Report is what was found. Its JSON is what programs read: fields are added, never changed.
type Report struct {
	Cutile  string    `json:"cutile"`
	Go      string    `json:"go"`     // such as "1.26.0"
	System  string    `json:"system"` // such as "linux/amd64"
	Cores   int       `json:"cores"`  // that Go uses
	CPU     string    `json:"cpu"`    // the CPU engine
	Code    Code      `json:"code"`   // whether machine code for the CPU can run
	Driver  Driver    `json:"driver"` // of CUDA
	Vulkan  Vulkan    `json:"vulkan"`
	Tools   []Tool    `json:"tools"`    // NVIDIA's, in the order of their names in package toolchain
	Devices []Verdict `json:"verdicts"` // the CPU first
	Unasked string    `json:"unasked"`  // the device that cutile.Open("") opens
	Reason  string    `json:"reason"`   // for that
	Notes   []string  `json:"notes,omitempty"`
}

// Driver is what was found of the NVIDIA driver.
type Driver struct {
	Found bool   `json:"found"`
	CUDA  string `json:"cuda,omitempty"`  // the newest version that it supports
	Error string `json:"error,omitempty"` // why it cannot be used
}

// Tool is what was found of one of NVIDIA's tools.
type Tool struct {
	Name      string   `json:"name"`
	Path      string   `json:"path,omitempty"`
	Where     string   `json:"where,omitempty"` // what named the path
	Version   string   `json:"version,omitempty"`
	Bytecodes []string `json:"bytecodes,omitempty"`
	Targets   []string `json:"targets,omitempty"`
	Error     string   `json:"error,omitempty"`

	err error
}

// Verdict says whether kernels run on a device.
type Verdict struct {
	Device  string `json:"device"` // as cutile.Open takes it
	Model   string `json:"model"`
	Target  string `json:"target,omitempty"` // such as "sm_90"
	Memory  int64  `json:"memory,omitempty"` // bytes
	Runs    bool   `json:"runs"`
	Makes   string `json:"assembler,omitempty"` // what makes code for it: "tileiras" or "own"
	Because string `json:"because"`
	Do      string `json:"do,omitempty"`
}

// Sick is an error where kernels do not run on a device. Those of Vulkan do not count: many a machine has one that nobody cares for.
func (r *Report) Sick() error {
	for _, v := range r.Devices {
		if !v.Runs && !strings.HasPrefix(v.Device, "vulkan") {
			return fmt.Errorf("kernels do not run on %s", v.Device)
		}
	}
	return nil
}

// Examine asks everything about this machine, for a version of cutile.
func Examine(ctx context.Context, version string) *Report { return examine(ctx, version, machine) }

func examine(ctx context.Context, version string, p probes) *Report {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	infos, vulkanErr := p.vulkan()
	r := &Report{
		Cutile: version, Go: strings.TrimPrefix(runtime.Version(), "go"), System: runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.GOMAXPROCS(0), CPU: p.cpu(), Code: p.code(), Vulkan: examineVulkan(infos, vulkanErr),
	}
	r.Devices = []Verdict{{Device: "cpu", Model: r.CPU, Runs: true, Because: "it needs neither a driver nor tools"}}
	for _, name := range toolchain.Names() {
		r.Tools = append(r.Tools, examineTool(ctx, p, name))
	}
	gpus, err := p.gpus()
	switch {
	case errors.Is(err, cuda.ErrNoDriver):
		r.Driver.Error = err.Error()
	case err != nil:
		r.Driver = Driver{Found: true, Error: err.Error()}
	case len(gpus) == 0:
		r.Driver = Driver{Found: true, Error: "it lists no GPU: check nvidia-smi and CUDA_VISIBLE_DEVICES"}
	default:
		r.Driver = Driver{Found: true, CUDA: cudaName(gpus[0].Driver)}
	}
	for _, g := range gpus {
		v := Verdict{Device: g.Name(), Model: g.String(), Target: g.Target(), Memory: g.Memory}
		v.judge(r, g)
		r.Devices = append(r.Devices, v)
	}
	r.Devices = append(r.Devices, judgeVulkan(infos)...)
	r.choose(len(gpus), infos)
	r.compareReleases()
	for _, err := range p.distrusted() {
		r.Notes = append(r.Notes, err.Error())
	}
	return r
}

func cudaName(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

func examineTool(ctx context.Context, p probes, name string) Tool {
	r := Tool{Name: name}
	tool, err := p.find(name)
	if err != nil {
		r.Error = err.Error()
		r.err = err
		return r
	}
	r.Path, r.Where = tool.Path, tool.Where
	info, err := p.ask(ctx, tool)
	if err != nil {
		r.err, r.Error = err, err.Error()
		return r
	}
	r.Version, r.Targets = info.Version, info.Targets
	for _, v := range info.Bytecodes {
		r.Bytecodes = append(r.Bytecodes, v.String())
	}
	return r
}

// Tool is what was found of the tool of a name in package toolchain.
func (r *Report) Tool(name string) *Tool {
	i := slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Name == name })
	return &r.Tools[i]
}

const installAdvice = "run `cutile toolchain install`"

// judge says whether kernels run on a GPU, and by which compiler.
func (v *Verdict) judge(r *Report, g cuda.Info) {
	asked, err := cuda.ChosenAssembler("")
	if err != nil {
		v.Because, v.Do = err.Error(), "set "+cuda.AssemblerEnv+" to one of these, or to nothing"
		return
	}
	choice, err := cuda.Choose(asked, g, r.tileiras)
	switch {
	case err != nil:
		v.Because, v.Do = err.Error(), "set it to the whole path of tileiras, or to nothing"
	case choice.Assembler == cuda.AssemblerOwn:
		v.Makes = choice.Assembler
		v.Runs, v.Because, v.Do = judgeOwn(g, choice.Because)
	default:
		v.Makes = choice.Assembler
		v.Runs, v.Because, v.Do = r.judgeTileiras(g)
	}
}

// tileiras is what was found of it, as it tells itself.
func (r *Report) tileiras() (i toolchain.Info, err error) {
	t := r.Tool(toolchain.Tileiras)
	if t.err != nil {
		return i, t.err
	}
	i.Version, i.Targets = t.Version, t.Targets
	for _, text := range t.Bytecodes {
		v, err := tileir.ParseVersion(text)
		if err != nil {
			return i, err
		}
		i.Bytecodes = append(i.Bytecodes, v)
	}
	return i, nil
}

// judgeOwn says whether kernels of our own compiler run on a GPU.
func judgeOwn(g cuda.Info, because string) (runs bool, why, do string) {
	if g.Driver < cuda.OldestDriver {
		return false, fmt.Sprintf("the NVIDIA driver supports CUDA %s, but kernels need %s (release R470) or later", cudaName(g.Driver), cudaName(cuda.OldestDriver)),
			"update the NVIDIA driver"
	}
	archs, err := g.OwnArchs()
	if err != nil {
		return false, err.Error(), "use the device \"cpu\""
	}
	return true, fmt.Sprintf("our own compiler makes PTX %d.%d for %s, as %s", archs[0].PTX/10, archs[0].PTX%10, archs[0].Name, because), ""
}

// judgeTileiras says whether kernels of tileiras run on a GPU. It names the first thing that is missing.
func (r *Report) judgeTileiras(g cuda.Info) (runs bool, because, do string) {
	as := r.Tool(toolchain.Tileiras)
	switch {
	case g.Driver < cuda.MinDriver:
		return false, fmt.Sprintf("the NVIDIA driver supports CUDA %s, but kernels need %s (release R580) or later", cudaName(g.Driver), cudaName(cuda.MinDriver)),
			"update the NVIDIA driver"
	case as.Path == "":
		return false, "tileiras, which compiles kernels for it, is not installed", installAdvice
	case as.Error != "":
		return false, "tileiras does not work: " + as.Error, installAdvice
	case len(as.Bytecodes) == 0:
		return false, fmt.Sprintf("tileiras %s reads none of the bytecode versions that this program writes", as.Version), installAdvice
	case !slices.Contains(as.Targets, g.Target()):
		return false, fmt.Sprintf("tileiras %s makes no code for %s", as.Version, g.Target()),
			fmt.Sprintf("%s; if that does not help, the GPU is too old or too new: use the device \"cpu\"", installAdvice)
	}
	return true, fmt.Sprintf("tileiras %s makes code for %s, from bytecode %s, and the driver supports CUDA %s", as.Version, g.Target(),
		as.Bytecodes[len(as.Bytecodes)-1], cudaName(g.Driver)), ""
}

// compareReleases notes a ptxas of another release beside tileiras, which runs the one in its own folder first.
func (r *Report) compareReleases() {
	as, ptx := r.Tool(toolchain.Tileiras), r.Tool(toolchain.Ptxas)
	if as.Version != "" && ptx.Version != "" && minor(as.Version) != minor(ptx.Version) {
		r.Notes = append(r.Notes, fmt.Sprintf("tileiras %s and ptxas %s are of different releases, which may not work together; %s", as.Version, ptx.Version, installAdvice))
	}
}

// minor is a version up to its second number.
func minor(v string) string {
	parts := strings.SplitN(v, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
