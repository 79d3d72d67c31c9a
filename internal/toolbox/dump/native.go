package dump

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// target reads the option: the machine that it asks for, and which one of its kind.
func (d *dumper) target() (asked Machine, err error) {
	name, level, named := strings.Cut(d.opts.Target, ":")
	switch {
	case d.opts.Target == "":
		return AnyMachine, nil
	case name == "own":
		return Own, d.ownTarget(level)
	case name == "vulkan":
		return Vulkan, d.vulkanTarget()
	case name != "cpu":
		d.gpu = d.opts.Target
		if !toolbox.IsArch(d.gpu) {
			err = toolbox.Usagef("-target: %q is neither a GPU of tileiras (%s), nor one of our own compiler (own:%s and later), nor vulkan, nor cpu", d.gpu,
				strings.Join(tileir.Archs(), ", "), simt.Targets()[0].Name)
		}
		return GPU, err
	case !named:
		return CPU, nil
	}
	t, err := host.Named(level)
	if err != nil {
		return CPU, toolbox.Usagef("-target: %v", err)
	}
	d.cpu = &t
	return CPU, nil
}

// explain compiles the kernel for the CPU, once.
func (d *dumper) explain() (err error) {
	if err := d.compile(); err != nil || d.made != nil {
		return err
	}
	if d.cpu == nil {
		t, err := host.Choose()
		if err != nil {
			return err
		}
		d.cpu = &t
	}
	d.made, err = cpu.Explain(d.ctx, d.code.Module, d.code.Module.Entries[0].Name, *d.cpu)
	return err
}

// native prints what the CPU engine does with each operation.
func (d *dumper) native(w io.Writer) error {
	if err := d.explain(); err != nil {
		return err
	}
	p := &nativePrinter{Explanation: d.made, names: text.Names(d.code.Module.Entries[0])}
	p.head()
	p.entry()
	for i := range p.Segments {
		p.segment(i)
	}
	p.operations()
	_, err := io.WriteString(w, p.out.String())
	return err
}

// nativePrinter prints an explanation with the names of the stage ir.
type nativePrinter struct {
	*cpu.Explanation
	names map[*tileir.Value]string
	out   strings.Builder
}

func (p *nativePrinter) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// head counts the operations.
func (p *nativePrinter) head() {
	n := map[cpu.Way]int{}
	for _, o := range p.Ops {
		n[o.Way]++
	}
	p.line("level %s: %d operations are machine code, %d are interpreted, %d have no elements to handle", p.Target.Level, n[cpu.Native], n[cpu.Interpreted],
		n[cpu.Outside])
}

// entry says whether the entry is one function, and what that leaves to the engine.
func (p *nativePrinter) entry() {
	if p.Entry == nil {
		if p.WhyNot != "" {
			p.line("\noperations run one by one: %s", p.WhyNot)
		}
		return
	}
	p.line("\nthe entry is one function; the engine")
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, o := range p.Entry.Left {
		does, when := "does", ""
		if o.Memory {
			does = "finds the memory of"
		}
		switch {
		case o.Seldom && o.Op.Info.Opcode == tileir.OpFor:
			when = "where its counter might overflow"
		case o.Seldom:
			when = "of tiles that begin outside their tensors, and where tensors may share memory"
		}
		fmt.Fprintf(tw, "  %s %s\t%s\n", does, p.step(o.Op), when)
	}
	tw.Flush()
	toolbox.PrintTrimmed(&p.out, b.String())
}

// roleWords say what the operands of a segment are.
var roleWords = map[nest.Role]string{
	nest.Loaded: "reads", nest.Stored: "writes", nest.Outside: "takes", nest.Result: "leaves", nest.Buffer: "keeps for a row",
}

// segment prints the rows, passes and memory of a segment.
func (p *nativePrinter) segment(i int) {
	s := &p.Segments[i]
	p.line("\nsegment %d: rows %d, columns %d, passes %d", i, s.Rows, s.Cols, s.Passes())
	for k := range s.Operands {
		o := &s.Operands[k]
		of := "one element"
		switch {
		case o.Rows && o.Cols:
			of = "all elements"
		case o.Rows:
			of = "an element for each row"
		case o.Cols:
			of = "an element for each column"
		}
		p.line("  %s %s: %s", roleWords[o.Role], p.names[o.Value], of)
	}
	for _, v := range s.Again() {
		p.line("  computes again %s", p.names[v])
	}
}

