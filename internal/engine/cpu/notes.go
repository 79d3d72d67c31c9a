package cpu

import (
	"strings"

	facts "github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/native/neon"
	"github.com/cutile-go/cutile/internal/native/x86"
	"github.com/cutile-go/cutile/tileir"
)

// notes is what the compiler writes down while it compiles an entry that is to be explained. Its methods do nothing on nil.
type notes struct {
	tried    map[*tileir.Op]bool   // a segment was looked for that begins here
	why      map[*tileir.Op]string // there is no code of what begins here
	products map[*tileir.Op]*tileProduct
	parts    map[*tileir.Op]string // of a loop that is one product: the loads of its factors, and the store behind it
	copied   map[*tileir.Op]string // by machine code, and how
	noFlow   string                // why the entry is no function
}

func newNotes() *notes {
	return &notes{tried: map[*tileir.Op]bool{}, why: map[*tileir.Op]string{}, products: map[*tileir.Op]*tileProduct{}, parts: map[*tileir.Op]string{},
		copied: map[*tileir.Op]string{}}
}

// tries notes that a segment is looked for that begins with an operation.
func (n *notes) tries(op *tileir.Op) {
	if n != nil {
		n.tried[op] = true
	}
}

// lacks notes why there is no machine code of an operation.
func (n *notes) lacks(op *tileir.Op, why string) {
	if n != nil && n.why[op] == "" {
		n.why[op] = why
	}
}

// copies notes that an operation copies elements by machine code.
func (n *notes) copies(op *tileir.Op, how string) {
	if n != nil {
		n.copied[op] = how
	}
}

// withoutFlow notes why the entry is no function.
func (n *notes) withoutFlow(err error) {
	if n != nil {
		n.noFlow = err.Error()
	}
}

// product notes the machine code of a matrix product.
func (n *notes) product(op *tileir.Op, p *tileProduct) {
	if n != nil {
		n.products[op] = p
	}
}

// loop notes a loop that is one product, with the store behind it, if there is one.
func (n *notes) loop(p *facts.Product, store *access) {
	if n == nil {
		return
	}
	for i := range p.Factors {
		n.parts[p.Factors[i].Load.Op] = "a factor of the product that the loop is, where its tiles lie inside their tensors"
	}
	if store != nil {
		n.parts[store.op] = "done by the product before it, where the tile lies inside its tensor"
	}
}

// record makes the assembler keep its listing.
func (n *notes) record(m *machineCode) {
	if n != nil && m != nil {
		m.asm.Record()
	}
}

// listing is what an assembler has recorded.
func listing(a assembler) (lines []CodeLine) {
	switch a := a.(type) {
	case *x86.Compiler:
		for _, l := range a.Listing() {
			lines = append(lines, CodeLine(l))
		}
	case *neon.Compiler:
		for _, l := range a.Listing() {
			lines = append(lines, CodeLine{l.Offset, strings.Replace(l.Text, "// ", "# ", 1)})
		}
	}
	return lines
}
