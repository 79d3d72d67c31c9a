package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/opt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// Stages is the names of the stages that a module goes through, in order.
type Stages []string

// stages is what each stage does.
var stages = map[string]func(ctx context.Context, p *program) error{
	"verify":   verify,
	"optimise": optimise,
	"ptx":      writePTX,
	"read":     readBack,
	"assemble": assemble,
}

// stageOrder lists the stages as they usually come.
var stageOrder = []string{"verify", "optimise", "ptx", "read", "assemble"}

// DefaultPipeline is the stages for a device's target, "cpu" or "sm_90".
func DefaultPipeline(target string, o *Options) Stages {
	p := Stages{"verify"}
	if o.Opt.Level() > 0 {
		p = append(p, "optimise", "verify")
	}
	if target != cpuTarget || o.KeepPTX || o.KeepCubin {
		p = append(p, "ptx")
	}
	if o.KeepCubin {
		p = append(p, "assemble")
	}
	return p
}

// ParsePipeline reads the names of stages with commas between.
func ParsePipeline(text string) (Stages, error) {
	if text == "" {
		return nil, nil
	}
	p := Stages(strings.Split(text, ","))
	for i, name := range p {
		if stages[name] == nil {
			return nil, fmt.Errorf("there is no stage %q: there are %s", name, strings.Join(stageOrder, ", "))
		}
		if (name == "read" || name == "assemble") && !slices.Contains(p[:i], "ptx") {
			return nil, fmt.Errorf("stage %s needs ptx before it", name)
		}
	}
	return p, nil
}

// String is the names with commas between, as [ParsePipeline] reads them.
func (p Stages) String() string { return strings.Join(p, ",") }

// cpuTarget is the target of the engine that takes modules as they are.
const cpuTarget = "cpu"

// archOf is the architecture that code for a device is made for: with all that this generation alone has. A GPU that is not
// in the table runs code for the next older one that is.
func archOf(target string, o *Options) string {
	if o.Arch != "" {
		return o.Arch
	}
	for _, name := range []string{target + "a", target} {
		if _, err := simt.TargetOf(name); err == nil {
			return name
		}
	}
	var sm int
	if _, err := fmt.Sscanf(target, "sm_%d", &sm); err != nil {
		return target
	}
	best := target
	for _, a := range simt.Targets() {
		if a.SM < sm && !strings.HasSuffix(a.Name, "a") {
			best = a.Name
		}
	}
	return best
}

// cpuArchs are those that a module for the emulator may be for: the first one that has all that it uses.
var cpuArchs = []string{"sm_90a", "sm_100a", "sm_103a", "sm_120a"}

// verify refuses a module that is not one, or that uses what the architecture lacks.
func verify(_ context.Context, p *program) (first error) {
	archs := cpuArchs
	if p.target != cpuTarget || p.options.Arch != "" {
		archs = []string{archOf(p.target, &p.options)}
	}
	for _, arch := range archs {
		err := simt.Verify(p.module, arch)
		if err == nil {
			p.arch = arch
			return nil
		}
		if first == nil {
			first = err
		}
	}
	if e := overShared(first); e != nil {
		return e
	}
	return &CompileError{Stage: "verify", Arch: archs[0], Module: p.module, Err: first}
}

// overShared is the mistake of a function's author who asks for more shared memory than there is; nil for other errors.
func overShared(err error) error {
	var e *simt.Error
	if !errors.As(err, &e) || e.Index >= 0 || !e.Pos.IsValid() {
		return nil
	}
	return &diag.Error{Pos: e.Pos, Stage: diag.Verify, Msg: e.Func + ": " + e.Msg + ": ask for less, most of it is asked for here", Source: source.Line(e.Pos)}
}

func optimise(ctx context.Context, p *program) error {
	return opt.Module(ctx, p.module)
}

func writePTX(ctx context.Context, p *program) error {
	write := ptx.Write
	if p.options.Assertions || p.options.Dump != "" {
		write = ptx.WriteLines
	}
	image, err := p.kept(ctx, keptPTX, func(context.Context) ([]byte, error) {
		counters.assembled.Add(1)
		return write(p.module, p.arch)
	})
	if err != nil {
		return &CompileError{Stage: "ptx", Arch: p.arch, Module: p.module, Err: err}
	}
	p.ptx, p.image = image, image
	return nil
}

// assemble has ptxas make machine code.
func assemble(ctx context.Context, p *program) error {
	cubin, err := p.kept(ctx, keptCubin, func(ctx context.Context) ([]byte, error) {
		counters.assembled.Add(1)
		return Assemble(ctx, p.module, p.ptx, p.arch, p.options.Opt.Level())
	})
	if err != nil {
		return &CompileError{Stage: "assemble", Arch: p.arch, Module: p.module, Err: err}
	}
	p.cubin, p.image = cubin, cubin
	return nil
}

// CompileError is a stage that failed for a module that the front end made: what the architecture lacks, else a fault
// of ours.
type CompileError struct {
	Stage  string
	Arch   string
	Module *simt.Module
	Err    error
}

// excerpt is how many lines of a module an error shows.
const excerpt = 12

// Error gives the beginning of the module, too.
func (e *CompileError) Error() string {
	lines := strings.SplitN(e.Module.String(), "\n", excerpt+1)
	if len(lines) > excerpt {
		lines[excerpt] = "..."
	}
	return fmt.Sprintf("%s for %s, stage %s: %v\nthe module begins\n%s", e.Module.Name, e.Arch, e.Stage, e.Err, strings.Join(lines, "\n"))
}

// Unwrap gives the stage's own error.
func (e *CompileError) Unwrap() error { return e.Err }

// dump writes what was made to a folder, if there is one.
func (p *program) dump(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range []struct {
		ext  string
		data []byte
	}{{".simt", []byte(p.text)}, {".ptx", p.ptx}, {".cubin", p.cubin}} {
		if f.data == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, p.module.Host.Name+f.ext), f.data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
