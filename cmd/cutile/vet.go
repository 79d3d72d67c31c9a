package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/vet"
)

var vetCommand = &command{
	name: "vet", args: "[PACKAGE ...]", short: "report mistakes in kernels and their launches",
	long: `vet runs go vet with this command as its tool. It compiles every kernel of the packages, in the instances that the
packages name, and reports the compiler's errors at their positions. Packages are named as for the go command; without
arguments it is the package in the working folder. Editors and other tools call go vet -vettool=$(which cutile).

vet does not check functions of package cute, which are checked at their first call, or by cute.Compile.`,
	setup: func(*flag.FlagSet) action { return runVet },
}

func runVet(c *call, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(c.ctx, "go", append([]string{"vet", "-vettool=" + self}, args...)...)
	cmd.Stdout, cmd.Stderr = c.out, c.err
	toolchain.OwnGroup(cmd)
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case errors.As(err, &exit):
		return exitError{code: exitFailed} // the mistakes are on the standard error
	}
	return err
}

// vetTool answers the go command, which calls its -vettool with options of its own or the name of a .cfg file last.
func vetTool(args []string) {
	if len(args) == 0 {
		return
	}
	if last := args[len(args)-1]; last == "-V=full" || last == "-flags" || strings.HasSuffix(last, ".cfg") {
		unitchecker.Main(vet.Analyzer)
	}
}
