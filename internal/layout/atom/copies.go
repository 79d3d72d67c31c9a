package atom

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
)

// Copy is an instruction that moves values.
type Copy struct {
	Name     string // PTX's, without what is always the same: ldmatrix.x4.trans
	PTX      string // the opcode; none for a universal copy, whose load and store depend on the memories
	Elem     Elem
	Threads  layout.Layout // of the threads that take part (ThrID)
	Src, Dst layout.Layout // (thread, value) to the place of the value in what is moved
	Ref      layout.Layout // Src or Dst: the one that the values of a [TiledCopy] are dealt out by
	Target   Target
}

// Bits is how many bits the instruction moves.
func (c Copy) Bits() int {
	n, _ := c.Ref.Size().Static()
	return n * c.Elem.Bits()
}

// String is what CuTe prints of an atom.
func (c Copy) String() string { return c.print("") }

func (c Copy) print(pad string) string {
	return fmt.Sprintf("Copy Atom\n  ThrID:         %[1]s%[2]v\n  TV Layout Src: %[1]s%[3]v\n  TV Layout Dst: %[1]s%[4]v\n  Value type:    %[1]s%[5]v",
		pad, c.Threads, c.Src, c.Dst, c.Elem)
}

// copyRow is an instruction with TV layouts that count bits.
type copyRow struct {
	name, ptx string
	target    Target
	threads   string
	src, dst  string
}

