package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

var dumpCommand = &command{
	name: "dump", args: "PACKAGE_DIR KERNEL[TYPES...]", short: "show what the compiler makes of a kernel, stage by stage",
	long: `
PACKAGE_DIR is the folder of a Go package; it is read, not built. KERNEL is a function in it, a kernel of package tile, with
its type arguments:

  cutile dump ./examples/gemm 'gemm[D128, D64, D32]'

Names mean what they mean in the kernel's file; those of package tile are always known.

The stages are source (the kernel and what it reaches), types (what each expression is, to Go and to Tile IR), lowered
(Tile IR as text, before the passes), ir (after them), checks (which accesses a launch proves to stay inside their tensors,
and which are masked), cost (what a launch counts, as the command cost does with numbers of 0, and what costs more than it
needs to: divisions by one number, masks, integers of 64 bits, what is computed again for each element), bytecode; and with
-target, which needs NVIDIA's tools, cubin, sass (machine code; -g shows the lines of the source) and remarks (what the
assembler chose, by the lines of the source). -stage takes several, separated by commas.

The facts are what a launch would find out about its arguments. By default every tensor is aligned to 16 bytes and
contiguous, and its extents are multiples of 16. -facts takes, separated by commas:

  all, none               for every tensor
  wide                    extents and strides of 64 bits
  PARAMETER=PROMISES      for one: all, none, align, extent, stride, unit, joined by +;
                          extent.0 is that of axis 0, and so on: -facts none,a=align+stride.0+unit.1`,
	setup: func(fs *flag.FlagSet) action {
		o := &dumpOptions{funcs: map[string]string{}, shapes: map[string][]int{}}
		fs.StringVar(&o.stages, "stage", "all", "the `stages` to show")
		fs.StringVar(&o.dir, "o", "", "write each stage to a file in this `folder`; bytecode as it is")
		fs.StringVar(&o.target, "target", "", "the GPU `architecture` to assemble for, such as sm_90")
		fs.StringVar(&o.version, "version", "", "bytecode `version`; by default the oldest from 13.2 on that has what the kernel needs")
		fs.StringVar(&o.facts, "facts", "all", "what is promised about the arguments")
		fs.BoolVar(&o.places, "g", false, "add the places in the source to the stages lowered, ir and sass")
		fs.Func("func", "the function for a parameter of the kernel, as `parameter=name`; may be repeated", o.addFunc)
		fs.Func("shape", "extents of a tensor for the stages checks and cost, as `parameter=extents`, such as x=1000x64; may be repeated", o.addShape)
		return func(c *call, args []string) error { return dump(c, args, o) }
	},
}

type dumpOptions struct {
	stages, dir, version, facts, target string
	places                              bool
	shapes                              map[string][]int  // by parameter
	funcs                               map[string]string // by parameter
}

func (o *dumpOptions) addFunc(text string) error {
	param, name, ok := strings.Cut(text, "=")
	if !ok || param == "" || name == "" {
		return fmt.Errorf("want parameter=name")
	}
	o.funcs[param] = name
	return nil
}

// dumper is a kernel whose stages are shown.
type dumper struct {
	c      *call
	opts   *dumpOptions
	kernel *compile.Kernel
	facts  compile.Facts

	code    *compile.Code // made when a stage needs it
	version tileir.Version
	data    []byte // bytecode
	cubin   []byte
	words   string // of the assembler
}

// stage is one of the things to show.
type stage struct {
	name, ext string
	show      func(d *dumper, w io.Writer) error
	raw       func(d *dumper, w io.Writer) error // for a file, where that differs
	target    bool                               // needs one, and NVIDIA's tools
}

var stages = []stage{
	{"source", ".source.txt", (*dumper).source, nil, false},
	{"types", ".types.txt", (*dumper).types, nil, false},
	{"lowered", ".lowered.txt", (*dumper).lowered, nil, false},
	{"ir", ".tileir.txt", (*dumper).ir, nil, false},
	{"checks", ".checks.txt", (*dumper).checks, nil, false},
	{"cost", ".cost.txt", (*dumper).cost, nil, false},
	{"bytecode", ".tileirbc", (*dumper).hex, (*dumper).raw, false},
	{"cubin", ".cubin", (*dumper).cubinSize, (*dumper).rawCubin, true},
	{"sass", ".sass.txt", (*dumper).sass, nil, true},
	{"remarks", ".remarks.txt", (*dumper).remarks, nil, true},
}

