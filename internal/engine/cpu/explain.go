package cpu

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// An Explanation says what the engine makes of an entry.
type Explanation struct {
	Target   host.Target
	Ops      []ExplainedOp // of the entry and its blocks, in order, without those in bodies of reductions and scans
	Segments []Segment
	Entry    *EntryFunction // nil if operations run one by one
	WhyNot   string         // why there is no function of the entry; empty if there is one, or no machine code at all
	Code     []CodeLine     // of all functions
}

// EntryFunction is the function of a whole entry, in which loops, branches, single numbers and addresses are machine code, too. A launch that
// is watched, or whose device has checks, does the operations one by one instead.
type EntryFunction struct {
	CodeFunction
	Left []LeftOp
}

// LeftOp is an operation that the function of an entry leaves to the engine.
type LeftOp struct {
	Op     *tileir.Op // or the segment, or the operations handled together, that begin with it
	Memory bool       // the engine only finds the tensor of an address, once for all blocks as a rule
	Seldom bool       // it does so of tiles that begin outside their tensors, where tensors may share memory, and where a counter might overflow
}

// Way is how an operation is done.
type Way uint8

// The ways.
const (
	Interpreted Way = iota // elements of tiles are handled by Go code
	Native                 // by machine code
	Outside                // there are no elements to handle: single numbers, views, control flow, tokens, other names of values
)

var ways = [...]string{"interpreted", "native", "outside"}

// String is the name of the way.
func (w Way) String() string { return ways[w] }

// ExplainedOp is an operation with what becomes of it.
type ExplainedOp struct {
	Op      *tileir.Op
	Way     Way
	Segment int    // the number of its segment; -1 for none
	Step    int    // its number in the segment
	Strip   int    // how many operations are interpreted together, strip by strip of their tiles; 0 for this one alone
	Text    string // the pass in the segment, or the kernel of a product; of what is interpreted, why
}

// Segment is operations that are one function.
type Segment struct {
	*nest.Segment
	Function CodeFunction
}

// CodeFunction is a function of machine code.
type CodeFunction struct {
	Offset, Size int
	Words        int // of its frame
}

// CodeLine is a line of the listing: an instruction, a label, or a remark that begins with #.
type CodeLine struct {
	Offset int
	Text   string
}

// Explain compiles an entry for a target, which this machine need not be able to run, and says what became of it.
func Explain(ctx context.Context, m *tileir.Module, entry string, t host.Target) (*Explanation, error) {
	d := New(Options{Workers: 1, Interpret: true})
	defer d.Close()
	d.target, d.products = t, t
	for _, e := range m.Entries {
		if e.Name == entry {
			return explain(ctx, d, m, e)
		}
	}
	return nil, fmt.Errorf("cpu: the module has no entry %q", entry)
}

func explain(ctx context.Context, d *Device, m *tileir.Module, e *tileir.Entry) (*Explanation, error) {
	c := newCompiler(ctx, d, m, e)
	c.notes = newNotes()
	defer c.freeGlobals()
	if _, _, err := c.program(newMachineCode(d)); err != nil {
		return nil, err
	}
	x := &explainer{compiler: c, out: &Explanation{Target: d.target}}
	x.block(e.Body)
	all, err := c.newFlow()
	if err != nil {
		return nil, err
	}
	return x.out, x.listing(all)
}

// explainer writes an explanation.
type explainer struct {
	*compiler
	out       *Explanation
	functions []int // of the segments: their numbers in the code
}

// block explains the operations of a block, and those inside them.
func (x *explainer) block(b *tileir.Block) {
	for ops := x.plan.ops(b); len(ops) > 0; {
		if s := x.plan.segments[ops[0]]; s != nil {
			x.segment(s)
			ops = ops[len(s.Steps):]
			continue
		}
		n := 1
		if r := x.plan.runs[ops[0]]; r != nil {
			n = len(r.ops)
		}
		for _, op := range ops[:n] {
			x.single(op, n)
		}
		ops = ops[n:]
	}
}

