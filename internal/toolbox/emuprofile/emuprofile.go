// Package emuprofile runs kernels of package simt on the emulator and prints what they do, with the cycles that a model says.
package emuprofile

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/profile"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// Options are the choices of a profile.
type Options struct {
	Target string // an architecture, such as "sm_80"
	JSON   bool
	Out    io.Writer
}

// Launch runs a kernel of a module once, as a launch says, and prints the report. What the launch says of an account is replaced.
// The kernel's results are in the launch's memory.
func Launch(ctx context.Context, m *simt.Module, l emu.Launch, o *Options) error {
	target, err := profile.TargetOf(o.Target)
	if err != nil {
		return toolbox.Usagef("-target: %v", err)
	}
	p, err := emu.Load(m)
	if err != nil {
		return err
	}
	l.Account = new(emu.Account)
	if err := p.Run(ctx, l); err != nil {
		return err
	}
	return Print(l.Account, target, o)
}

// Print prints the report of an account.
func Print(a *emu.Account, target profile.Target, o *Options) error {
	r, err := profile.New(a, target)
	if err != nil {
		return err
	}
	if o.JSON {
		enc := json.NewEncoder(o.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	return r.Print(o.Out)
}

// File is a kernel in a file of PTX or of Tile IR, and how to launch it.
type File struct {
	Options
	Arguments
	Kernel  string // or the entry of Tile IR; "" for the only one
	Grid    [3]int
	Block   [3]int // zero for the one that the kernel requires
	Shared  int    // bytes of dynamic shared memory beside the kernel's variables
	Races   bool
	Workers int

	Schedule uint64 // as in emu.Launch

	Results bool      // print arrays, as of command run
	Notes   io.Writer // for what is lost, and with JSON for what the kernel prints and for arrays
}

var isPTX = regexp.MustCompile(`(?m)^\s*\.version\s`)

var targetRE = regexp.MustCompile(`(?m)^\s*\.target\s+(sm_\d+[af]?)`)

// Run runs the kernel and prints the report; then it writes and prints the arrays.
func (f *File) Run(ctx context.Context, stdin io.Reader, name string) error {
	if err := f.check(); err != nil {
		return err
	}
	text, title, err := toolbox.ReadBytes(stdin, name)
	if err != nil {
		return err
	}
	if f.Target == "" {
		f.Target = "sm_80"
		if found := targetRE.FindSubmatch(text); found != nil {
			f.Target = string(found[1])
		}
	}
	printed := f.Out
	if f.JSON { // which must stay by itself
		printed = f.Notes
	}
	l := emu.Launch{Grid: f.Grid, Stdout: printed, Races: f.Races, Workers: f.Workers, Schedule: f.Schedule}
	m, ok, err := f.prepare(text, title, &l, true)
	if err == nil && !ok { // launches without these tensor maps take other code
		m, _, err = f.prepare(text, title, &l, false)
	}
	if err != nil {
		return err
	}
	if err := Launch(ctx, m, l, &f.Options); err != nil {
		return err
	}
	return f.results(printed)
}

// prepare reads or compiles the kernel and binds its arguments. ok is false if it was compiled for tensor maps that there are not.
func (f *File) prepare(text []byte, title string, l *emu.Launch, tensors bool) (m *simt.Module, ok bool, err error) {
	if isPTX.Match(text) {
		m, err = ptx.Read(text)
	} else {
		m, err = f.compile(text, title, tensors)
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", title, err)
	}
	k, err := f.kernel(m, title)
	if err != nil {
		return nil, false, err
	}
	l.Kernel, l.Shared = k.Name, k.Shared+f.Shared
	if err := f.bind(k, l); err != nil {
		return nil, false, err
	}
	own, ok := TensorMaps(k, l.Args)
	maps.Copy(l.Bytes, own)
	return m, ok, nil
}
