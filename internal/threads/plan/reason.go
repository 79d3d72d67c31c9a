package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// Why is a kind of reason for which something is not done that would be faster.
type Why uint8

// Why a product is not computed by matrix instructions.
const (
	LargeFactors Why = iota
	OtherElements
	OtherScales
	OtherShape
	ManySums

	// Why products of a warp group do not overlap with anything.

	Called

	// Why the tile of a load in a loop with products is not copied ahead of its turn.

	OrderedLoad
	NarrowLoad
	SmallTile
	OtherPadding
	TokenUsed
	ChangingView
	Waits
	Written
	OwnMemory
	OtherIndex
	OtherUses
	OtherUse
	OtherProduct
	Addend
	Scaling
	Unreadable
	FewStages

	// Why the tiles of a loop are not copied as boxes of tensors, of which a load is the reason, or some.

	Returns
	ManyMaps
	NoPartition
	NoBase
	NoMap
	Unaligned
	ShortRows
	NoExtent
	NoStride
	LongBox
	FewRows

	// Why no warp of its own copies them.

	NeedsTile
	NeedsOp
	NoRoom

	Whys // how many there are
)

// texts say it: {at} is an operation, {unit} an instruction, {types} and {shape} are a product's.
var texts = [Whys]string{
	LargeFactors:  "its factors take more than a block's shared memory",
	OtherElements: "no instruction is used that multiplies {types}",
	OtherScales:   "no instruction is used that multiplies {types} with such scales",
	OtherShape:    "{shape} is no multiple of {unit}",
	ManySums:      "too many sums for the registers of a block, or too few for its warps",

	Called: "ptxas completes each one before what follows, as {at} calls a function",

	OrderedLoad:  "its memory order is not weak",
	NarrowLoad:   "it does not move 16 bytes at once",
	SmallTile:    "its tile has less than 16 bytes for each thread",
	OtherPadding: "it pads with something else than zeros",
	TokenUsed:    "what comes after it in the loop may write the same memory or releases",
	ChangingView: "its view changes in the loop",
	Waits:        "it waits for a token of the loop",
	Written:      "it comes after what may write the same memory or acquires",
	OwnMemory:    "it reads memory of alloca",
	OtherIndex:   "its indices, pointers or mask depend on more than the loop's counter",
	OtherUses:    "its tile does not go to one operation of the loop alone",
	OtherUse:     "its tile goes to {at}",
	OtherProduct: "its product has no matrix instruction, and takes scales, or parts of its factors",
	Addend:       "its tile is added to a product",
	Scaling:      "its tile has the factors of a product's elements",
	Unreadable:   "the matrix instruction cannot read its tile as it is in memory",
	FewStages:    "the tiles of two turns take more than a block's shared memory",

	Returns:     "a return in the loop would leave copies under way",
	ManyMaps:    "the kernel would have more than 16 tensor maps",
	NoPartition: "the {at} is not of a partition of a tensor view with a contiguous dimension",
	NoBase:      "the address of the tensor of the {at} is no parameter",
	NoMap:       "the tensor of the {at} has more than 5 dimensions, or elements of less than 8 bits",
	Unaligned:   "the rows of the tensor of the {at} are not known to begin at multiples of 16 bytes",
	ShortRows:   "the tile of the {at} has rows of less than 32 bytes",
	NoExtent:    "an extent of the tensor of the {at} is neither a parameter nor known",
	NoStride:    "a stride of the tensor of the {at} is neither a parameter nor known",
	LongBox:     "the tile of the {at} has an extent of more than 256",
	FewRows:     "the tile of the {at} has less than 8 rows, of more than 128 bytes",

	NeedsTile: "a warp of its own would need the tile of {at}",
	NeedsOp:   "a warp of its own would have to execute {at}",
	NoRoom:    "the stages of a warp of its own take more shared memory than the rest leaves",
}

// String is the kind of reason, with words in braces for what it is about.
func (w Why) String() string { return texts[w] }

// Reason is why something is not done.
type Reason struct {
	Why  Why
	At   *tileir.Op // what it is about, which may be nil
	Unit *ir.Unit   // the instruction that comes closest
}

// String is the reason for people.
func (r Reason) String() string {
	text := texts[r.Why]
	for word, value := range map[string]func() string{
		"{at}":    func() string { return r.At.Info.Mnemonic + place(r.At) },
		"{unit}":  func() string { return fmt.Sprintf("m%dn%dk%d", r.Unit.M, columns(r.Unit), r.Unit.Length()) },
		"{types}": func() string { return typesOf(r.At) },
		"{shape}": func() string { return shapeOf(r.At) },
	} {
		if strings.Contains(text, word) {
			text = strings.ReplaceAll(text, word, value())
		}
	}
	return text
}

// called notes that products of warp groups are completed one by one in a kernel that calls a function.
func (p *Plan) called() {
	for op := range p.Entry.All() {
		if op.Info.Opcode != tileir.OpPrintTko && op.Info.Opcode != tileir.OpAssert {
			continue
		}
		for product, x := range p.Products {
			if x.Unit.Kind == ir.WarpGroup {
				p.Reasons[product] = Reason{Why: Called, At: op}
			}
		}
		return
	}
}

// typesOf are the elements of a product's factors and sums.
func typesOf(op *tileir.Op) string {
	elem := func(v *tileir.Value) tileir.Elem { return v.Type.(*tileir.TileType).Elem }
	return fmt.Sprintf("%v by %v into %v", elem(op.Operands[0]), elem(op.Operands[1]), elem(op.Results[0]))
}