// segment explains the steps of a segment.
func (x *explainer) segment(s *nativeSegment) {
	number := len(x.out.Segments)
	x.out.Segments = append(x.out.Segments, Segment{Segment: s.Segment})
	x.functions = append(x.functions, s.fn)
	for i := range s.Steps {
		st := &s.Steps[i]
		o := ExplainedOp{Op: st.Op, Way: Native, Segment: number, Step: i}
		pass, row, ok := s.Pass(i)
		switch {
		case ok && row:
			o.Text = fmt.Sprintf("before pass %d", pass)
		case ok:
			o.Text = fmt.Sprintf("pass %d", pass)
		case st.Kind == nest.Before && x.notes.copied[st.Op] != "":
			o.Segment, o.Text = -1, x.notes.copied[st.Op]+" before the segment"
		case st.Kind == nest.Before && hasElements(st.Op) && !x.plan.isAlias(st.Op):
			o.Way, o.Text = Interpreted, "it is done before the segment, since it has another shape"
		default:
			o.Way, o.Text = Outside, ""
		}
		x.out.Ops = append(x.out.Ops, o)
	}
}

// single explains an operation outside segments, one of so many that are done in strips.
func (x *explainer) single(op *tileir.Op, together int) {
	o := ExplainedOp{Op: op, Segment: -1}
	switch p := x.notes.products[op]; {
	case p != nil:
		o.Way, o.Text = Native, p.String()
	case x.notes.parts[op] != "":
		o.Way, o.Text = Native, x.notes.parts[op]
	case !hasElements(op) || x.plan.isAlias(op):
		o.Way = Outside
	case x.notes.copied[op] != "":
		o.Way, o.Text = Native, x.notes.copied[op]
	default:
		o.Text = x.why(op)
		if together > 1 {
			o.Strip = together
		}
	}
	x.out.Ops = append(x.out.Ops, o)
	if shapeOf(op).body != combiner {
		for b := range op.Blocks() {
			x.block(b)
		}
	}
}

// why says why there is no machine code of an operation.
func (x *explainer) why(op *tileir.Op) string {
	if x.plan.code == nil {
		return fmt.Sprintf("there is no machine code for level %s", x.device.target.Level)
	}
	if why := x.notes.why[op]; why != "" {
		return why
	}
	if why := nest.Why(op); why != "" {
		return why
	}
	if !x.notes.tried[op] {
		return "the operations before it begin no segment, and it is handled together with them"
	}
	return "alone it only moves elements, and nothing next to it computes with them"
}

// hasElements reports whether an operation works on elements of tiles, of which there are more than one.
func hasElements(op *tileir.Op) bool {
	sh := shapeOf(op)
	if sh.generate == nil || sh.alias || sh.body == branches || sh.body == counted || sh.body == endless || op.Info.Terminator || op.Info.Opcode == tileir.OpConstant {
		return false
	}
	for _, list := range [][]*tileir.Value{op.Operands, op.Results} {
		for _, v := range list {
			if t, ok := v.Type.(*tileir.TileType); ok && t.Size() > 1 {
				return true
			}
		}
	}
	return false
}

// listing finishes the code and takes its listing.
func (x *explainer) listing(all *flowCode) error {
	m := x.plan.code
	if m == nil {
		return nil
	}
	_, list, err := m.asm.Finish()
	if err != nil {
		return err
	}
	for i, n := range x.functions {
		x.out.Segments[i].Function = CodeFunction{list[n].Offset, list[n].Size, list[n].Words}
	}
	x.out.WhyNot = x.notes.noFlow
	if all != nil {
		x.function(all, CodeFunction{list[all.fn].Offset, list[all.fn].Size, list[all.fn].Words})
	}
	x.out.Code = listing(m.asm)
	return nil
}

// function explains the function of the entry. What is alone too small for a segment, and not left, is machine code there.
func (x *explainer) function(all *flowCode, code CodeFunction) {
	x.out.Entry = &EntryFunction{CodeFunction: code}
	left := map[*tileir.Op]bool{}
	for _, o := range all.Outs {
		x.out.Entry.Left = append(x.out.Entry.Left, LeftOp{o.Op, o.Window >= 0, o.Seldom})
		if o.Window >= 0 || o.Seldom {
			continue
		}
		ops := []*tileir.Op{o.Op}
		if r := x.plan.runs[o.Op]; r != nil {
			ops = r.ops
		}
		for _, op := range ops {
			for inside := range op.All() {
				left[inside] = true
			}
		}
	}
	for i := range x.out.Ops {
		if o := &x.out.Ops[i]; o.Way == Interpreted && !left[o.Op] {
			o.Way, o.Segment, o.Strip, o.Text = Native, -1, 0, "in the function of the entry"
		}
	}
}