// The layouts of ldmatrix: a matrix is 8 rows of 128 bits. The first 8 threads give the rows' addresses of the first
// matrix, the next 8 those of the second one, and so on; other threads' addresses are not used, which is a stride of 0.
// A thread gets 32 bits of a row of a matrix, or with trans 16 bits of two rows.
var matrixRows = []copyRow{
	{"x1", "m8n8.x1.shared.b16", Target{First: 75}, "32:1", "((8,4),128):((128,0),1)", "(32,32):(32,1)"},
	{"x2", "m8n8.x2.shared.b16", Target{First: 75}, "32:1", "((16,2),128):((128,0),1)", "(32,(32,2)):(32,(1,1024))"},
	{"x4", "m8n8.x4.shared.b16", Target{First: 75}, "32:1", "(32,128):(128,1)", "(32,(32,4)):(32,(1,1024))"},
	{"x1.trans", "m8n8.x1.trans.shared.b16", Target{First: 75}, "32:1",
		"((8,4),128):((128,0),1)", "((4,8),(16,2)):((256,16),(1,128))"},
	{"x2.trans", "m8n8.x2.trans.shared.b16", Target{First: 75}, "32:1",
		"((16,2),128):((128,0),1)", "((4,8),(16,2,2)):((256,16),(1,128,1024))"},
	{"x4.trans", "m8n8.x4.trans.shared.b16", Target{First: 75}, "32:1",
		"(32,128):(128,1)", "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
}

var copyRows = rows()

// rows adds what follows by rule: stmatrix is ldmatrix with source and destination exchanged, and the copies of one
// thread differ in width only.
func rows() []copyRow {
	rs := []copyRow{
		{"ldmatrix.m16n16.x1.trans", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", Target{First: 100, Specific: true}, "32:1",
			"((2,2,4,2),128):((128,1024,256,0),1)", "((4,8),(8,2,2,2)):((256,8),(1,128,64,1024))"},
		{"ldmatrix.m16n16.x2.trans", "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", Target{First: 100, Specific: true}, "32:1",
			"((2,2,4,2),128):((128,1024,256,2048),1)", "((4,8),(8,2,2,4)):((256,8),(1,128,64,1024))"},
	}
	for _, r := range matrixRows {
		rs = append(rs,
			copyRow{"ldmatrix." + r.name, "ldmatrix.sync.aligned." + r.ptx, r.target, r.threads, r.src, r.dst},
			copyRow{"stmatrix." + r.name, "stmatrix.sync.aligned." + r.ptx, Target{First: 90}, r.threads, r.dst, r.src})
	}
	for _, bits := range []int{8, 16, 32, 64, 128} {
		rs = append(rs, oneThread(fmt.Sprintf("universal.%d", bits), "", Target{}, bits))
	}
	for _, bits := range []int{32, 64, 128} {
		rs = append(rs, oneThread(fmt.Sprintf("cp.async.ca.%d", bits), "cp.async.ca.shared.global", Target{First: 80}, bits))
	}
	return append(rs, oneThread("cp.async.cg.128", "cp.async.cg.shared.global", Target{First: 80}, 128))
}

func oneThread(name, ptx string, t Target, bits int) copyRow {
	l := fmt.Sprintf("(1,%d):(0,1)", bits)
	return copyRow{name, ptx, t, "1:0", l, l}
}

// tmaOps are the instructions of the tensor memory accelerator in tile mode; %d is the rank of the tensor.
var tmaOps = map[string]string{
	"load":           "cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
	"load.multicast": "cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster",
	"store":          "cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group",
}

// CopyNames lists the instructions that [NewCopy] knows.
func CopyNames() []string {
	var names []string
	for _, r := range copyRows {
		names = append(names, r.name)
	}
	return names
}

// NewCopy is an instruction by its name, moving values of a type. It refuses a type that the instruction would cut:
// an ldmatrix that transposes keeps 16 bits together, one that does not 32 bits.
func NewCopy(name string, e Elem) (Copy, error) {
	for _, r := range copyRows {
		if r.name == name {
			return r.of(e)
		}
	}
	return Copy{}, refusef("make_copy_atom", []any{name, e}, "expected one of %s", strings.Join(CopyNames(), ", "))
}

// NewTMA is a copy of a whole box of a tensor of rank dims, which one thread starts: op is load, load.multicast or
// store, elems the number of elements in the box.
func NewTMA(op string, dims, elems int, e Elem) (Copy, error) {
	operands := []any{"tma." + op, dims, elems, e}
	ptx, ok := tmaOps[op]
	switch {
	case !ok:
		return Copy{}, refusef("make_copy_atom", operands, "expected tma.load, tma.load.multicast or tma.store")
	case dims < 1 || dims > 5:
		return Copy{}, refusef("make_copy_atom", operands, "a tensor must have 1 to 5 dimensions")
	case elems < 1 || elems*e.Bits()%128 != 0:
		return Copy{}, refusef("make_copy_atom", operands, "a box must be a multiple of 16 bytes")
	}
	name := fmt.Sprintf("tma.%s.%dd", op, dims)
	return oneThread(name, fmt.Sprintf(ptx, dims), Target{First: 90}, elems*e.Bits()).of(e)
}

// of counts a row in elements. It is refused where that leaves other threads or another number of bits.
func (r copyRow) of(e Elem) (Copy, error) {
	if e.Bits() == 0 {
		return Copy{}, refusef("make_copy_atom", []any{r.name, e}, "%v is not an element type", e)
	}
	c := Copy{Name: r.name, PTX: r.ptx, Elem: e, Threads: lay(r.threads), Target: r.target}
	for _, side := range []struct {
		to   *layout.Layout
		bits string
	}{{&c.Src, r.src}, {&c.Dst, r.dst}} {
		bits := lay(side.bits)
		l, err := layout.Recast(e.Bits(), 1, bits)
		if err != nil {
			return Copy{}, refuse("make_copy_atom", err, r.name, e)
		}
		was, is := bits.Modes(), l.Modes()
		if !was[0].Size().Equal(is[0].Size()) || !was[1].Size().Equal(is[1].Size().Mul(layout.N(e.Bits()))) {
			return Copy{}, refusef("make_copy_atom", []any{r.name, e}, "the instruction moves smaller pieces than the %d bits of an element", e.Bits())
		}
		*side.to = l
	}
	c.Ref = c.Dst
	if strings.HasPrefix(r.name, "stmatrix") {
		c.Ref = c.Src
	}
	return c, nil
}
