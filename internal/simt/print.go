package simt

import (
	"fmt"
	"strconv"
	"strings"
)

// String gives the whole module as one text, without positions: the same for the same module, always.
func (m *Module) String() string { return m.Text(false) }

// Text gives the whole module as one text, on demand with the position of each instruction.
func (m *Module) Text(positions bool) string {
	p := &printer{positions: positions}
	p.line(0, "module attributes {gpu.container_module} {")
	var attrs []string
	for _, a := range m.Attrs {
		attrs = append(attrs, a.Name+" = "+strconv.Quote(a.Value))
	}
	with := ""
	if attrs != nil {
		with = " attributes {" + strings.Join(attrs, ", ") + "}"
	}
	p.line(1, "gpu.module @kernels%s {", with)
	for _, k := range m.Kernels {
		p.line(2, "gpu.func @%s(%s) kernel attributes {%s} {", k.Name, params(k), kernelAttrs(k))
		p.body(k, 3)
		p.line(2, "}")
	}
	p.line(1, "}")
	if h := m.Host; h != nil {
		result := ""
		if len(h.Result) > 0 {
			var names []string
			for _, c := range h.Result {
				names = append(names, c.String())
			}
			result = " -> (" + strings.Join(names, ", ") + ")"
		}
		p.m = m
		p.line(1, "func.func public @%s(%s)%s attributes {llvm.emit_c_interface} {", h.Name, params(h), result)
		p.body(h, 2)
		p.line(1, "}")
	}
	p.line(0, "}")
	return string(p.b)
}

type printer struct {
	m         *Module
	b         []byte
	positions bool
}

func (p *printer) line(indent int, format string, args ...any) {
	p.b = append(p.b, strings.Repeat("  ", indent)...)
	p.b = append(fmt.Appendf(p.b, format, args...), '\n')
}

func params(f *Func) string {
	var list []string
	for _, p := range f.Params {
		text := fmt.Sprintf("%%%s: %s", p.Name, p.Type)
		if p.Bytes > 0 {
			text += fmt.Sprintf("[%d] align %d", p.Bytes, p.Align)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func kernelAttrs(k *Func) string {
	text := "cute.kernel, gpu.kernel, nvvm.reqntid = " + dims(k.Block)
	if k.MinBlocks > 0 {
		text += fmt.Sprintf(", nvvm.minctasm = %d", k.MinBlocks)
	}
	if k.MaxRegs > 0 {
		text += fmt.Sprintf(", nvvm.maxnreg = %d", k.MaxRegs)
	}
	if k.Cluster != [3]int{} {
		text += ", nvvm.cluster_dim = " + dims(k.Cluster)
	}
	if k.Shared > 0 {
		text += fmt.Sprintf(", cute.shared = %d", k.Shared)
	}
	if k.Local > 0 {
		text += fmt.Sprintf(", cute.local = %d", k.Local)
	}
	return text
}

func dims(d [3]int) string { return fmt.Sprintf("[%d, %d, %d]", d[0], d[1], d[2]) }

// body appends the instructions of a function.
func (p *printer) body(f *Func, indent int) {
	s := NewSyntax(f)
	s.m = p.m
	for i := range f.Body {
		in := &f.Body[i]
		depth := indent
		if in.Op == OpLabel {
			depth--
		}
		p.b = append(p.b, strings.Repeat("  ", depth)...)
		p.b = s.AppendInstr(p.b, in)
		switch {
		case in.Op != OpLabel:
			p.b = append(p.b, ';')
		case in.Rolled:
			p.b = append(p.b, " nounroll"...)
		}
		if p.positions && in.Pos.IsValid() {
			p.b = fmt.Appendf(p.b, " loc(%q:%d:%d)", in.Pos.Filename, in.Pos.Line, in.Pos.Column)
		}
		p.b = append(p.b, '\n')
	}
}

// words are those of a launch's attributes.
func (l *Launch) words() (words []string) {
	if l.Cooperative {
		words = append(words, "cooperative")
	}
	if l.PDL {
		words = append(words, "pdl")
	}
	return words
}

// appendLaunch appends a launch as MLIR's GPU dialect has it. Block and cluster are the kernel's, and so is the type of
// each argument.
func (s *Syntax) appendLaunch(b []byte, in *Instr) []byte {
	l := in.Launch
	guard := b[:len(b)-len(OpLaunch)]
	if len(in.Dst) > 0 {
		guard = append(s.AppendOperand(guard, in.Dst[0], ""), " = "...)
	}
	b = append(guard, "gpu.launch_func"...)
	if l.Async {
		b = append(b, " async"...)
	}
	list := func(before string, ops []Operand, types func(int) string, after string) {
		b = append(b, before...)
		for i, op := range ops {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = s.AppendOperand(b, op, types(i))
		}
		b = append(b, after...)
	}
	untyped := func(int) string { return "" }
	if len(l.After) > 0 {
		list(" [", l.After, untyped, "]")
	}
	if l.Stream.Kind != None {
		list(" <", []Operand{l.Stream}, untyped, ">")
	}
	b = append(append(b, " @kernels::@"...), l.Kernel...)
	k := &Func{}
	if s.m != nil {
		if found := s.m.Kernel(l.Kernel); found != nil {
			k = found
		}
	}
	if k.Cluster != [3]int{} {
		b = fmt.Appendf(b, " clusters in (%d, %d, %d)", k.Cluster[0], k.Cluster[1], k.Cluster[2])
	}
	for _, w := range l.words() {
		b = append(append(b, ' '), w...)
	}
	list(" blocks in (", l.Grid[:], untyped, ")")
	if s.m != nil {
		b = fmt.Appendf(b, " threads in (%d, %d, %d)", k.Block[0], k.Block[1], k.Block[2])
	}
	list(" dynamic_shared_memory_size ", []Operand{l.Shared}, untyped, "")
	list(" args(", in.Src, func(i int) string {
		if i < len(k.Params) {
			return k.Params[i].Type
		}
		return ""
	}, ")")
	return b
}