// operations prints a line for each operation: where it stands, what it is and what becomes of it.
func (p *nativePrinter) operations() {
	p.line("")
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, o := range p.Ops {
		words := o.Way.String()
		if o.Way == cpu.Outside {
			words = ""
		}
		if o.Segment >= 0 {
			words += fmt.Sprintf(", segment %d", o.Segment)
		}
		if o.Text != "" {
			words += ": " + o.Text
		}
		if o.Strip > 0 {
			words += fmt.Sprintf("; %d operations together, in strips", o.Strip)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", placeText(o.Op.Loc), p.op(o.Op), strings.TrimPrefix(words, ", "))
	}
	tw.Flush()
	toolbox.PrintTrimmed(&p.out, b.String())
}

// step names what begins with an operation: a segment, or the operation alone.
func (p *nativePrinter) step(o *tileir.Op) string {
	for i := range p.Segments {
		if p.Segments[i].Steps[0].Op == o {
			return fmt.Sprintf("segment %d", i)
		}
	}
	return p.op(o)
}

// op names an operation with its first result, if it has one.
func (p *nativePrinter) op(o *tileir.Op) string {
	if len(o.Results) == 0 {
		return o.Info.Mnemonic
	}
	return p.names[o.Results[0]] + " = " + o.Info.Mnemonic
}

// placeText is a source position without its folder.
func placeText(l tileir.Loc) string {
	if l.IsZero() {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", filepath.Base(l.File), l.Line, l.Col)
}

// asm prints the machine code of the segments and of the entry, with what each group of instructions was made of.
func (d *dumper) asm(w io.Writer) error {
	if err := d.explain(); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "level %s\n", d.made.Target.Level)
	end := 0
	for i := range d.made.Segments {
		f := &d.made.Segments[i].Function
		fmt.Fprintf(&b, "\nsegment %d, %d bytes of code, %d words of frame:\n", i, f.Size, f.Words)
		d.printCode(&b, f.Offset, f.Offset+f.Size)
		end = max(end, f.Offset+f.Size)
	}
	if f := d.made.Entry; f != nil {
		d.printOthers(&b, end, f.Offset)
		fmt.Fprintf(&b, "\nthe entry, %d bytes of code, %d words of frame:\n", f.Size, f.Words)
		end = f.Offset + f.Size
		d.printCode(&b, f.Offset, end)
	}
	d.printOthers(&b, end, math.MaxInt)
	for _, o := range d.made.Ops {
		if o.Way == cpu.Native && o.Segment < 0 {
			fmt.Fprintf(&b, "\n# %s: %s: %s\n", placeText(o.Op.Loc), o.Op.Info.Mnemonic, o.Text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printOthers prints what is neither the code of a segment nor that of the entry, unless it is only the room between them.
func (d *dumper) printOthers(b *strings.Builder, from, to int) {
	if slices.ContainsFunc(d.made.Code, func(l cpu.CodeLine) bool {
		return from <= l.Offset && l.Offset < to && !strings.HasPrefix(l.Text, ".nops")
	}) {
		b.WriteString("\nother functions and constants:\n")
		d.printCode(b, from, to)
	}
}

// printCode prints the lines of the listing in a part of the code. Remarks and labels stand further left than instructions.
func (d *dumper) printCode(b *strings.Builder, from, to int) {
	for _, l := range d.made.Code {
		switch {
		case l.Offset < from || l.Offset >= to:
		case strings.HasPrefix(l.Text, "#"):
			fmt.Fprintf(b, "       %s\n", l.Text)
		case strings.HasPrefix(l.Text, "."):
			fmt.Fprintf(b, "%6x %s\n", l.Offset, l.Text)
		default:
			fmt.Fprintf(b, "%6x     %s\n", l.Offset, l.Text)
		}
	}
}
