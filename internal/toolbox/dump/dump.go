// Package dump shows what the compiler makes of a kernel, stage by stage: from its source to machine code.
package dump

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// Options are the choices of [Kernel].
type Options struct {
	Stages  string    // names separated by commas, or all
	Folder  string    // write each stage to a file there; "" prints them
	Target  string    // a GPU architecture, own: and one, vulkan, vulkan:0, vulkan:-shaderInt64, or cpu, or cpu: and a level; "" for none
	Version string    // of bytecode; "" for the oldest that has what the kernel needs
	Facts   string    // what is promised about the arguments
	Places  bool      // add the source positions
	Notes   io.Writer // for what is worth knowing beside the stages; nil for nowhere

	shapes map[string][]int  // by parameter
	funcs  map[string]string // by parameter
}

// AddFunc reads a function for a parameter, as in epilogue=relu.
func (o *Options) AddFunc(text string) error {
	param, name, ok := strings.Cut(text, "=")
	if !ok || param == "" || name == "" {
		return fmt.Errorf("want parameter=name")
	}
	if o.funcs == nil {
		o.funcs = map[string]string{}
	}
	o.funcs[param] = name
	return nil
}

// dumper is a kernel whose stages are shown.
type dumper struct {
	ctx    context.Context
	out    io.Writer
	opts   *Options
	kernel *compile.Kernel
	facts  compile.Facts
	gpu    string           // the architecture, "" for none
	cpu    *host.Target     // of the stages native and asm, nil for the one of this process
	made   *cpu.Explanation // when a stage needs it
	own    *simt.Arch       // of our own compiler, nil for none
	vulkan *threads.Vulkan  // nil for none

	threads *threads.Explanation // when a stage needs it

	code    *compile.Code // made when a stage needs it
	version tileir.Version
	data    []byte // bytecode
	cubin   []byte
	words   string // of the assembler
}

// Stage is one of the things to show.
type Stage struct {
	Name, Ext string
	show      func(d *dumper, w io.Writer) error
	raw       func(d *dumper, w io.Writer) error // for a file, where that differs
	Target    Machine                            // what -target must name; among all stages only if it does
}

// Machine is a kind of machine that code is made for.
type Machine uint8

// The kinds of machine.
const (
	AnyMachine Machine = iota
	CPU                // without -target it is this one
	GPU                // needs NVIDIA's tools
	Own                // a GPU, by our own compiler
	Vulkan             // a device with a Vulkan driver
)

// Stages lists the stages in the order in which they are shown.
func Stages() []Stage { return slices.Clone(stages) }

var stages = []Stage{
	{"source", ".source.txt", (*dumper).source, nil, AnyMachine},
	{"types", ".types.txt", (*dumper).types, nil, AnyMachine},
	{"lowered", ".lowered.txt", (*dumper).lowered, nil, AnyMachine},
	{"ir", ".tileir.txt", (*dumper).ir, nil, AnyMachine},
	{"checks", ".checks.txt", (*dumper).checks, nil, AnyMachine},
	{"access", ".access.txt", (*dumper).access, nil, AnyMachine},
	{"cost", ".cost.txt", (*dumper).cost, nil, AnyMachine},
	{"bytecode", ".tileirbc", (*dumper).hex, (*dumper).raw, AnyMachine},
	{"native", ".native.txt", (*dumper).native, nil, CPU},
	{"asm", ".asm.txt", (*dumper).asm, nil, CPU},
	{"layouts", ".layouts.txt", (*dumper).layouts, nil, Own},
	{"plan", ".plan.txt", (*dumper).plan, nil, Own},
	{"threads", ".threads.txt", (*dumper).program, nil, Own},
	{"ptx", ".ptx", (*dumper).ptx, nil, Own},
	{"spirv", ".spvasm", (*dumper).spirv, nil, Vulkan},
	{"cubin", ".cubin", (*dumper).cubinSize, (*dumper).rawCubin, GPU},
	{"sass", ".sass.txt", (*dumper).sass, nil, GPU},
	{"remarks", ".remarks.txt", (*dumper).remarks, nil, GPU},
}

// Kernel shows the stages of a kernel, such as gemm[D128, D64, D32], of the package in a folder.
func Kernel(ctx context.Context, w io.Writer, folder, kernel string, o *Options) error {
	d := &dumper{ctx: ctx, out: w, opts: o}
	if o.Notes == nil {
		o.Notes = io.Discard
	}
	asked, err := d.target()
	if err != nil {
		return err
	}
	picked, err := pickStages(o, asked)
	if err != nil {
		return err
	}
	if d.version, err = toolbox.Version(o.Version); err != nil {
		return err
	}
	pkg, name, typeArgs, err := parseKernel(kernel)
	if err != nil {
		return err
	}
	path, err := loadPackage(ctx, folder)
	if err != nil {
		return err
	}
	if err := d.resolve(path, pkg, name, typeArgs); err != nil {
		return err
	}
	if o.Folder != "" {
		return d.files(picked)
	}
	return d.printAll(picked)
}

