package dump

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// lowered prints the Tile IR as the lowering leaves it, before the passes.
func (d *dumper) lowered(w io.Writer) error {
	return d.kernel.Inspect(d.facts, func(in *lower.Input) error {
		out, err := lower.Kernel(in)
		if err != nil {
			return err
		}
		return d.print(w, &tileir.Module{Entries: []*tileir.Entry{out.Entry}})
	})
}

// assembled makes the cubin, once.
func (d *dumper) assembled() error {
	switch {
	case d.cubin != nil:
		return nil
	case d.own != nil:
		return d.assembleOwn()
	case d.gpu == "":
		return toolbox.Usagef("the stages cubin, sass and remarks need -target, such as -target sm_90")
	}
	tool, err := toolchain.Find(toolchain.Tileiras)
	if err != nil {
		return err
	}
	if err := d.encode(); err != nil {
		return err
	}
	d.cubin, d.words, err = toolchain.Assembly{Tool: tool, Input: d.data, Target: d.gpu,
		Options: []string{toolchain.LineInfo, "--remarks=all"}}.Run(d.ctx)
	return err
}

func (d *dumper) cubinSize(w io.Writer) error {
	if err := d.assembled(); err != nil {
		return err
	}
	gpu := d.gpu
	if d.own != nil {
		gpu = d.own.Name
	}
	_, err := fmt.Fprintf(w, "%d bytes for %s; -o writes them\n", len(d.cubin), gpu)
	return err
}

func (d *dumper) rawCubin(w io.Writer) error {
	if err := d.assembled(); err != nil {
		return err
	}
	_, err := w.Write(d.cubin)
	return err
}

// remarks prints what tileiras says of its choices, by the lines of the source.
func (d *dumper) remarks(w io.Writer) error {
	if d.own != nil {
		return toolbox.Usagef("the stage remarks is what tileiras says, which -target own:%s does without: the stage plan says what our own compiler decided", d.own.Name)
	}
	if err := d.assembled(); err != nil {
		return err
	}
	_, err := io.WriteString(w, d.words)
	return err
}

// sass prints the machine code; with -g the lines of the source between it.
func (d *dumper) sass(w io.Writer) error {
	if err := d.assembled(); err != nil {
		return err
	}
	tool, err := toolchain.Find(toolchain.Nvdisasm)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cutile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(file, d.cubin, 0o600); err != nil {
		return err
	}
	args := []string{"-c", file}
	if d.opts.Places {
		args = []string{"-c", "-g", file}
	}
	out, errs, err := toolchain.Command{Path: tool.Path, Args: args}.Run(d.ctx)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", tool.Path, err, errs)
	}
	_, err = w.Write(out)
	return err
}
