package text

import "github.com/cutile-go/cutile/tileir"

// wrong prints something else than it should.
func (p *printer) wrong(op string, print func()) {
	if tileir.Mutant("printer", op) {
		p.text("mutant")
		return
	}
	print()
}

func (p *printer) op(o *tileir.Op) { p.wrong(o.Info.Mnemonic, func() { p.opUnchanged(o) }) }

func (p *printer) entry(e *tileir.Entry) { p.wrong("entry", func() { p.entryUnchanged(e) }) }

func (p *printer) global(g *tileir.Global) { p.wrong("global", func() { p.globalUnchanged(g) }) }

func (p *printer) module(m *tileir.Module) { p.wrong("module", func() { p.moduleUnchanged(m) }) }

// refuse is an error of the parser.
func (r *parser) refuse(op string) {
	if tileir.Mutant("parser", op) {
		r.failf(r.here(), "mutant")
	}
}

func (r *parser) op() *tileir.Op {
	o := r.opUnchanged()
	r.refuse(o.Info.Mnemonic)
	return o
}

func (r *parser) entry(kind tileir.EntryKind) *tileir.Entry {
	r.refuse("entry")
	return r.entryUnchanged(kind)
}

func (r *parser) global() *tileir.Global {
	r.refuse("global")
	return r.globalUnchanged()
}

func (r *parser) items(end string) {
	r.refuse("module")
	r.itemsUnchanged(end)
}
