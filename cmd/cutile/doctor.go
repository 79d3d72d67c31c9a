package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

var doctorCommand = &command{
	name: "doctor", short: "say what is installed, what fits what, and what to do",
	long: `
The last part is a verdict for each device: whether kernels run on it, why, and what to do if they do not. The exit code
is 1 where a device is there that cannot run kernels.`,
	setup: func(fs *flag.FlagSet) action {
		asJSON := fs.Bool("json", false, "print one JSON object, for programs")
		return func(c *call, args []string) error { return doctor(c, args, *asJSON, machine) }
	},
}

// askLimit is how long the tools may take to say what they are.
const askLimit = 30 * time.Second

// probes are the questions that the report answers; tests have other ones than the machine's.
type probes struct {
	gpus func() ([]cuda.Info, error)
	find func(name string) (toolchain.Tool, error)
	ask  func(ctx context.Context, t toolchain.Tool) (toolchain.Info, error)
	cpu  func() string

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
	distrusted: toolchain.Distrusted,
}

// report is what doctor found. Its JSON is what programs read: fields are added, never changed.
type report struct {
	Cutile  string       `json:"cutile"`
	Go      string       `json:"go"`       // such as "1.26.0"
	System  string       `json:"system"`   // such as "linux/amd64"
	Cores   int          `json:"cores"`    // that Go uses
	CPU     string       `json:"cpu"`      // the CPU engine
	Driver  driverReport `json:"driver"`   // of CUDA
	Tools   []toolReport `json:"tools"`    // NVIDIA's, in the order of their names in package toolchain
	Devices []verdict    `json:"verdicts"` // the CPU first
	Notes   []string     `json:"notes,omitempty"`
}

type driverReport struct {
	Found bool   `json:"found"`
	CUDA  string `json:"cuda,omitempty"`  // the newest version that it supports
	Error string `json:"error,omitempty"` // why it cannot be used
}

type toolReport struct {
	Name      string   `json:"name"`
	Path      string   `json:"path,omitempty"`
	Where     string   `json:"where,omitempty"` // what named the path
	Version   string   `json:"version,omitempty"`
	Bytecodes []string `json:"bytecodes,omitempty"`
	Targets   []string `json:"targets,omitempty"`
	Error     string   `json:"error,omitempty"`
}

// verdict says whether kernels run on a device.
type verdict struct {
	Device  string `json:"device"` // as cutile.Open takes it
	Model   string `json:"model"`
	Target  string `json:"target,omitempty"` // such as "sm_90"
	Memory  int64  `json:"memory,omitempty"` // bytes
	Runs    bool   `json:"runs"`
	Because string `json:"because"`
	Do      string `json:"do,omitempty"`
}

func doctor(c *call, args []string, asJSON bool, p probes) error {
	if err := none(args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, askLimit)
	defer cancel()
	r := examine(ctx, p)
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r); err != nil {
			return err
		}
	} else {
		r.print(c.out)
	}
	for _, v := range r.Devices {
		if !v.Runs {
			return fmt.Errorf("kernels do not run on %s", v.Device)
		}
	}
	return nil
}

// examine asks everything.
func examine(ctx context.Context, p probes) *report {
	r := &report{
		Cutile: ownVersion(), Go: strings.TrimPrefix(runtime.Version(), "go"), System: runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.GOMAXPROCS(0), CPU: p.cpu(),
	}
	r.Devices = []verdict{{Device: "cpu", Model: r.CPU, Runs: true, Because: "it needs nothing"}}
	for _, name := range toolchain.Names() {
		r.Tools = append(r.Tools, examineTool(ctx, p, name))
	}
	gpus, err := p.gpus()
	switch {
	case errors.Is(err, cuda.ErrNoDriver):
		r.Driver.Error = err.Error()
	case err != nil:
		r.Driver = driverReport{Found: true, Error: err.Error()}
	case len(gpus) == 0:
		r.Driver = driverReport{Found: true, Error: "it lists no GPU: check nvidia-smi and CUDA_VISIBLE_DEVICES"}
	default:
		r.Driver = driverReport{Found: true, CUDA: cudaName(gpus[0].Driver)}
	}
	for _, g := range gpus {
		v := verdict{Device: g.Name(), Model: g.String(), Target: g.Target(), Memory: g.Memory}
		v.Runs, v.Because, v.Do = r.judge(g)
		r.Devices = append(r.Devices, v)
	}
	r.compareReleases()
	for _, err := range p.distrusted() {
		r.Notes = append(r.Notes, err.Error())
	}
	return r
}

func cudaName(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

func examineTool(ctx context.Context, p probes, name string) toolReport {
	r := toolReport{Name: name}
	tool, err := p.find(name)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.Path, r.Where = tool.Path, tool.Where
	info, err := p.ask(ctx, tool)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.Version, r.Targets = info.Version, info.Targets
	for _, v := range info.Bytecodes {
		r.Bytecodes = append(r.Bytecodes, v.String())
	}
	return r
}

func (r *report) tool(name string) *toolReport {
	i := slices.IndexFunc(r.Tools, func(t toolReport) bool { return t.Name == name })
	return &r.Tools[i]
}

const installAdvice = "run `cutile toolchain install`"

// judge says whether kernels run on a GPU. The first thing that is missing is the one to see to.
func (r *report) judge(g cuda.Info) (runs bool, because, do string) {
	as := r.tool(toolchain.Tileiras)
	switch {
	case g.Driver < cuda.MinDriver:
		return false, fmt.Sprintf("the NVIDIA driver supports CUDA %s, but kernels need %s (release R580) or later", cudaName(g.Driver), cudaName(cuda.MinDriver)),
			"update the NVIDIA driver"
	case as.Path == "":
		return false, "there is no tileiras, which makes its code", installAdvice
	case as.Error != "":
		return false, "tileiras does not work: " + as.Error, installAdvice
	case len(as.Bytecodes) == 0:
		return false, fmt.Sprintf("tileiras %s reads no bytecode version that is written here", as.Version), installAdvice
	case !slices.Contains(as.Targets, g.Target()):
		return false, fmt.Sprintf("tileiras %s makes no code for %s", as.Version, g.Target()),
			fmt.Sprintf("%s; if it stays so, the GPU is too old or too new: use the device \"cpu\"", installAdvice)
	}
	return true, fmt.Sprintf("tileiras %s makes code for %s, from bytecode %s, and the driver supports CUDA %s", as.Version, g.Target(),
		as.Bytecodes[len(as.Bytecodes)-1], cudaName(g.Driver)), ""
}

// compareReleases notes a ptxas of another release beside tileiras, which runs the one in its own folder first.
func (r *report) compareReleases() {
	as, ptx := r.tool(toolchain.Tileiras), r.tool(toolchain.Ptxas)
	if as.Version != "" && ptx.Version != "" && minor(as.Version) != minor(ptx.Version) {
		r.Notes = append(r.Notes, fmt.Sprintf("tileiras %s and ptxas %s are of different releases, which may not work together; %s", as.Version, ptx.Version, installAdvice))
	}
}

// minor is a version up to its second number.
func minor(v string) string {
	parts := strings.SplitN(v, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
