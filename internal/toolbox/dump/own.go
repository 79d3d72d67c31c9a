package dump

import (
	"fmt"
	"io"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// ownTarget reads the architecture of -target own:sm_75.
func (d *dumper) ownTarget(arch string) error {
	a, err := simt.TargetOf(arch)
	if err != nil {
		return toolbox.Usagef("-target: our own compiler: %v, as in own:sm_75", err)
	}
	d.own = &a
	return nil
}

// translated compiles the kernel by our own compiler, once.
func (d *dumper) translated() (err error) {
	if d.own == nil && d.gpu != "" {
		return toolbox.Usagef("the stages layouts, plan, threads and ptx are those of our own compiler: -target own:%s", d.gpu)
	}
	if d.own == nil {
		return toolbox.Usagef("the stages layouts, plan, threads and ptx need -target, such as -target own:sm_75")
	}
	if err := d.compile(); err != nil || d.threads != nil {
		return err
	}
	d.threads, err = threads.Explain(d.code.Module, d.own.Name, threads.Options{Tensors: true})
	return err
}

// layouts prints the layouts of tiles.
func (d *dumper) layouts(w io.Writer) error {
	if err := d.translated(); err != nil {
		return err
	}
	_, err := io.WriteString(w, d.threads.Plan.Layouts())
	return err
}

// plan prints what was decided before the program was written, and the shared memory and the barriers that came of it.
func (d *dumper) plan(w io.Writer) error {
	if err := d.translated(); err != nil {
		return err
	}
	_, err := io.WriteString(w, d.threads.Plan.String()+d.threads.Kernel.Sharing())
	return err
}

// program prints the program of a thread.
func (d *dumper) program(w io.Writer) error {
	if err := d.translated(); err != nil {
		return err
	}
	_, err := io.WriteString(w, d.threads.Kernel.String())
	return err
}

// assembleOwn has ptxas make the cubin of our own compiler's PTX, and notes what it spills.
func (d *dumper) assembleOwn() error {
	if err := d.translated(); err != nil {
		return err
	}
	tool, err := toolchain.Find(toolchain.Ptxas)
	if err != nil {
		return err
	}
	text, err := ptx.WriteArch(d.threads.Code, *d.own, true)
	if err != nil {
		return err
	}
	d.cubin, d.words, err = toolchain.Assembly{Tool: tool, Input: text, Target: d.own.Name, Options: []string{"-lineinfo", toolchain.WarnSpills}}.Run(d.ctx)
	for _, s := range toolchain.SpillsIn(d.words) {
		fmt.Fprintln(d.opts.Notes, "note:", s)
	}
	return err
}

// ptx prints PTX; with -g it has the lines of the source.
func (d *dumper) ptx(w io.Writer) error {
	if err := d.translated(); err != nil {
		return err
	}
	text, err := ptx.WriteArch(d.threads.Code, *d.own, d.opts.Places)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}
