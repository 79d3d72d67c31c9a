package bytecode

import (
	"errors"

	"github.com/cutile-go/cutile/tileir"
)

// Write is a wrapper.
func Write(m *tileir.Module, v tileir.Version, opts Options) ([]byte, error) {
	if tileir.Mutant("writer", "module") {
		return nil, errors.New("mutant")
	}
	return writeUnchanged(m, v, opts)
}

// refuse is an error of the writer.
func (w *writer) refuse(op string) {
	if tileir.Mutant("writer", op) {
		w.fail(nil, "mutant")
	}
}

func (w *writer) op(out []byte, o *tileir.Op) []byte {
	if o != nil && o.Info != nil {
		w.refuse(o.Info.Mnemonic)
	}
	return w.opUnchanged(out, o)
}

func (w *writer) writeBody(e *tileir.Entry) {
	w.refuse("entry")
	w.writeBodyUnchanged(e)
}

func (w *writer) globals(m *tileir.Module) {
	if len(m.Globals) > 0 {
		w.refuse("global")
	}
	w.globalsUnchanged(m)
}

// refuse is an error of the reader.
func refuse(c *cursor, op string) {
	if tileir.Mutant("reader", op) {
		c.fail("mutant")
	}
}

func (r *reader) header(c *cursor) {
	r.headerUnchanged(c)
	refuse(c, "module")
}

func (r *reader) function(c *cursor) *tileir.Entry {
	e := r.functionUnchanged(c)
	refuse(c, "entry")
	return e
}

func (r *reader) globals(m *tileir.Module) {
	r.globalsUnchanged(m)
	if len(m.Globals) > 0 && tileir.Mutant("reader", "global") {
		c := r.section(globalSection)
		refuse(c, "global")
		r.take(c)
	}
}

func (f *funcReader) op() *tileir.Op {
	o := f.opUnchanged()
	if o != nil {
		refuse(f.c, o.Info.Mnemonic)
	}
	return o
}