func dump(c *call, args []string, o *dumpOptions) error {
	if len(args) != 2 {
		return toolbox.Usagef("want a package's folder and a kernel, got %d arguments (a kernel with type arguments needs quotes)", len(args))
	}
	if err := toolbox.CheckArch(o.target); err != nil {
		return err
	}
	picked, err := pickStages(o)
	if err != nil {
		return err
	}
	d := &dumper{c: c, opts: o}
	if o.version != "" {
		if d.version, err = tileir.ParseVersion(o.version); err != nil {
			return toolbox.Usagef("-version: %q is not one of %v", o.version, tileir.Versions())
		}
	}
	name, typeArgs, err := parseKernel(args[1])
	if err != nil {
		return err
	}
	path, err := loadPackage(c, args[0])
	if err != nil {
		return err
	}
	if err := d.resolve(path, name, typeArgs); err != nil {
		return err
	}
	if o.dir != "" {
		return d.files(picked)
	}
	for i, s := range picked {
		if len(picked) > 1 {
			if i > 0 {
				fmt.Fprintln(c.out)
			}
			fmt.Fprintf(c.out, "==== %s ====\n\n", s.name)
		}
		if err := s.show(d, c.out); err != nil {
			return err
		}
	}
	return nil
}

func pickStages(o *dumpOptions) (picked []stage, err error) {
	var names []string
	for _, s := range stages {
		names = append(names, s.name)
	}
	want := strings.Split(o.stages, ",")
	for _, w := range want {
		if w != "all" && !slices.Contains(names, w) {
			return nil, toolbox.Usagef("-stage: %q is none of %s and all", w, strings.Join(names, ", "))
		}
	}
	for _, s := range stages {
		if slices.Contains(want, "all") && (!s.target || o.target != "") || slices.Contains(want, s.name) {
			picked = append(picked, s)
		}
	}
	return picked, nil
}

// parseKernel cuts "gemm[D128, D64]" into the name and its type arguments.
func parseKernel(text string) (name string, args []string, err error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return "", nil, toolbox.Usagef("%q is not a kernel, as in 'gemm[D128, D64, D32]': %v", text, err)
	}
	var list []ast.Expr
	switch x := e.(type) {
	case *ast.IndexExpr:
		e, list = x.X, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		e, list = x.X, x.Indices
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return "", nil, toolbox.Usagef("%q is not a kernel, as in 'gemm[D128, D64, D32]'", text)
	}
	for _, a := range list {
		args = append(args, types.ExprString(a))
	}
	return id.Name, args, nil
}

// resolve finds the kernel, its facts and its functions.
func (d *dumper) resolve(path, name string, typeArgs []string) (err error) {
	if p, err := source.Load(path); err != nil {
		return err
	} else if fn := p.Decls[name]; fn == nil || fn.Func() == nil {
		known, err := kernelsOf(p)
		if err != nil || len(known) == 0 {
			return fmt.Errorf("package %s has no function %s, and no kernel", path, name)
		}
		return fmt.Errorf("package %s has no function %s; its kernels are %s", path, name, names.List(known))
	}
	if d.kernel, err = compile.ResolveNamed(path, name, typeArgs...); err != nil {
		return err
	}
	params := d.kernel.Params()
	if d.facts, err = parseFacts(d.opts.facts, params); err != nil {
		return err
	}
	for i, p := range params {
		fn, given := d.opts.funcs[p.Name]
		delete(d.opts.funcs, p.Name)
		switch {
		case p.Kind != compile.Func && given:
			return toolbox.Usagef("-func: the parameter %s is no function", p.Name)
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

// files writes the stages to a folder, and names the files.
func (d *dumper) files(picked []stage) error {
	if err := os.MkdirAll(d.opts.dir, 0o755); err != nil {
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
		file := filepath.Join(d.opts.dir, fileName(d.kernel.Name())+s.ext)
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(d.c.out, file)
	}
	return nil
}

// fileName spells a kernel's name so that every file system and shell takes it.
func fileName(kernel string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		if r == ' ' {
			return -1
		}
		return '_'
	}, kernel), "_")
}

// compile makes the module, once.
func (d *dumper) compile() (err error) {
	if d.code == nil {
		d.code, err = d.kernel.Compile(d.c.ctx, d.facts)
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
	if d.opts.places {
		return text.PrintPlaced(w, m)
	}
	return tileir.Print(w, m, tileir.PrintOptions{})
}
