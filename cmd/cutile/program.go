package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// runProgram runs a command with the input and output of this one and with more variables of the environment. One that fails has said why:
// its exit code is an [exitError].
func runProgram(c *call, args []string, env ...string) error {
	cmd := exec.CommandContext(c.ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, c.err
	toolchain.OwnGroup(cmd)
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case errors.As(err, &exit):
		return exitError{code: max(exit.ExitCode(), exitFailed)}
	}
	return err
}

// isPackage reports whether go run would take the first arguments of a command: Go files, or a folder by a path.
func isPackage(args []string) bool {
	return strings.HasSuffix(args[0], ".go") || isFolder(args[0]) && (args[0] == "." || args[0] == ".." || filepath.Base(args[0]) != args[0])
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// buildPackage builds a command of a package or of Go files into a folder, and gives the command line that runs it. go run would not give the
// exit code of the program.
func buildPackage(c *call, args []string, dir string) ([]string, error) {
	n := 1
	for strings.HasSuffix(args[0], ".go") && n < len(args) && strings.HasSuffix(args[n], ".go") {
		n++
	}
	path, err := filepath.Abs(args[0])
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".go"))
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := runProgram(c, append([]string{"go", "build", "-o", name}, args[:n]...)); err != nil {
		return nil, err
	}
	return append([]string{name}, args[n:]...), nil
}
