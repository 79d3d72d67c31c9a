package atom

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/layout"
)

// Elem is the type of an element by its name in PTX: "f16", "e4m3".
type Elem string

// The element types of operands.
const (
	F64  Elem = "f64"
	F32  Elem = "f32"
	TF32 Elem = "tf32"
	F16  Elem = "f16"
	BF16 Elem = "bf16"
	E4M3 Elem = "e4m3"
	E5M2 Elem = "e5m2"
	S64  Elem = "s64"
	S32  Elem = "s32"
	S16  Elem = "s16"
	S8   Elem = "s8"
	U64  Elem = "u64"
	U32  Elem = "u32"
	U16  Elem = "u16"
	U8   Elem = "u8"
)

// Bits is the width of an element in memory, 0 of what PTX has no numbers of.
func (e Elem) Bits() int {
	row := elem.ByPTX(string(e))
	if row == nil || row.Kind == elem.Bool {
		return 0
	}
	return 8 * row.Size
}

// String is the type's name in PTX.
func (e Elem) String() string { return string(e) }

// Target says which GPUs have an instruction: those from architecture First on, up to Last where it is not 0.
type Target struct {
	First, Last int
	Specific    bool // PTX must be made for the architecture alone: sm_90a
}

// Has reports whether a GPU of architecture sm, such as 90, has the instruction.
func (t Target) Has(sm int) bool { return sm >= t.First && (t.Last == 0 || sm <= t.Last) }

// String is the first target of PTX that has the instruction: sm_80, sm_90a.
func (t Target) String() string {
	if t.Specific {
		return fmt.Sprintf("sm_%da", t.First)
	}
	return fmt.Sprintf("sm_%d", t.First)
}

// refuse makes a layout.Error: what was refused, on what, and why.
func refuse(op string, why error, operands ...any) error {
	e := &layout.Error{Op: op, Err: why}
	for _, o := range operands {
		e.Operands = append(e.Operands, fmt.Sprint(o))
	}
	return e
}

// refusef is refuse with the reason as text.
func refusef(op string, operands []any, format string, args ...any) error {
	return refuse(op, fmt.Errorf(format, args...), operands...)
}

// lay reads a layout of a table.
func lay(text string) layout.Layout {
	l, err := layout.ParseLayout(text)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return l
}

// count gives a size that must be known now.
func count(n layout.Int) (int, error) {
	v, ok := n.Static()
	if !ok {
		return 0, layout.ErrSymbolic
	}
	return v, nil
}

// bijective reports why a layout does not reach each of the offsets from 0 to its size once.
func bijective(l layout.Layout) error {
	size, err := count(l.Size())
	if err != nil {
		return err
	}
	inverse, err := layout.RightInverse(l)
	if err != nil {
		return err
	}
	// The inverse takes strides without their sign.
	last, err := l.At(layout.N(size - 1))
	if err == nil && (size < 1 || !inverse.Size().Is(size) || !last.Is(size-1)) {
		err = errors.New("the layout must reach each offset below its size once")
	}
	return err
}

// member reports why a thread is not one of n.
func member(thread layout.Int, n int) error {
	if i, known := thread.Static(); known && (i < 0 || i >= n) {
		return fmt.Errorf("there is no thread %d, the threads are 0 to %d", i, n-1)
	}
	return nil
}

// all is a coordinate of n underscores.
func all(n int) layout.Tuple { return layout.T(slices.Repeat([]layout.Tuple{layout.All}, n)...) }
