package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/cover"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
)

var coverCommand = &command{
	name: "cover", args: "[COMMAND ...]", short: "report which statements of kernels run", verbatim: true,
	long: `
cover runs a command, such as a test, and reports which statements of kernels ran in it and in the processes that it started:

  cutile cover go test ./...
  cutile cover -html kernels.html go run ./mycommand

Statements count that the CPU engine has run in some block of some launch. The others are listed by their lines: those of branches that no
block took, of loops without a turn, and of what a constant leaves out in each instance. A kernel of package tile counts that no launch
reached, if another one of its package was launched; other functions count if a kernel calls them. Functions of package cute do not, nor do
those of other modules than the one of the working folder, without -all.

Kernels run slower while they are recorded. -profile writes a coverage profile of Go, which tools for those read, -html a page with
the sources, which go tool cover makes. With -dir, the records of several runs add up in a folder, which is made if it is not there, and
without a command those of a folder are reported: a program that runs with CUTILE_COVER=folder leaves them there.`,
	setup: func(fs *flag.FlagSet) action {
		var o coverOptions
		fs.StringVar(&o.profile, "profile", "", "write a coverage profile of Go to this `file`")
		fs.StringVar(&o.html, "html", "", "write a page with the sources to this `file`")
		fs.StringVar(&o.dir, "dir", "", "keep the records in this `folder`")
		fs.BoolVar(&o.all, "all", false, "report kernels of other modules, too, such as those of cuTile for Go")
		return func(c *call, args []string) error { return coverKernels(c, args, o) }
	},
}

type coverOptions struct {
	profile, html, dir string
	all                bool
}

func coverKernels(c *call, args []string, o coverOptions) error {
	if len(args) == 0 && o.dir == "" {
		return toolbox.Usagef("want a command, such as go test, or a folder of records (-dir)")
	}
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "cutile-cover-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	if err := recordsFolder(o.dir, len(args) > 0); err != nil {
		return fmt.Errorf("the folder of records (-dir): %w", err)
	}
	var failed error
	if len(args) > 0 {
		if failed = runCovered(c, args, o.dir); failed != nil && !errors.As(failed, new(exitError)) {
			return failed
		}
	}
	p, err := cover.Read(o.dir)
	if err != nil {
		return err
	}
	if !o.all {
		p = ofModule(c, p)
	}
	if len(p) == 0 {
		fmt.Fprintln(c.err, "no kernel of package tile was compiled for the CPU; functions of package cute do not count")
		return failed
	}
	printCover(c.out, p)
	if err := writeCover(c, p, o); err != nil {
		return err
	}
	return failed
}

// recordsFolder checks that there is a folder for records, and makes it where a command will write them: without it they would be missing, and
// nobody would know why.
func recordsFolder(dir string, written bool) error {
	if written {
		return os.MkdirAll(dir, 0o777)
	}
	st, err := os.Stat(dir)
	if err == nil && !st.IsDir() {
		err = &fs.PathError{Op: "read", Path: dir, Err: errors.New("it is not a folder")}
	}
	return err
}

// ofModule is what a profile has of the module of the working folder; all of it outside of a module. Files of commands have whole paths.
func ofModule(c *call, p cover.Profile) cover.Profile {
	out, err := exec.CommandContext(c.ctx, "go", "list", "-m", "-f", "{{.Path}}").Output()
	module := strings.TrimSpace(string(out))
	if err != nil || module == "" || module == "command-line-arguments" {
		return p
	}
	own := cover.Profile{}
	for s, run := range p {
		if strings.HasPrefix(s.File, module+"/") || filepath.IsAbs(filepath.FromSlash(s.File)) {
			own[s] = run
		}
	}
	return own
}

// runCovered runs a command whose processes leave records in a folder.
func runCovered(c *call, args []string, dir string) error {
	dir, err := filepath.Abs(dir) // tests run in the folders of their packages
	if err != nil {
		return err
	}
	return runProgram(c, args, cover.Env+"="+dir)
}

// printCover prints a line for each function, and their sum.
func printCover(w io.Writer, p cover.Profile) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	run, all := 0, 0
	for _, f := range p.Funcs() {
		line := fmt.Sprintf("%s:%d:\t%s\t%s", f.File, f.Line, f.Name, percent(f.Run, f.Stmts))
		if len(f.Missed) > 0 {
			line += "\tnot run: " + lineList(f.Missed)
		}
		fmt.Fprintln(tw, line)
		run, all = run+f.Run, all+f.Stmts
	}
	tw.Flush()
	fmt.Fprintf(w, "%s of %s of kernels ran\n", percent(run, all), names.Plural(all, "statement"))
}

func percent(run, all int) string {
	return strconv.FormatFloat(100*float64(run)/float64(all), 'f', 1, 64) + "%"
}

// lineList writes lines in order, with ranges.
func lineList(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		k := i
		for k+1 < len(lines) && lines[k+1] <= lines[k]+1 {
			k++
		}
		part := strconv.Itoa(lines[i])
		if lines[k] > lines[i] {
			part += "-" + strconv.Itoa(lines[k])
		}
		parts = append(parts, part)
		i = k + 1
	}
	return strings.Join(parts, ", ")
}

// writeCover writes the profile and the page.
func writeCover(c *call, p cover.Profile, o coverOptions) error {
	if o.profile == "" && o.html == "" {
		return nil
	}
	profile := o.profile
	if profile == "" {
		f, err := os.CreateTemp("", "cutile-cover-*.out")
		if err != nil {
			return err
		}
		f.Close()
		defer os.Remove(f.Name())
		profile = f.Name()
	}
	var b strings.Builder
	p.Write(&b)
	if err := os.WriteFile(profile, []byte(b.String()), 0o666); err != nil {
		return err
	}
	if o.html == "" {
		return nil
	}
	if out, err := exec.CommandContext(c.ctx, "go", "tool", "cover", "-html="+profile, "-o", o.html).CombinedOutput(); err != nil {
		return fmt.Errorf("go tool cover, which makes the page in the folder of a module, fails: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
