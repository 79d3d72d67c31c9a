package main

import (
	"flag"

	"github.com/cutile-go/cutile/internal/toolbox/launchgen"
)

var genCommand = &command{
	name: "gen", args: "[PACKAGE ...]", short: "write launch functions that the Go compiler checks",
	long: `
For each function with the directive //cutile:entry in its doc comment, gen writes a function that launches it and a
function that prepares the launch, with a parameter for each parameter of the kernel. They take tensors with the right
element type and numbers of the right type, so that the Go compiler checks their calls:

  //cutile:entry
  func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) { … }

gives

  func launchAdd[B tile.Dim](ctx context.Context, on cutile.Target, x, y, z cutile.TensorOf[float32]) error
  func prepareAdd[B tile.Dim](…) (*cutile.Prepared, error)

For a kernel Add the names are LaunchAdd and PrepareAdd. The functions are written to the file ` + launchgen.File + ` of the
package. Packages are named as for the go command; without arguments it is the package in the working folder, as the line
"//go:generate cutile gen" requires.

A generic kernel is found through the source of the function that launches it, so the package must also embed the new file:

  //go:embed *.go
  var source embed.FS
  var _ = cutile.Module(source)`,
	setup: func(fs *flag.FlagSet) action {
		o := &launchgen.Options{}
		fs.StringVar(&o.Folder, "o", "", "write below this `folder`, at the packages' import paths, instead of next to the kernels")
		fs.BoolVar(&o.Print, "print", false, "print the code instead of writing it")
		return func(c *call, args []string) error {
			o.Out, o.Notes = c.out, c.err
			return launchgen.Generate(c.ctx, args, o)
		}
	},
}
