package ptx

import (
	"fmt"
	gotoken "go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// Targets gives the names of the architectures that Write takes, the oldest first.
func Targets() []string {
	var names []string
	for _, t := range simt.Targets() {
		names = append(names, t.Name)
	}
	return names
}

// Write gives the kernels of a module as PTX for a target. The module must pass [simt.Verify].
func Write(m *simt.Module, target string) ([]byte, error) { return write(m, target, false) }

// WriteLines is Write with the positions of instructions, for debuggers and profilers.
func WriteLines(m *simt.Module, target string) ([]byte, error) { return write(m, target, true) }

func write(m *simt.Module, target string, lines bool) ([]byte, error) {
	t, err := simt.TargetOf(target)
	if err != nil {
		return nil, err
	}
	return WriteArch(m, t, lines)
}

// WriteArch is Write, or with lines WriteLines, for an architecture and the version of PTX that its PTX says, which may be
// older than the one that Write takes: see [simt.Arch.ForPTX]. The module must pass [simt.VerifyArch].
func WriteArch(m *simt.Module, t simt.Arch, lines bool) ([]byte, error) {
	if err := simt.VerifyArch(m, t); err != nil {
		return nil, err
	}
	w := &writer{texts: map[string]int{}, files: map[string]int{}, lines: lines}
	mode := ""
	if w.debug = planned(m); w.debug != nil {
		w.lines = true
		if w.debug.vars {
			mode = ", debug"
		}
	}
	if m.Samplers() {
		mode += ", texmode_independent"
	}
	w.printf(".version %d.%d\n.target %s%s\n.address_size 64\n", t.PTX/10, t.PTX%10, t.Name, mode)
	w.globals(m)
	for _, k := range m.Kernels {
		w.kernel(k)
	}
	if w.debug != nil {
		w.unit(m)
	}
	return w.b, nil
}

// writer appends the text of a module.
type writer struct {
	b      []byte
	texts  map[string]int // the global strings, by number
	files  map[string]int
	lines  bool
	f      *simt.Func
	syntax *simt.Syntax
	last   gotoken.Position // of the last line that was noted
	debug  *debugging
}

func (w *writer) printf(format string, args ...any) { w.b = fmt.Appendf(w.b, format, args...) }

// globals declares what stands outside of kernels: files, functions of the driver, texts and shared memory.
func (w *writer) globals(m *simt.Module) {
	calls := map[string]bool{}
	var texts []string
	text := func(s string) {
		if _, ok := w.texts[s]; !ok {
			w.texts[s] = len(texts)
			texts = append(texts, s)
		}
	}
	shared := false
	for _, k := range m.Kernels {
		for i := range k.Body {
			in := &k.Body[i]
			if w.lines && in.Op != simt.OpLabel {
				w.file(in.Pos)
			}
			shared = shared || usesShared(in)
			switch in.Op {
			case simt.OpAssert:
				text(in.Text)
				text(in.Pos.Filename)
				text(k.Name)
			case simt.OpPrintf:
				text(in.Text)
			}
			calls[called(in)] = true
		}
	}
	if w.debug != nil {
		w.debugFiles()
	}
	for _, f := range driverDecls {
		if calls[f.name] {
			w.printf("%s\n", f.text)
		}
	}
	for i, s := range texts {
		w.printf(".global .align 1 .b8 $s%d[%d] = {", i, len(s)+1)
		for _, c := range []byte(s) {
			w.printf("%d, ", c)
		}
		w.printf("0};\n")
	}
	w.variables(m)
	w.handles(m)
	if shared {
		w.printf("%s\n", sharedDecl)
	}
}

// sharedDecl declares dynamic shared memory. The greatest swizzle of tensor maps and matrix descriptors repeats after
// 1024 bytes.
const sharedDecl = ".extern .shared .align 1024 .b8 smem[];"

// rolled is what stands at the beginning of a loop that is not unrolled, behind its label.
const rolled = `.pragma "nounroll";`

// usesShared reports whether an instruction names dynamic shared memory.
func usesShared(in *simt.Instr) bool {
	for _, ops := range [][]simt.Operand{in.Dst, in.Src} {
		for _, op := range ops {
			if op.Name == "smem" && (op.Kind == simt.Symbol || op.Kind == simt.Address) {
				return true
			}
		}
	}
	return false
}

// file declares the file of a position, once.
func (w *writer) file(pos gotoken.Position) {
	name := fileName(pos.Filename)
	if _, ok := w.files[name]; !ok && pos.IsValid() {
		w.files[name] = len(w.files) + 1
		w.printf(".file %d \"%s\"\n", len(w.files), name)
	}
}

// fileName gives a file's name as PTX can have it, which knows no escapes.
func fileName(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '"' || c < ' ' {
			return '_'
		}
		return c
	}, name)
}

