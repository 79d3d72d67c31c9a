package emu

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/simt"
)

// op gives an operand by its number, results first.
func (d *decoder) op(i int) simt.Operand {
	if i < len(d.ops) {
		return d.ops[i]
	}
	d.fail("operand %d is missing", i)
	return simt.Operand{Kind: simt.Sink}
}

// reg gives the index of a register operand, a predicate or not.
func (d *decoder) reg(o simt.Operand, pred bool) int {
	switch {
	case o.Kind == simt.Sink && pred:
		return len(d.def.Regs) + 1
	case o.Kind == simt.Sink:
		return d.sink
	case o.Kind != simt.Register || int(o.Reg) < 0 || int(o.Reg) >= len(d.def.Regs):
		d.fail("an operand must be a register that the function declares")
		return d.sink
	case pred != (d.def.Regs[o.Reg] == simt.Pred):
		d.fail("register %d has class %v", o.Reg, d.def.Regs[o.Reg])
		return 0
	}
	return int(o.Reg)
}

// dst gives the index of a result.
func (d *decoder) dst(i int) int { return d.reg(d.op(i), false) }

// pdst gives the index of a result that is a predicate.
func (d *decoder) pdst(i int) int { return d.reg(d.op(i), true) }

// isPred reports whether an operand is a predicate.
func (d *decoder) isPred(i int) bool {
	return i < len(d.ops) && d.ops[i].Kind == simt.Register && int(d.ops[i].Reg) < len(d.def.Regs) && d.def.Regs[d.ops[i].Reg] == simt.Pred
}

// width is the number of bits that a register operand has: 32 for others.
func (d *decoder) width(o simt.Operand) int {
	if o.Kind == simt.Register && int(o.Reg) < len(d.def.Regs) {
		return d.def.Regs[o.Reg].Bits()
	}
	return 32
}

// src1 gives the index of the values of an operand that has the given number of bits.
func (d *decoder) src1(o simt.Operand, bits int) int {
	switch o.Kind {
	case simt.Register:
		return d.reg(o, false)
	case simt.Imm:
		return d.constant(cut(o.Bits, bits))
	case simt.Special:
		if i, ok := specials[o.Name]; ok {
			return d.special(i)
		}
		d.fail("unknown special register %s", o.Name)
	case simt.Symbol:
		return d.symbol(o.Name, o.Bits)
	default:
		d.fail("an operand must be a value")
	}
	return d.sink
}

func (d *decoder) src(i, bits int) int { return d.src1(d.op(i), bits) }

// special gives the index of a special register.
func (d *decoder) special(i int) int {
	if !slices.Contains(d.specials, i) {
		d.specials = append(d.specials, i)
		d.waits = d.waits || tellsWorkspace(specialTable[i].name)
	}
	return len(d.def.Regs) + i
}

// symbol gives the index of the address of a name in its space.
func (d *decoder) symbol(name string, offset uint64) int {
	switch {
	case name == "smem" && offset == 0:
		return d.special(specials["smem"])
	case name == "local":
		return d.constant(offset)
	}
	if p, ok := d.params[name]; ok {
		return d.constant(uint64(p.offset) + offset)
	}
	if at, ok := d.vars.at[name]; ok {
		return d.constant(at + offset)
	}
	if slices.Contains(d.vars.handles, name) {
		d.fail("%s", simt.Lacks("textures and surfaces"))
	}
	d.fail("unknown name %s", name)
	return d.sink
}

// constant gives the index of a constant.
func (d *decoder) constant(v uint64) int {
	if i, ok := d.known[v]; ok {
		return i
	}
	d.known[v] = d.vecs
	d.consts = append(d.consts, constant{d.vecs, v})
	d.vecs++
	return d.vecs - 1
}

// truth is an operand that is a truth value.
type truth struct {
	index int
	flip  uint32
}

// get gives the lanes in which it is true.
func (t truth) get(w *warp) uint32 { return w.p[t.index] ^ t.flip }

