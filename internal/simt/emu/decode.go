package emu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// decoder turns the instructions of a function into Go functions.
type decoder struct {
	*function
	labels []int // where each label stands
	known  map[uint64]int
	vars   *variables

	multiplied map[simt.Reg]bool // that wgmma uses
	strongLoad *address          // of the present instruction

	// The present instruction.
	in   *simt.Instr
	mods []string       // modifiers that nobody has looked at
	ops  []simt.Operand // results and operands in PTX's order
	err  error
}

// exec is what a decoded instruction does for some lanes.
type exec = func(w *warp, m uint32)

func decodeFunc(f *simt.Func, vars *variables) (*function, error) {
	d := &decoder{function: &function{def: f}, known: map[uint64]int{}, vars: vars}
	var err error
	if d.params, d.paramSize, err = layoutParams(f.Params); err != nil {
		return nil, err
	}
	d.sink = len(f.Regs) + len(specials)
	d.vecs = d.sink + 1
	d.place()
	for i := range f.Body {
		if !counts(&f.Body[i]) {
			continue
		}
		in, err := d.decode(&f.Body[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", where(&f.Body[i]), f.Body[i].Op, err)
		}
		d.code = append(d.code, in)
	}
	end := &simt.Instr{Op: "exit", Guard: simt.NoReg}
	if n := len(f.Body); n > 0 {
		end.Pos = f.Body[n-1].Pos
	}
	in, err := d.decode(end)
	d.code = append(d.code, in)
	return d.function, err
}

// counts reports whether an instruction does anything.
func counts(in *simt.Instr) bool { return in.Op != simt.OpLabel && in.Op != simt.OpVar }

// where gives the position of an instruction in its source, or else in the PTX that it was read from.
func where(in *simt.Instr) string {
	if !in.Pos.IsValid() && in.Line > 0 {
		return fmt.Sprintf("line %d of the PTX", in.Line)
	}
	return in.Pos.String()
}

// place finds the instructions that the labels stand before, and whether there are fences and bulk copies.
func (d *decoder) place() {
	d.labels = make([]int, d.def.Labels)
	for i := range d.labels {
		d.labels[i] = -1
	}
	at := 0
	for i := range d.def.Body {
		in := &d.def.Body[i]
		d.fences = d.fences || isFence(in.Op)
		d.proxies = d.proxies || strings.HasPrefix(in.Op, "cp.async.bulk") || strings.HasPrefix(in.Op, "cp.reduce.async.bulk")
		d.multiplications(in)
		if counts(in) {
			at++
			continue
		}
		if in.Op != simt.OpLabel {
			continue
		}
		if len(in.Src) == 1 && in.Src[0].Label >= 0 && in.Src[0].Label < len(d.labels) {
			d.labels[in.Src[0].Label] = at
		}
	}
}

func (d *decoder) decode(in *simt.Instr) (instr, error) {
	words := strings.Split(in.Op, ".")
	d.in, d.mods, d.err, d.strongLoad = in, words[1:], nil, nil
	d.ops = append(slices.Clone(in.Dst), in.Src...)
	out := instr{src: in, guard: len(d.def.Regs)}
	if in.Guard != simt.NoReg {
		out.guard = d.reg(simt.R(in.Guard), true)
		if in.Unless {
			out.flip = full
		}
	}
	family := families[words[0]]
	if family == nil {
		return out, fmt.Errorf("unknown instruction")
	}
	out.run = family(d)
	out.at = d.strongLoad
	switch {
	case d.err != nil:
		return out, d.err
	case out.run == nil:
		return out, fmt.Errorf("unknown form of %s", words[0])
	case len(d.mods) > 0:
		return out, fmt.Errorf("unknown modifier .%s", d.mods[0])
	}
	if in.Count > 0 {
		out.run = d.counted(out.run)
	}
	if d.multiplied != nil {
		out.run = d.noting(out.run)
	}
	return out, d.err
}

// counted reports a shift count that is negative, where the launch is checked.
func (d *decoder) counted(run exec) exec {
	bits := 32
	if strings.HasPrefix(d.in.Op, "min.u64") { // counts of 64 bits are cut down first
		bits = 64
	}
	count := d.src1(d.in.Src[d.in.Count-1], bits)
	return func(w *warp, m uint32) {
		if w.block.cluster.run.Races {
			v := &w.v[count]
			w.each(m, func(lane int) {
				if n := signed(v[lane], bits); n < 0 {
					w.fault(lane, "%s: the shift count %d is negative", w.op(), n)
				}
			})
		}
		run(w, m)
	}
}

// fail notes a mistake of the present instruction.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// has takes a modifier, if it is there.
func (d *decoder) has(name string) bool { return d.oneOf(name) != "" }

// oneOf takes the first modifier that is among names: "" if there is none.
func (d *decoder) oneOf(names ...string) string {
	for i, m := range d.mods {
		if slices.Contains(names, m) {
			d.mods = slices.Delete(slices.Clone(d.mods), i, i+1)
			return m
		}
	}
	return ""
}

// ignore takes modifiers that mean nothing here.
func (d *decoder) ignore(names ...string) {
	for d.oneOf(names...) != "" {
	}
}

// prefixed takes a modifier that begins with a text, and gives all of it.
func (d *decoder) prefixed(prefix string) string {
	for _, m := range d.mods {
		if strings.HasPrefix(m, prefix) {
			d.has(m)
			return m
		}
	}
	return ""
}

// typ takes the last modifier, which must be a type.
func (d *decoder) typ() typ {
	if n := len(d.mods); n > 0 {
		if t, ok := parseType(d.mods[n-1]); ok {
			d.mods = d.mods[:n-1]
			return t
		}
	}
	d.fail("a type is missing")
	return typ{kind: 'b', bits: 32}
}