// kernel appends an entry.
func (w *writer) kernel(k *simt.Func) {
	w.f, w.syntax, w.last = k, simt.NewSyntax(k), gotoken.Position{}
	w.printf("\n.visible .entry %s(", k.Name)
	for i, p := range k.Params {
		if i > 0 {
			w.printf(",")
		}
		if p.Bytes > 0 {
			w.printf("\n\t.param .align %d .b8 %s[%d]", p.Align, p.Name, p.Bytes)
		} else {
			w.printf("\n\t.param .%s %s", p.Type, p.Name)
		}
	}
	w.printf(")\n.reqntid %d, %d, %d\n", k.Block[0], k.Block[1], k.Block[2])
	if k.MinBlocks > 0 {
		w.printf(".minnctapersm %d\n", k.MinBlocks)
	}
	if k.MaxRegs > 0 {
		w.printf(".maxnreg %d\n", k.MaxRegs)
	}
	if k.Cluster != [3]int{} {
		w.printf(".reqnctapercluster %d, %d, %d\n", k.Cluster[0], k.Cluster[1], k.Cluster[2])
	}
	w.printf("{\n")
	for c := simt.Pred; c <= simt.B64; c++ {
		if n := w.syntax.Count(c); n > 0 {
			w.printf("\t.reg .%s %s<%d>;\n", c, c.Prefix(), n)
		}
	}
	if k.Local > 0 {
		w.printf("\t.local .align 16 .b8 local[%d];\n", k.Local)
	}
	var plan *kernelPlan
	if w.debug != nil {
		if w.debug.vars {
			plan = w.debug.plan(k)
		}
		w.debug.seen, w.debug.scope = map[gotoken.Position]bool{}, nil
	}
	for i := range k.Body {
		if plan != nil && plan.labels[i] {
			w.printf("%s:\n", plan.label(i))
		}
		w.instr(&k.Body[i])
	}
	if plan != nil {
		w.printf("%s:\n", plan.label(len(k.Body)))
	}
	w.printf("}\n")
}

// instr appends an instruction.
func (w *writer) instr(in *simt.Instr) {
	switch {
	case in.Op == simt.OpVar:
		return
	case !w.lines || in.Op == simt.OpLabel || in.Op == simt.OpUndef:
	case w.debug != nil:
		w.locIn(in.Pos, in.Scope)
	default:
		w.loc(in.Pos)
	}
	switch in.Op {
	case simt.OpLabel:
		w.b = append(w.syntax.AppendInstr(w.b, in), '\n')
		if in.Rolled {
			w.printf("\t%s\n", rolled)
		}
	case simt.OpPrintf:
		w.callPrintf(in)
	case simt.OpAssert:
		w.callAssert(in)
	case simt.OpCall:
		w.callOf(in)
	case simt.OpCheck, simt.OpUndef: // registers of PTX may be read before they are written
	default:
		switch {
		case strings.Contains(in.Op, byteType):
			w.inByte(in)
			return
		case strings.HasSuffix(in.Op, wideType):
			w.inWide(in)
			return
		}
		w.b = append(w.syntax.AppendInstr(append(w.b, '\t'), in), ";\n"...)
	}
}

// loc notes the position of what follows, where it changes.
func (w *writer) loc(pos gotoken.Position) {
	pos.Offset, pos.Filename = 0, fileName(pos.Filename)
	if pos == w.last || !pos.IsValid() {
		return
	}
	w.last = pos
	w.printf("\t.loc %d %d %d\n", w.files[pos.Filename], pos.Line, pos.Column)
}
