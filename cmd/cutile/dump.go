package main

import (
	"flag"
	"slices"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/dump"
	"github.com/cutile-go/cutile/internal/toolbox/graphdump"
)

var dumpCommand = &command{
	name: "dump", args: "PACKAGE_DIR KERNEL[TYPES...]", short: "show how a kernel or a graph is compiled, stage by stage",
	long: `
PACKAGE_DIR is the folder of a Go package, which is read but not built. KERNEL is a function of that package, a kernel
of package tile, with its type arguments:

  cutile dump ./examples/gemm 'gemm[D128, D64, D32]'

Names are resolved in the kernel's file; names of package tile are always known. The name of a kernel as messages have it will do,
too: main.gemm[D128, D64, D32], with type arguments without their packages.

These are the stages:

  source     the kernel and the declarations that it uses
  types      the Go type and the Tile IR type of each expression
  lowered    Tile IR as text, before the passes
  ir         Tile IR as text, after the passes
  checks     which accesses a launch proves to stay inside their tensors, and which are masked
  access     what each load and store touches in memory, and what else engines ask of the IR before they make code of it
  cost       the cost of a launch with numbers of 0, as counted by the command cost, and avoidable costs: divisions by the
             same number, masks, integers of 64 bits, computations that are repeated for each element
  bytecode   the file for the assembler
  native     for the CPU: which operations become machine code, and why the others are interpreted
  asm        for the CPU: the machine code, with source lines
  layouts    for our own compiler to PTX, as the next three stages: the layouts of tiles in the registers of threads; they need
             -target, such as own:sm_75
  plan       the width of accesses, the units that multiply matrices, pipelines, shared memory and barriers; with why products
             have no such unit or do not overlap, and why loads beside products are not copied ahead, or not as boxes by a warp of its own
  threads    the program of one thread
  ptx        the text for the driver's compiler, or ptxas; -g adds source lines
  spirv      for Vulkan: the text of the module; it needs -target vulkan, a device that has everything, or
             vulkan:-shaderInt64,-shaderFloat64, one that lacks features, or one of this machine, such as vulkan:0
  cubin      machine code for a GPU; this and the next two stages need -target and NVIDIA's tools; with a target such as own:sm_90,
             ptxas makes it of the stage ptx, and a note says what it spills to local memory
  sass       the instructions of the machine code; -g shows source lines
  remarks    the decisions of the assembler, by source line

-stage takes several stages, separated by commas. The stages for the CPU are for the level that this machine uses, or
that -target names: cpu:avx2, cpu:avx512 or cpu:neon, which need not be a level of this machine. all has the stages for a
machine only with -target.

The facts are properties of the arguments, which a launch finds out by itself. By default, every tensor is aligned to
16 bytes and contiguous, and its extents are multiples of 16. -facts takes these words, separated by commas:

  all, none               all or no facts for every tensor
  wide                    extents and strides have 64 bits
  PARAMETER=FACTS         facts for one parameter: all, none, align, extent, stride, unit, joined by +;
                          extent.0 is that of axis 0, and so on: -facts none,a=align+stride.0+unit.1

With -graph, the function builds a graph of package graph, with operations on arrays instead of tiles:

  cutile dump -graph ./mypkg Model

Its type is func(g *graph.Graph), and its results are *graph.Value or []*graph.Value, and perhaps an error last. Any
name of the package will do, also in package main. The package is built, and Model is called in the working folder; its
functions init run, but main does not. Nothing is written into the folder. These are the stages:

  graph      the operations, with the lines that made them
  fused      the kernels: the axes and the expression of each, and the operations that were fused in it
  cost       functions of elements, comparisons and folds, where a product and its addition are two, and bytes of arrays in
             memory, each once: of kernels, of the operations in them, and of a run. These are the numbers of a profile;
             the command cost counts what the blocks of a kernel access and compute, which is more where tiles are read
             again
  ir         the Tile IR of the kernels

Of the flags only -stage and -o are for graphs.`,
	setup: func(fs *flag.FlagSet) action {
		o := &dump.Options{}
		fs.StringVar(&o.Stages, "stage", "all", "the `stages` to show")
		fs.StringVar(&o.Folder, "o", "", "write each stage to a file in this `folder`; bytecode is written in binary form")
		fs.StringVar(&o.Target, "target", "", "the `machine` to make code for: the architecture of a GPU, such as sm_90, or own:sm_90 for our own compiler, vulkan, or cpu, or a level, such as cpu:avx512")
		fs.StringVar(&o.Version, "version", "", "bytecode `version`; by default the oldest from 13.2 on that supports the kernel")
		fs.StringVar(&o.Facts, "facts", "all", "the facts about the arguments")
		graphs := fs.Bool("graph", false, "show the graph that a function builds")
		fs.BoolVar(&o.Places, "g", false, "add source positions to the stages lowered, ir, ptx and sass")
		fs.Func("func", "the function for a function parameter of the kernel, as `parameter=name`; may be repeated", o.AddFunc)
		fs.Func("shape", "the extents of a tensor for the stages checks, access and cost, as `parameter=extents`, such as x=1000x64; may be repeated", o.AddShape)
		return func(c *call, args []string) error {
			if len(args) != 2 {
				return toolbox.Usagef("want a package's folder and a kernel or, with -graph, a function, got %d arguments (type arguments need quotes)", len(args))
			}
			if *graphs {
				return dumpGraph(c, fs, args, o)
			}
			o.Notes = c.err
			return dump.Kernel(c.ctx, c.out, args[0], args[1], o)
		}
	},
}

// dumpGraph shows the graph that a function builds.
func dumpGraph(c *call, fs *flag.FlagSet, args []string, o *dump.Options) (err error) {
	fs.Visit(func(f *flag.Flag) {
		if !slices.Contains([]string{"graph", "stage", "o"}, f.Name) && err == nil {
			err = toolbox.Usagef("-%s is for kernels, and cannot be given with -graph", f.Name)
		}
	})
	if err != nil {
		return err
	}
	return graphdump.Function(c.ctx, args[0], args[1], &graphdump.Options{Stages: o.Stages, Folder: o.Folder, Out: c.out, Notes: c.err})
}