// shapeOf is what a product multiplies, such as m64n64k16.
func shapeOf(op *tileir.Op) string {
	s, a := ShapeOf(op.Results[0]), ShapeOf(op.Operands[0])
	return fmt.Sprintf("m%dn%dk%d", s[len(s)-2], s[len(s)-1], a[len(a)-1])
}

// unmatched is why no instruction computes a product.
func (p *Plan) unmatched(op *tileir.Op) Reason {
	r := Reason{Why: OtherElements, At: op}
	if as := paired(op); as != nil {
		op = as
	}
	f := p.factors(op)
	if f.bytes > p.target.Shared {
		r.Why = LargeFactors
		return r
	}
	if op.Info.Opcode == tileir.OpMmaFScaled {
		r.Why = OtherScales
	}
	if f.narrow(op) { // such factors can be taken as f16
		f.a, f.b = tileir.F16, tileir.F16
	}
	for i := range p.target.Units {
		u := &p.target.Units[i]
		switch {
		case !f.takes(op, u):
		case !f.divides(u) || f.n%columns(u) != 0:
			if r.Why != ManySums {
				r.Why, r.Unit = OtherShape, u
			}
		default:
			r.Why = ManySums
		}
	}
	return r
}

// factors are the elements and the extents of a product, and the bytes of its factors.
type factors struct {
	a, b, acc tileir.Elem
	m, n, k   int
	bytes     int
}

func (p *Plan) factors(op *tileir.Op) (f factors) {
	s, a, b := ShapeOf(op.Results[0]), op.Operands[0].Type.(*tileir.TileType), op.Operands[1].Type.(*tileir.TileType)
	f = factors{a: a.Elem, b: b.Elem, acc: op.Results[0].Type.(*tileir.TileType).Elem, m: s[len(s)-2], n: s[len(s)-1], k: a.Shape[len(s)-1],
		bytes: a.Size()*a.Elem.Bytes() + b.Size()*b.Elem.Bytes()}
	if op.Info.Opcode == tileir.OpMmaFScaled && f.a == tileir.I8 { // pairs
		f.a, f.b = tileir.F4E2M1FN, tileir.F4E2M1FN
	}
	if f.acc == tileir.F16 {
		f.acc = tileir.F32 // the sums are rounded once, at the end
	}
	return f
}

// takes reports whether an instruction multiplies such elements.
func (f *factors) takes(op *tileir.Op, u *ir.Unit) bool {
	if op.Info.Opcode == tileir.OpMmaF && short(u) && op.Int("fast_acc") == 0 || !scales(op, u) {
		return false
	}
	return u.A == f.a && u.B == f.b && u.Acc == f.acc
}

// divides reports whether an instruction divides the rows and what is summed.
func (f *factors) divides(u *ir.Unit) bool { return f.k%u.K == 0 && f.m%u.M == 0 }

// columns divides those of the products that an instruction computes.
func columns(u *ir.Unit) int {
	switch {
	case u.Kind == ir.Warp:
		return 2 * u.N // a pair of instructions shares the words of the second factor
	case u.Kind == ir.Cooperative:
		return u.N
	case u.M == 128:
		return 16
	}
	return 8
}

// narrow reports whether the factors are floats of 8 bits.
func (f *factors) narrow(op *tileir.Op) bool {
	return op.Info.Opcode == tileir.OpMmaF && f.a.IsFloat() && f.a.Bits() == 8
}

// unfed notes why a load is not made ahead of its turn.
func (p *Plan) unfed(op *tileir.Op, why Why, at *tileir.Op) *Feed {
	if op.Info.Opcode == tileir.OpLoadViewTko || op.Info.Opcode == tileir.OpLoadPtrTko {
		p.Reasons[op] = Reason{Why: why, At: at}
	}
	return nil
}

// unboxed notes why the tiles of a loop are not copied as boxes.
func (p *Plan) unboxed(loop *tileir.Op, why Why, at *tileir.Op) bool {
	p.Reasons[loop] = Reason{Why: why, At: at}
	return false
}

// unproduced notes why no warp of its own copies the boxes.
func (p *Plan) unproduced(r Reason) *Producer {
	for loop := range p.Loops {
		if p.Boxed(loop) {
			p.Reasons[loop] = r
		}
	}
	return nil
}

// Unproduce has the threads that multiply copy boxes, as the stages of a producer leave too little room.
func (p *Plan) Unproduce() { p.Producer = p.unproduced(Reason{Why: NoRoom}) }

// multiplies reports whether products are computed in a loop itself.
func multiplies(loop *tileir.Op) bool {
	return slices.ContainsFunc(loop.Regions[0].Ops, isProduct)
}

func isProduct(op *tileir.Op) bool {
	switch op.Info.Opcode {
	case tileir.OpMmaF, tileir.OpMmaI, tileir.OpMmaFScaled:
		return true
	}
	return false
}

// reason says what is not done of an operation; nothing if there is nothing to say.
func (p *Plan) reason(op *tileir.Op) []string {
	r, ok := p.Reasons[op]
	switch {
	case !ok:
		return nil
	case r.Why == Called:
		return []string{"it does not overlap: " + r.String()}
	case isProduct(op):
		return []string{"without matrix instructions: " + r.String()}
	case p.Boxed(op):
		return []string{"boxes are copied by the threads that multiply: " + r.String()}
	case op.Info.Opcode == tileir.OpFor:
		return []string{"tiles are not copied as boxes: " + r.String()}
	}
	return []string{"not copied ahead: " + r.String()}
}
