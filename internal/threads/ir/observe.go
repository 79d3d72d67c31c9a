package ir

import "github.com/cutile-go/cutile/tileir"

// Observed is what a variable of the source holds from an [Observe] on, for debuggers. That is no use of the values: they may be missing.
type Observed struct {
	Variable *tileir.Variable
	What     *ObservedPart // nil for nothing that is known
}

// ObservedPart is a number, the elements of a tile that a thread holds, or a structure.
type ObservedPart struct {
	Name, Type string
	Elem       tileir.Elem
	Pointer    bool
	Unsigned   bool
	Shape      []int   // of a tile; empty for a number
	Values     []Value // of elements; nil for a number that is known
	Bits       uint64  // that number
	Parts      []*ObservedPart
	List       bool // Parts are elements
}

// Observe says what a variable of the source holds from here on.
func (b *Builder) Observe(o *Observed) { b.add(&Instr{Op: Observe, Observed: o}) }

// Unobserved leaves out the observations of blocks that have nothing else, as writers leave such blocks out.
func (k *Kernel) Unobserved() {
	k.Body.All(func(in *Instr) {
		for _, b := range in.Body {
			if !b.does() {
				b.Instrs = nil
			}
		}
	})
}

// does reports whether a block has an instruction that does something.
func (b *Block) does() bool {
	for _, in := range b.Instrs {
		if in.Op != Observe {
			return true
		}
	}
	return false
}
