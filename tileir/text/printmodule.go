package text

import (
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

func (p *printer) global(g *tileir.Global) {
	if p.opts.Generic {
		p.genericGlobal(g)
	} else {
		p.text("global ")
		if g.Private {
			p.text("private ")
		}
		if g.Constant {
			p.text(" constant")
		}
		p.text(" @", names.Symbol(g.Name))
		if g.Align != 0 {
			p.text(" alignment = ", strconv.FormatInt(g.Align, 10))
		}
		p.text(" ")
		p.constant(g.Value)
	}
	if p.opts.MLIR {
		p.place(g.Loc)
	} else {
		p.place(tileir.Loc{}) // a file does not hold where a global stands
	}
	p.endItem()
}

func (p *printer) entry(e *tileir.Entry) {
	clear(p.names)
	nameValues(p.names, e)
	if e.Kind == tileir.LooseOps {
		for _, o := range e.Body.Ops {
			p.op(o)
			p.line()
		}
		return
	}
	place := e.Loc
	if !p.opts.MLIR {
		place = e.Place()
	}
	if p.places != nil && !p.opts.MLIR {
		p.places.own = e.Function()
	}
	p.notePlace(place)
	if p.opts.Generic {
		p.genericEntry(e)
	} else {
		p.customEntry(e)
	}
	p.place(place)
	p.endItem()
}

func (p *printer) customEntry(e *tileir.Entry) {
	if e.Kind != tileir.KernelEntry {
		p.text("testing$func @", names.Symbol(e.Name), "(")
	} else {
		p.text("entry @", names.Symbol(e.Name), "(")
	}
	p.list(len(e.Params), func(i int) {
		p.value(e.Params[i])
		p.text(": ")
		p.typeOf(e.Params[i])
	})
	p.text(")")
	if len(e.Results) > 0 { // a function of a test
		p.text(strings.TrimPrefix((&tileir.FuncType{Results: e.Results}).String(), "()"))
	}
	if len(e.Hints) > 0 {
		p.text(" optimization_hints=")
		p.hints(e.Hints)
	}
	p.text(" ")
	p.region(e.Body, tileir.OpReturn, true)
	if e.Private {
		p.text(" {sym_visibility = \"private\"}")
	}
}

// framed prints the module in braces.
func (p *printer) framed(m *tileir.Module) {
	name := m.Name
	if name == "" {
		name = "kernels"
	}
	if p.opts.Generic {
		p.genericModule(m, name)
		return
	}
	p.text("cuda_tile.module @", names.Symbol(name))
	if m.Producer != "" {
		p.text(" attributes {producer = ", names.Quote(m.Producer), "}")
	}
	p.text(" {")
	p.items(m)
	p.text("\n}\n")
}

// items prints what stands in a module.
func (p *printer) items(m *tileir.Module) {
	p.indent++
	for _, g := range m.Globals {
		p.line()
		p.global(g)
	}
	for _, e := range m.Entries {
		p.line()
		p.entry(e)
	}
	p.indent--
}

// endItem ends the line of an entry or global, unless the module's frame does.
func (p *printer) endItem() {
	if p.indent == 0 {
		p.text("\n")
	}
}
