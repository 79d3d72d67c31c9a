package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/opt"
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

// defaultPipeline is the stages for a target.
func defaultPipeline(t target, o *Options) Stages {
	p := Stages{"verify"}
	if o.Opt.Level() > 0 {
		p = append(p, "optimise", "verify")
	}
	if !t.modules || o.KeepPTX || o.KeepCubin {
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
			return nil, fmt.Errorf("there is no stage %q: the stages are %s", name, strings.Join(stageOrder, ", "))
		}
		if (name == "read" || name == "assemble") && !slices.Contains(p[:i], "ptx") {
			return nil, fmt.Errorf("stage %s needs ptx before it", name)
		}
	}
	return p, nil
}

// String is the names with commas between, as [ParsePipeline] reads them.
func (p Stages) String() string { return strings.Join(p, ",") }

// target is what a program is compiled for.
type target struct {
	name    string   // of the engine's code
	archs   []string // that it may be for, the preferred one first
	modules bool     // the engine takes modules themselves
}

// targetOf is what programs for a device are compiled for, which options may override.
func targetOf(d engine.Device, o *Options) target {
	t := target{name: d.Target()}
	if s, ok := d.(engine.SIMT); ok {
		t.archs, t.modules = s.Archs(), s.TakesModules()
	}
	if o.Arch != "" {
		t.archs = []string{o.Arch}
	}
	if len(t.archs) == 0 {
		t.archs = []string{t.name}
	}
	return t
}

// verify refuses a module that is not one, or that uses what the architectures lack.
func verify(_ context.Context, p *program) (first error) {
	for _, arch := range p.target.archs {
		err := simt.Verify(p.module, arch)
		if err == nil {
			p.arch = arch
			return nil
		}
		if first == nil {
			first = err
		}
	}
	if e := ofLaunch(first); e != nil {
		return e
	}
	return &CompileError{Stage: "verify", Arch: p.target.archs[0], Module: p.module, Err: first}
}

// ofLaunch is the mistake of a function's author whose launch, or kernel, asks for more than there is: one of no instruction, but with a
// place in the source; nil for other errors.
func ofLaunch(err error) error {
	var e *simt.Error
	if !errors.As(err, &e) || e.Index >= 0 || !e.Pos.IsValid() {
		return nil
	}
	return &diag.Error{Pos: e.Pos, Stage: diag.Lower, Msg: e.Func + ": " + e.Msg, Source: source.Line(e.Pos)}
}

func optimise(ctx context.Context, p *program) error {
	return opt.Module(ctx, p.module)
}

func writePTX(ctx context.Context, p *program) error {
	asm, err := assembler()
	if err == nil {
		var found bool
		if p.ptx, found, err = asm.PTX(ctx, p.code()); err == nil {
			p.made("ptx", found)
			p.image = p.ptx
			return nil
		}
	}
	return &CompileError{Stage: "ptx", Arch: p.arch, Module: p.module, Err: err}
}

// assemble has machine code made of the PTX.
func assemble(ctx context.Context, p *program) error {
	asm, err := assembler()
	if err == nil {
		var found bool
		if p.cubin, found, err = asm.Cubin(ctx, p.code(), p.ptx); err == nil {
			p.made("cubin", found)
			p.image = p.cubin
			return nil
		}
	}
	return &CompileError{Stage: "assemble", Arch: p.arch, Module: p.module, Err: err}
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