// psrc gives a truth value.
func (d *decoder) psrc(i int) truth {
	o := d.op(i)
	t := truth{index: len(d.def.Regs)} // true
	switch {
	case o.Kind == simt.Imm && o.Bits == 0:
		t.flip = full
	case o.Kind != simt.Imm:
		t.index = d.reg(o, true)
	}
	if o.Not {
		t.flip = ^t.flip
	}
	return t
}

// vector gives the elements of a vector operand; another operand is one element.
func (d *decoder) vector(i int) []simt.Operand {
	if o := d.op(i); o.Kind != simt.Vector {
		return []simt.Operand{o}
	}
	return d.ops[i].Vec
}

// dsts gives the indices of the results in a vector.
func (d *decoder) dsts(i int) []int {
	var out []int
	for _, o := range d.vector(i) {
		out = append(out, d.reg(o, false))
	}
	return out
}

// srcs gives the indices of the values in a vector.
func (d *decoder) srcs(i, bits int) []int {
	var out []int
	for _, o := range d.vector(i) {
		out = append(out, d.src1(o, bits))
	}
	return out
}

// address is a memory operand: a register's value plus an offset.
type address struct {
	index  int
	offset uint64
}

// at gives the address of a lane.
func (a address) at(w *warp, lane int) uint64 { return w.v[a.index][lane] + a.offset }

// addr gives the parts of a memory operand.
func (d *decoder) addr(i int) address { return d.addr1(d.op(i)) }

func (d *decoder) addr1(o simt.Operand) address {
	switch {
	case o.Kind == simt.Register:
		return address{index: d.reg(o, false)}
	case o.Kind != simt.Address:
		d.fail("an operand must be an address")
	case o.Reg != simt.NoReg:
		return address{d.reg(simt.R(o.Reg), false), o.Bits}
	case o.Name == "":
		return address{d.constant(0), o.Bits}
	default:
		return address{d.symbol(o.Name, 0), o.Bits}
	}
	return address{}
}

// label gives the instruction that a label stands before.
func (d *decoder) label(i int) int {
	o := d.op(i)
	if o.Kind != simt.Target || o.Label < 0 || o.Label >= len(d.labels) || d.labels[o.Label] < 0 {
		d.fail("the label is not placed")
		return 0
	}
	return d.labels[o.Label]
}

// typ is a type of PTX.
type typ struct {
	kind byte // 'u', 's', 'b', 'f' (also bf16 and tf32), 'p'
	bits int
	name string
}

var typeTable = func() map[string]typ {
	table := map[string]typ{}
	for _, bits := range []int{8, 16, 32, 64} {
		name := "b" + strconv.Itoa(bits)
		table[name] = typ{'b', bits, name}
	}
	for _, row := range elem.Table {
		if row.PTX == "" {
			continue
		}
		t := typ{row.PTX[0], 8 * row.Size, row.PTX}
		switch row.Kind {
		case elem.Bool:
			t.bits = 1
		case elem.Float:
			t.kind = 'f'
		}
		table[t.name] = t
		if pair := t.name + "x2"; simt.TypeBits(pair) != 0 {
			table[pair] = typ{t.kind, 2 * t.bits, pair}
		}
	}
	for name, bits := range map[string]int{"e2m1": 4, "e2m3": 8, "e3m2": 8, "ue8m0": 8} {
		table[name], table[name+"x2"] = typ{'f', bits, name}, typ{'f', 2 * bits, name + "x2"}
	}
	return table
}()

func parseType(name string) (typ, bool) {
	t, ok := typeTable[name]
	return t, ok
}

// pair says whether a type has two elements in one register, and gives the element's type.
func (t typ) pair() (typ, bool) {
	if element, ok := strings.CutSuffix(t.name, "x2"); ok {
		e, ok := parseType(element)
		return e, ok
	}
	return t, false
}

// cut keeps the lowest bits.
func cut(v uint64, bits int) uint64 {
	if bits >= 64 {
		return v
	}
	return v & (1<<bits - 1)
}

// signed extends the sign of the lowest bits.
func signed(v uint64, bits int) int64 {
	if bits >= 64 {
		return int64(v)
	}
	return int64(v<<(64-bits)) >> (64 - bits)
}
