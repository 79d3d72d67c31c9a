package main

import (
	"flag"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/dump"
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
		o := &dump.Options{}
		fs.StringVar(&o.Stages, "stage", "all", "the `stages` to show")
		fs.StringVar(&o.Folder, "o", "", "write each stage to a file in this `folder`; bytecode as it is")
		fs.StringVar(&o.Target, "target", "", "the GPU `architecture` to assemble for, such as sm_90")
		fs.StringVar(&o.Version, "version", "", "bytecode `version`; by default the oldest from 13.2 on that has what the kernel needs")
		fs.StringVar(&o.Facts, "facts", "all", "what is promised about the arguments")
		fs.BoolVar(&o.Places, "g", false, "add the places in the source to the stages lowered, ir and sass")
		fs.Func("func", "the function for a parameter of the kernel, as `parameter=name`; may be repeated", o.AddFunc)
		fs.Func("shape", "extents of a tensor for the stages checks and cost, as `parameter=extents`, such as x=1000x64; may be repeated", o.AddShape)
		return func(c *call, args []string) error {
			if len(args) != 2 {
				return toolbox.Usagef("want a package's folder and a kernel, got %d arguments (a kernel with type arguments needs quotes)", len(args))
			}
			return dump.Kernel(c.ctx, c.out, args[0], args[1], o)
		}
	},
}
