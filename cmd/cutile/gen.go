package main

import (
	"flag"

	"github.com/cutile-go/cutile/internal/toolbox/launchgen"
)

var genCommand = &command{
	name: "gen", args: "[PACKAGE ...]", short: "write launch functions that the Go compiler checks",
	long: `
Writes for each function with the directive //cutile:entry in its doc comment a function that launches it and one that
prepares the launch, with a parameter for each of the kernel's. They take tensors of the right element and numbers of the
right type, so that the Go compiler checks their calls:

  //cutile:entry
  func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) { … }

gives

  func launchAdd[B tile.Dim](ctx context.Context, on cutile.Target, x, y, z cutile.TensorOf[float32]) error
  func prepareAdd[B tile.Dim](…) (*cutile.Prepared, error)

and LaunchAdd for a kernel Add. They stand in the file ` + launchgen.File + ` of the package. Packages are named as for the go command;
none is the one in the working folder, as //go:generate cutile gen wants it.

A generic kernel is found through the source of the function that launches it, so that the package embeds the new file, too:

  //go:embed *.go
  var source embed.FS
  var _ = cutile.Module(source)`,
	setup: func(fs *flag.FlagSet) action {
		o := &launchgen.Options{}
		fs.StringVar(&o.Folder, "o", "", "write below this `folder`, at the packages' import paths, instead of beside the kernels")
		fs.BoolVar(&o.Print, "print", false, "print what would be written")
		return func(c *call, args []string) error {
			o.Out, o.Notes = c.out, c.err
			return launchgen.Generate(c.ctx, args, o)
		}
	},
}
