// Package app starts the examples that are modules of their own: they need libraries which the module cutile does not, and
// who imports cutile should not have to fetch those. A folder such as examples/search has a command of a few lines, so that
//
//	go run ./examples/search
//
// works in a clone of the project. It builds the command of the same name of the module examples/apps and runs it where the
// user is. A program that is given to others is built without it: go build -C examples/apps -o DIR ./search.
package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/cutile-go/cutile/internal/child"
)

// Main builds the command of the name in the module examples/apps, runs it with the arguments, the folder and the standard
// files of this process, and ends this process as it ended.
func Main(name string) {
	code, err := run(name, os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		code = 1
	}
	os.Exit(code)
}

// run builds and runs the command, and returns its exit code.
func run(name string, args []string) (int, error) {
	module, err := modulePath()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "cutile-"+name+"-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, name+suffix())
	build := exec.Command("go", "build", "-C", module, "-o", program, "./"+name)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := bound(build); err != nil {
		return 0, fmt.Errorf("building ./%s in %s: %w", name, module, err)
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = bound(cmd)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// bound runs a program that ends with this process. An interrupt from the terminal reaches the program as well, which decides what to do: this
// process waits for it.
func bound(cmd *exec.Cmd) error {
	_, err := child.Command{Cmd: cmd, Own: time.Second, Interrupts: true}.Run(context.Background())
	return err
}

// modulePath is the folder of the module examples/apps. It is not there where the package was fetched as a dependency: what the
// go command fetches for one module has no folders of other modules.
func modulePath() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	path := filepath.Join(filepath.Dir(file), "..", "..", "apps")
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err != nil {
		return "", fmt.Errorf("the module examples/apps is not beside this package: clone the project and use go run in the clone (%w)", err)
	}
	return path, nil
}

// suffix is what the names of programs end with.
func suffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
