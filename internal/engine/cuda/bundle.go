package cuda

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tools/bundle"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// bundled writes the files that reproduce a failed assembly to a folder, if CUTILE_DEBUG=bundle=FOLDER asks for that, and
// notes the folder in the error.
func bundled(job Job, err error) error {
	var e *AssemblyError
	if !bundle.Asked() || !errors.As(err, &e) {
		return err
	}
	name := ""
	if job.Entry != nil {
		name = job.Entry.Name
	}
	command := []string{bundle.Quote(e.Tool.Path), bundle.Quote("--gpu-name=" + job.Target), "-o kernel.cubin"}
	for _, o := range e.Options {
		command = append(command, bundle.Quote(o))
	}
	told := *e
	r := &bundle.Report{Name: name, Target: job.Target, Fault: e.Error(), Trace: e.Output, Module: job.Module, Bytecode: job.Bytecode,
		Versions: []string{e.Tool.Name + " " + e.ToolVersion, "tool " + e.Tool.Path, fmt.Sprintf("bytecode %v", job.Version), "target " + job.Target},
		Repeat:   strings.Join(command, " ") + " kernel.tileirbc",
		Reduce:   "cutile reduce -crashes -target " + bundle.Quote(job.Target) + " -options " + bundle.Quote(strings.Join(e.Options, " ")) + " kernel.tileirbc"}
	told.Bundle, told.BundleErr = r.Write()
	return &told
}

// bundledSIMT does so for PTX that ptxas does not assemble.
func bundledSIMT(c engine.SIMTCode, text []byte, err error) error {
	var e *toolchain.AssembleError
	if !bundle.Asked() || !errors.As(err, &e) {
		return err
	}
	var names []string
	for _, k := range c.Module.Kernels {
		names = append(names, k.Title())
	}
	command := []string{bundle.Quote(e.Tool.Path), bundle.Quote("--gpu-name=" + c.Arch), strings.Join(simtOptions(c), " "), "-o kernel.cubin kernel.ptx"}
	r := &bundle.Report{Name: strings.Join(names, " "), Target: c.Arch, Fault: e.Error(), Trace: e.Output, SIMT: c.Module, PTX: text,
		Versions: []string{"tool " + e.Tool.Path, "target " + c.Arch}, Repeat: strings.Join(command, " ")}
	f := &bundle.Fault{Err: err}
	f.Bundle, f.Failed = r.Write()
	return f
}
