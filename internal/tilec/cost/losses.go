package cost

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// Loss is something that costs instructions and could be written, or launched, otherwise.
type Loss struct {
	Op   *tileir.Op
	Text string
}

// Losses finds what is expensive in an entry of a verified module: divisions by what is the same for many elements, results
// that are the same along an axis and yet computed for each element, integers of 64 bits in tiles, and views of which too
// little is known. It is for code after the compiler's passes, which remove what they can.
func Losses(e *tileir.Entry) []Loss {
	f := &finder{same: map[*tileir.Value][]bool{}, found: map[string]bool{}}
	for o := range e.All() {
		f.learn(o)
		for _, judge := range judges {
			if text := judge(f, o); text != "" {
				f.report(o, text)
			}
		}
	}
	return f.losses
}

// fewest is how many elements must be concerned: fewer are no more than one for each thread of a block.
const fewest = 128

type finder struct {
	same   map[*tileir.Value][]bool // by axis: whether the elements along it are equal
	found  map[string]bool
	losses []Loss
}

// judges are what is asked about each operation: "" where nothing is lost.
var judges = []func(f *finder, o *tileir.Op) string{division, repeated, wide, unaligned, ragged}

// report keeps one finding of a kind for each position in the source.
func (f *finder) report(o *tileir.Op, text string) {
	key := text
	if !o.Loc.IsZero() {
		key = fmt.Sprintf("%s:%d:%d %s", o.Loc.File, o.Loc.Line, o.Loc.Col, text)
	}
	if !f.found[key] {
		f.found[key] = true
		f.losses = append(f.losses, Loss{o, text})
	}
}

// learn finds along which axes the elements of a result are equal.
func (f *finder) learn(o *tileir.Op) {
	if len(o.Results) != 1 {
		return
	}
	t, ok := o.Results[0].Type.(*tileir.TileType)
	if !ok {
		return
	}
	same := make([]bool, t.Rank())
	switch {
	case o.Info.Opcode == tileir.OpBroadcast:
		from := o.Operands[0].Type.(*tileir.TileType)
		for i := range same {
			same[i] = from.Shape[i] != t.Shape[i] || f.along(o.Operands[0], i)
		}
	case o.Info.Opcode == tileir.OpConstant:
		c, ok := o.Attr("value").(*tileir.Constant)
		if ok {
			_, ok = c.Splat()
		}
		for i := range same {
			same[i] = ok
		}
	case passes.Elementwise(o.Info) && len(o.Operands) > 0:
		for i := range same {
			same[i] = !slices.ContainsFunc(o.Operands, func(v *tileir.Value) bool { return !f.along(v, i) })
		}
	}
	f.same[o.Results[0]] = same
}

// along reports whether the elements of a value along an axis are equal, as far as that is seen.
func (f *finder) along(v *tileir.Value, axis int) bool {
	same := f.same[v]
	return same != nil && same[axis]
}

// varies is the number of elements of a value that may differ.
func (f *finder) varies(v *tileir.Value) int {
	n := 1
	for i, extent := range v.Type.(*tileir.TileType).Shape {
		if !f.along(v, i) {
			n *= extent
		}
	}
	return n
}

// division finds x / n where n is the same for many elements.
func division(f *finder, o *tileir.Op) string {
	if o.Info.Opcode != tileir.OpDivF || o.Int("rounding_mode") > int64(tileir.RoundingPositiveInf) {
		return ""
	}
	x, n := f.varies(o.Operands[0]), f.varies(o.Operands[1])
	if n >= x || x <= fewest {
		return ""
	}
	return fmt.Sprintf("%d divisions by %s: multiply by the reciprocal, computed once, or put //cutile:fast above the kernel if the last bit does not matter",
		x, several(n, "number"))
}

// repeated finds what is computed for each element although it is the same along an axis. Truth values are not counted: it
// is cheaper to compare again than to spread them.
func repeated(f *finder, o *tileir.Op) string {
	if !passes.Elementwise(o.Info) || len(o.Operands) == 0 {
		return ""
	}
	v := o.Results[0]
	t := v.Type.(*tileir.TileType)
	n := f.varies(v)
	if n == t.Size() || t.Size() <= fewest || t.Elem == tileir.I1 {
		return ""
	}
	return fmt.Sprintf("%s is computed %d times for %s: compute it in the smaller shape, then spread it", o.Info.Mnemonic, t.Size(), several(n, "result"))
}

// wide finds arithmetic of 64 bits on tiles, which takes several instructions an element.
func wide(_ *finder, o *tileir.Op) string {
	if o.Info.Category != "int" || len(o.Results) != 1 || len(o.Operands) == 0 {
		return ""
	}
	t, ok := o.Operands[0].Type.(*tileir.TileType)
	if !ok || t.Elem != tileir.I64 || t.Size() <= fewest {
		return ""
	}
	return fmt.Sprintf("%s on %d 64-bit integers: int32 needs half the registers, if the numbers fit", o.Info.Mnemonic, t.Size())
}

// unaligned finds views of tensors whose base is not known to be aligned.
func unaligned(_ *finder, o *tileir.Op) string {
	if o.Info.Opcode != tileir.OpMakeTensorView || divisor(o.Operands[0]) >= 16 {
		return ""
	}
	return "the tensor's base is not known to be a multiple of 16 bytes: it is moved in smaller pieces, not by TMA"
}

// ragged finds views whose rows may begin or end anywhere.
func ragged(_ *finder, o *tileir.Op) string {
	if o.Info.Opcode != tileir.OpMakeTensorView {
		return ""
	}
	t := o.Results[0].Type.(*tileir.TensorViewType)
	per := uint64(max(16/t.Elem.Bytes(), 1))
	for _, v := range o.Group(o.Info.OperandIndex("dynamicStrides")) {
		if divisor(v) < per {
			return fmt.Sprintf("a stride of the tensor is not known to be a multiple of 16 bytes (%d elements): its rows are moved in smaller pieces, not by TMA", per)
		}
	}
	return ""
}

// divisor is what a value is assumed to be divisible by.
func divisor(v *tileir.Value) uint64 {
	for d := v.Def; d != nil && d.Info.Opcode == tileir.OpAssume; d = d.Operands[0].Def {
		if p, ok := d.Attr("predicate").(tileir.DivBy); ok {
			return p.Divisor
		}
	}
	return 1
}

func several(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Masks are the accesses of which a launch does not prove that they stay inside their tensors.
func Masks(checks []passes.Check) (all []Loss) {
	for _, c := range checks {
		if !c.Inside {
			all = append(all, Loss{c.Op, fmt.Sprintf("%s masks each element along axis %d (%s): extents that are multiples of the tile need no masks", spoken.Op(c.Op), c.Dim, c.Text)})
		}
	}
	return all
}