// printAll prints the stages, each below its name where there are several.
func (d *dumper) printAll(picked []Stage) error {
	return toolbox.PrintStages(d.out, stageNames(picked), func(i int) error { return picked[i].show(d, d.out) })
}

func stageNames(stages []Stage) []string {
	names := make([]string, len(stages))
	for i, s := range stages {
		names[i] = s.Name
	}
	return names
}

func pickStages(o *Options, asked Machine) (picked []Stage, err error) {
	want, err := toolbox.StageWords(o.Stages, stageNames(stages))
	if err != nil {
		return nil, err
	}
	for _, s := range stages {
		if slices.Contains(want, toolbox.AllStages) && (s.Target == AnyMachine || s.Target == asked) || slices.Contains(want, s.Name) {
			picked = append(picked, s)
		}
	}
	return picked, nil
}

// resolve finds the kernel, its facts and its functions. pkg may be empty.
func (d *dumper) resolve(path, pkg, name string, typeArgs []string) (err error) {
	if p, err := source.Load(path); err != nil {
		return err
	} else if pkg != "" && pkg != p.Name {
		return fmt.Errorf("the folder has package %s (%s), not package %s of the kernel %[3]s.%[4]s: name the folder of that one", p.Name, path, pkg, name)
	} else if fn := p.Decls[name]; fn == nil || fn.Func() == nil {
		known, err := kernelsOf(p)
		if err != nil || len(known) == 0 {
			return fmt.Errorf("package %s has no function %s, and no kernel", path, name)
		}
		return fmt.Errorf("package %s has no function %s; its kernels are %s", path, name, names.List(known))
	} else if buildsGraph(fn.Func()) {
		return fmt.Errorf("%v: %s builds a graph, and is no kernel: add -graph", source.Fset.Position(fn.Node.Pos()), name)
	}
	if d.kernel, err = compile.ResolveNamed(path, name, typeArgs...); err != nil {
		return err
	}
	params := d.kernel.Params()
	if d.facts, err = parseFacts(d.opts.Facts, params); err != nil {
		return err
	}
	for i, p := range params {
		fn, given := d.opts.funcs[p.Name]
		delete(d.opts.funcs, p.Name)
		switch {
		case p.Kind != compile.Func && given:
			return toolbox.Usagef("-func: the parameter %s is not a function", p.Name)
		case p.Kind != compile.Func:
			continue
		case !given:
			return toolbox.Usagef("the parameter %s is a function: choose it with -func %s=NAME", p.Name, p.Name)
		}
		if d.facts.Args[i].Func, err = d.kernel.NamedFunc(i, fn); err != nil {
			return err
		}
	}
	for name := range d.opts.funcs {
		return toolbox.Usagef("-func: the kernel has no parameter %q; it has %s", name, paramNames(params))
	}
	return nil
}

// buildsGraph reports whether a function takes a graph of package graph.
func buildsGraph(fn *ast.FuncDecl) bool {
	params := fn.Type.Params.List
	return len(params) > 0 && types.ExprString(params[0].Type) == "*graph.Graph"
}

// files writes the stages to a folder, and names the files.
func (d *dumper) files(picked []Stage) error {
	if err := os.MkdirAll(d.opts.Folder, 0o755); err != nil {
		return err
	}
	for _, s := range picked {
		show := s.show
		if s.raw != nil {
			show = s.raw
		}
		var b bytes.Buffer
		if err := show(d, &b); err != nil {
			return err
		}
		file := filepath.Join(d.opts.Folder, toolbox.FileName(d.kernel.Name())+s.Ext)
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(d.out, file)
	}
	return nil
}

// compile makes the module, once.
func (d *dumper) compile() (err error) {
	if d.code == nil {
		d.code, err = d.kernel.Compile(d.ctx, d.facts)
	}
	return err
}

func (d *dumper) ir(w io.Writer) error {
	if err := d.compile(); err != nil {
		return err
	}
	return d.print(w, d.code.Module)
}

func (d *dumper) print(w io.Writer, m *tileir.Module) error {
	if d.opts.Places {
		return text.PrintPlaced(w, m)
	}
	return text.Print(w, m, text.PrintOptions{})
}
