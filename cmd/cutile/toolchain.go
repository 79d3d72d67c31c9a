package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

var toolchainCommand = &command{
	name: "toolchain", short: "install and find NVIDIA's tools, which GPUs need",
	sub: []*command{installCommand, listCommand, pathCommand},
}

var installCommand = &command{
	name: "install", short: "install NVIDIA's tools from the wheels that NVIDIA publishes",
	long: `
The tools are installed in a cutile folder inside the system's cache folder, or in the folder that CUTILE_CACHE names.
They need about 1 GiB. pip downloads them, with the user's settings for the index and the proxy. No GPU is needed.

A working installation that is already there is kept.`,
	setup: func(fs *flag.FlagSet) action {
		python := fs.String("python", "", "the `interpreter` whose pip is used; by default $CUTILE_PYTHON, python3 or python")
		version := fs.String("version", "", "the `release`, one of those that `cutile toolchain list` shows; by default the newest")
		force := fs.Bool("force", false, "install again, even if the tools are already there")
		return func(c *call, args []string) error {
			if err := none(args); err != nil {
				return err
			}
			return install(c, toolchain.InstallOptions{Python: *python, Version: *version, Progress: c.err}, *force)
		}
	},
}

func install(c *call, opts toolchain.InstallOptions, force bool) error {
	restore, drop := nothing, nothing
	if force {
		var err error
		if restore, drop, err = setAside(opts.Version); err != nil {
			return err
		}
	}
	in, err := toolchain.Install(c.ctx, opts)
	if err != nil {
		return errors.Join(err, restore())
	}
	fmt.Fprintf(c.out, "%s %s\n", in.Version, in.Dir)
	return drop()
}

// setAside moves an installation out of the way, so that a new one is made. restore brings it back, and drop removes it.
func setAside(version string) (restore, drop func() error, err error) {
	if version == "" {
		version = toolchain.Releases()[0]
	}
	for _, in := range toolchain.Installed() {
		if in.Version != version {
			continue
		}
		aside := filepath.Join(filepath.Dir(in.Dir), "old-"+version)
		if err := errors.Join(os.RemoveAll(aside), os.Rename(in.Dir, aside)); err != nil {
			return nil, nil, err
		}
		return func() error { return os.Rename(aside, in.Dir) }, func() error { return os.RemoveAll(aside) }, nil
	}
	return nothing, nothing, nil
}

func nothing() error { return nil }

var listCommand = &command{
	name: "list", short: "list what is installed, and which tools are used",
	setup: func(*flag.FlagSet) action { return list },
}

func list(c *call, args []string) error {
	if err := none(args); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	defer tw.Flush()
	installed := toolchain.Installed()
	fmt.Fprintf(tw, "releases\n")
	for _, release := range toolchain.Releases() {
		i := slices.IndexFunc(installed, func(in toolchain.Installation) bool { return in.Version == release })
		if i < 0 {
			fmt.Fprintf(tw, "  %s\tnot installed\n", release)
		}
	}
	for _, in := range installed {
		fmt.Fprintf(tw, "  %s\t%s\n", in.Version, in.Dir)
	}
	fmt.Fprintf(tw, "in use\n")
	for _, name := range toolchain.Names() {
		tool, err := toolchain.Find(name)
		if err != nil {
			fmt.Fprintf(tw, "  %s\tmissing\n", name)
			continue
		}
		fmt.Fprintf(tw, "  %s\t%s (%s)\n", name, tool.Path, tool.Where)
	}
	return nil
}

var pathCommand = &command{
	name: "path", args: "[TOOL]", short: "print where a tool is, for scripts",
	long:  "\nTOOL is " + strings.Join(toolchain.Names(), ", ") + "; by default tileiras.",
	setup: func(*flag.FlagSet) action { return path },
}

func path(c *call, args []string) error {
	name := toolchain.Tileiras
	switch {
	case len(args) > 1:
		return toolbox.Usagef("want one tool, got %d", len(args))
	case len(args) == 1 && !slices.Contains(toolchain.Names(), args[0]):
		return toolbox.Usagef("%q is not one of %s", args[0], strings.Join(toolchain.Names(), ", "))
	case len(args) == 1:
		name = args[0]
	}
	tool, err := toolchain.Find(name)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.out, tool.Path)
	return nil
}
