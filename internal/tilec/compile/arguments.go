// Package compile compiles a Go function to Tile IR: source, check, lower, passes, verify. It is independent of engines.
package compile

import (
	"encoding/binary"
	"go/token"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// Kind says what a parameter of a kernel takes.
type Kind uint8

// The kinds of parameter.
const (
	Scalar     Kind = iota // one value: Elem
	In                     // a tensor that is read
	Out                    // a tensor whose tiles the blocks own
	InOut                  // a tensor that is read and written
	Persistent             // a tensor whose tiles the blocks own in turn
	Ptr                    // the memory of a tensor
	Func                   // a function, known when the kernel is compiled
	None                   // nothing, such as tile.Size
)

// kinds is what holds of each kind.
var kinds = [...]struct {
	role   string // the word of //cutile:param directives; "" for what they do not make
	view   bool   // of a tensor with extents and strides
	writes bool   // always, as far as can be known before the kernel is compiled
}{
	Scalar:     {},
	In:         {role: "in", view: true},
	Out:        {role: "out", view: true, writes: true},
	InOut:      {role: "inout", view: true, writes: true},
	Persistent: {role: "persistent", view: true, writes: true},
	Ptr:        {role: "ptr"},
	Func:       {},
	None:       {},
}

// View reports whether a parameter of the kind takes a tensor with its extents and strides.
func (k Kind) View() bool { return kinds[k].view }

// Writes reports whether a parameter of the kind stands for a tensor that is written, whatever the kernel does.
func (k Kind) Writes() bool { return kinds[k].writes }

// Tensor reports whether a parameter of the kind takes a tensor.
func (k Kind) Tensor() bool { return kinds[k].role != "" }

// role is the kind that a word of //cutile:param makes.
func role(word string) Kind {
	for k := range kinds {
		if kinds[k].role == word {
			return Kind(k)
		}
	}
	return None
}

// Param describes a parameter of a kernel. Each field and element of a struct or array is a parameter of its own, named
// as Go spells it: config.scale, inputs[1].
type Param struct {
	Name string
	Path []int // the parameter of the function, then the fields and elements on the way
	Kind Kind
	Elem dtype.Type // of a scalar or tensor
	Int  bool       // a scalar of Go's type int, or one that is made of it
	Tile []int      // the shape of a view's tiles; its length is the rank that the tensor must have
	Pos  token.Position
}

// MaxRank is the greatest rank of a tensor argument.
const MaxRank = 4

// ArgFacts is what a launch found out about one argument; the zero value promises nothing. Bit i of a mask speaks of
// axis i.
type ArgFacts struct {
	Align16  bool  // the base address is a multiple of 16
	Extent16 uint8 // extents that are multiples of 16
	Stride16 uint8 // strides that are multiples of 16 bytes
	Unit     uint8 // strides that are 1
	Func     *Kernel
}

// Facts is what a launch found out about its arguments: it selects the code, and is part of its key.
type Facts struct {
	Wide  bool // some extent or stride does not fit in 32 bits
	Args  []ArgFacts
	Proof Proof // that of [Code.Prove] for the code without one; "" for none

	Checked bool // the kernel reports what Go panics for, where only that shows it
	Covered bool // package cover records which statements run
}

// Proof says which accesses through views stay inside their tensors.
type Proof = passes.Proof

// AppendKey appends an encoding of the facts that differs where the facts do.
func (f *Facts) AppendKey(b []byte) []byte {
	b = append(b, bit(f.Wide)|bit(f.Checked)<<1|bit(f.Covered)<<2)
	for i := range f.Args {
		a := &f.Args[i]
		b = append(b, bit(a.Align16), a.Extent16, a.Stride16, a.Unit)
		if a.Func != nil {
			b = binary.LittleEndian.AppendUint64(b, a.Func.id)
		}
	}
	return append(b, f.Proof...)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Code is a compiled kernel, for any engine: a verified module with one entry. The entry's parameters are, for each
// parameter of the kernel in order: a scalar itself; for In, Out, InOut and Persistent the base pointer, the extents and the strides
// (32 bits wide, or 64 where Facts.Wide); for Ptr the base pointer; nothing for Func and None.
type Code struct {
	Kernel *Kernel
	Module *tileir.Module
	Entry  string
	Writes []bool // by parameter of the kernel: memory is written through it
	Equal  []Equal

	proofs proofs
}
