package text

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// PrintOptions are the options of [Print].
type PrintOptions struct {
	// Version selects the spelling: pow has been spelled fpowf since 13.4. 0 means the newest.
	Version tileir.Version
	// Debug adds the source position of each operation, and the functions and files of the source, as tileirdisasm -g does.
	Debug bool
	// MLIR prints the module as MLIR's tools for the dialect do: in braces with its name, and with Debug only the positions
	// that the module contains, none derived. A text may contain several modules, which [ParseAll] parses.
	MLIR bool
	// Generic, with MLIR, prints everything in MLIR's generic form.
	Generic bool
}

// Print writes the text form: exactly what NVIDIA's tileirdisasm prints for the same module, except that a producer of several
// lines stays a comment. A module that [tileir.Verify] refuses can be printed too, unless parts are missing, which is an error.
func Print(w io.Writer, m *tileir.Module, opts PrintOptions) (err error) {
	p := newPrinter(opts)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error: // parts that are nil: of a module that Verify refuses, and says where
			err = fmt.Errorf("tileir: the module cannot be printed, see Verify: %w", r)
		default:
			panic(r)
		}
	}()
	if !opts.Debug {
		p.module(m)
	} else {
		p.places = &placeTable{index: map[string]int{}, calls: map[ownedLoc]int{}}
		p.module(m) // collects the places, whose names depend on all of them
		defs := p.places.sorted()
		p.out = p.out[:0]
		p.module(m)
		p.definitions(defs)
	}
	_, err = w.Write(p.out)
	return err
}

func (p *printer) module(m *tileir.Module) {
	if p.opts.MLIR && (len(m.Entries) != 1 || m.Entries[0].Kind != tileir.LooseOps) {
		p.framed(m)
		return
	}
	if m.Producer != "" {
		p.text(producerMark, strings.ReplaceAll(m.Producer, "\n", "\n"+producerMore), "\n")
	}
	for _, g := range m.Globals {
		p.global(g)
	}
	for _, e := range m.Entries {
		p.entry(e)
	}
	if len(m.Globals)+len(m.Entries) == 0 {
		p.text("\n") // as the disassembler prints a module of nothing, whose place is unknown
		if p.places != nil {
			p.places.loc(tileir.Loc{})
		}
	}
}

// Sprint returns the text form in the newest version, or the reason why there is none.
func Sprint(m *tileir.Module) string {
	var b strings.Builder
	if err := Print(&b, m, PrintOptions{}); err != nil {
		return "<" + err.Error() + ">"
	}
	return b.String()
}

// SprintOp returns a single operation in the text form: its operands and results are numbered from 0, and its regions are
// omitted.
func SprintOp(o *tileir.Op) string {
	p := newPrinter(PrintOptions{})
	p.brief = true
	for _, vs := range [][]*tileir.Value{o.Operands, o.Results} {
		for _, v := range vs {
			if _, ok := p.names[v]; !ok && v != nil {
				p.names[v] = "%" + strconv.Itoa(len(p.names))
			}
		}
	}
	p.op(o)
	return strings.TrimSpace(string(p.out))
}

// printer collects the text.
type printer struct {
	opts   PrintOptions
	out    []byte
	names  map[*tileir.Value]string // with the percent sign
	indent int
	brief  bool        // without regions
	places *placeTable // nil without Debug
}

func newPrinter(opts PrintOptions) *printer {
	if opts.Version == 0 {
		opts.Version = tileir.Newest
	}
	return &printer{opts: opts, names: map[*tileir.Value]string{}}
}

func (p *printer) text(ss ...string) {
	for _, s := range ss {
		p.out = append(p.out, s...)
	}
}

// value prints the name of a value; one that is nowhere defined can only stand in a module that is wrong.
func (p *printer) value(v *tileir.Value) {
	if n, ok := p.names[v]; ok {
		p.text(n)
	} else {
		p.text("<<UNKNOWN SSA VALUE>>")
	}
}

// list prints n things with commas between.
func (p *printer) list(n int, item func(i int)) {
	for i := range n {
		if i > 0 {
			p.text(", ")
		}
		item(i)
	}
}

func (p *printer) values(vs []*tileir.Value) { p.list(len(vs), func(i int) { p.value(vs[i]) }) }

func (p *printer) types(vs []*tileir.Value) {
	p.list(len(vs), func(i int) { p.typeOf(vs[i]) })
}

func (p *printer) typeOf(v *tileir.Value) {
	if !v.Typed() {
		p.text("<<NULL TYPE>>")
		return
	}
	p.text(v.Type.String())
}

func (p *printer) line() {
	p.text("\n", strings.Repeat("  ", p.indent))
}

// region prints a block in braces. A terminator of the implied kind without operands is left out unless all is set.
func (p *printer) region(b *tileir.Block, implied int, all bool) {
	p.text("{")
	if b != nil {
		p.indent++
		for i, o := range b.Ops {
			if !all && i == len(b.Ops)-1 && o.Info.Opcode == implied && len(o.Operands) == 0 {
				break
			}
			p.line()
			p.op(o)
		}
		p.indent--
	}
	p.line()
	p.text("}")
}

// op prints one operation: its results, mnemonic and the rest as its format says.
func (p *printer) op(o *tileir.Op) {
	p.notePlace(o.Loc)
	if len(o.Results) > 0 {
		p.results(o)
		p.text(" = ")
	}
	name := o.Info.Mnemonic
	if o.Info.OldMnemonic != "" && p.opts.Version < tileir.V13_4 {
		name = o.Info.OldMnemonic
	}
	if p.opts.Generic || o.Info.Opcode == tileir.OpForeign {
		p.genericOp(o, name)
	} else {
		p.text(name)
		p.elements(o, syntax(o.Info.Opcode))
	}
	p.place(o.Loc)
}

// results prints the left side: names for results that have their own, name:n for those that share one.
func (p *printer) results(o *tileir.Op) {
	first := true
	for i, r := range o.Results {
		name := p.names[r]
		base, index, shared := strings.Cut(name, "#")
		if shared && index != "0" {
			continue
		}
		if !first {
			p.text(", ")
		}
		first = false
		p.text(base)
		if shared {
			p.text(":", strconv.Itoa(groupSize(p.names, o.Results[i:], base)))
		}
	}
}

// groupSize counts the results that share the name of the first.
func groupSize(names map[*tileir.Value]string, rs []*tileir.Value, base string) int {
	n := 0
	for _, r := range rs {
		if b, _, _ := strings.Cut(names[r], "#"); b != base {
			break
		}
		n++
	}
	return n
}
