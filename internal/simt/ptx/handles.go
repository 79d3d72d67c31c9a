package ptx

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// handles takes textures, samplers or surfaces, if the declaration is one of some.
func (r *reader) handles(space string) bool {
	t := r.peek()
	at := r.next
	if t.text == ".align" && r.next+2 < len(r.tokens) {
		at += 2
	}
	typ := strings.TrimPrefix(r.tokens[at].text, ".")
	if !simt.IsHandle(typ) {
		return false
	}
	if space != "global" {
		r.fail(t, "a .%s is declared in .global, found .%s", typ, space)
	}
	r.next = at + 1
	for first := true; first || r.accept(","); first = false {
		h := r.declareHandle(typ)
		if r.accept("=") {
			h.Init = r.properties()
		}
	}
	r.expect(";")
	return true
}

// textures takes ".tex .u64 a", which declared textures in the first versions.
func (r *reader) textures() {
	if t := r.take(); t.text != ".u64" && t.text != ".u32" {
		r.unexpected(t, ".u64 or .u32")
	}
	for first := true; first || r.accept(","); first = false {
		r.declareHandle("texref")
	}
	r.expect(";")
}

// declareHandle takes the name of a texture, sampler or surface of the module.
func (r *reader) declareHandle(typ string) *simt.Handle {
	t := r.handle(typ)
	if _, twice := r.vars[t.text]; twice || r.isKnownText(t.text) {
		r.fail(t, "%s is declared a second time", t.text)
	}
	h := &simt.Handle{Name: ownName(t.text), Type: typ}
	v := handleVariable(typ)
	v.base = h.Name
	r.vars[t.text] = v
	r.m.Handles = append(r.m.Handles, h)
	return h
}

// handle takes the name of a texture, sampler or surface.
func (r *reader) handle(typ string) token {
	t := r.name()
	if typ == "samplerref" && !r.samplers {
		r.fail(t, "textures have samplers of their own, a .samplerref needs .target texmode_independent")
	}
	if n := r.peek(); n.text == "[" {
		r.fail(n, "an array of .%s is not supported", typ)
	}
	return t
}

// handleVariable is a texture, sampler or surface: its type is its space, which nothing else lies in.
func handleVariable(typ string) variable {
	return variable{entity: entity{kind: aMemory, space: typ, typ: typ}}
}

// properties takes the first values of a texture, sampler or surface.
func (r *reader) properties() []simt.Attr {
	var all []simt.Attr
	r.expect("{")
	for !r.accept("}") {
		if len(all) > 0 {
			r.expect(",")
		}
		name := r.name().text
		r.expect("=")
		all = append(all, simt.Attr{Name: name, Value: r.take().text})
	}
	return all
}

// handles declares the textures, samplers and surfaces of a module.
func (w *writer) handles(m *simt.Module) {
	for _, h := range m.Handles {
		w.printf(".global .%s %s", h.Type, h.Name)
		for i, a := range h.Init {
			w.printf("%s%s = %s", map[bool]string{true: " = {", false: ", "}[i == 0], a.Name, a.Value)
		}
		if len(h.Init) > 0 {
			w.printf("}")
		}
		w.printf(";\n")
	}
}

// coordinates takes what follows a texture or surface in its brackets: perhaps a sampler, then coordinates. It takes a
// vector, too, after the address of a tensor map.
func (r *reader) coordinates() []arg {
	var args []arg
	for r.accept(",") {
		a := r.operand()
		if a.Kind == simt.Address {
			r.unexpected(a.t, "coordinates, or a sampler")
		}
		args = append(args, a)
	}
	r.expect("]")
	n := len(args)
	for i := range args {
		args[i].inside = true
		switch a := &args[i]; {
		case i < n-1 && a.Kind == simt.Symbol: // a sampler by name
			a.Operand = simt.AtName(a.mem.base, a.mem.off)
		case i < n-1 && a.Kind == simt.Register:
			a.Operand = simt.At(a.Reg, 0)
		case i == n-1 && a.Kind != simt.Vector: // of one dimension
			args[i] = arg{Operand: simt.V(), t: a.t, inside: true, elems: []arg{*a}}
		}
	}
	return args
}

// handleFits is the cost of an address where a texture, sampler or surface is wanted or given.
func (l *lowering) handleFits(s *simt.Slot, a *arg) int {
	fits := s.Names(a.mem.space)
	if a.Reg != simt.NoReg {
		fits = s.IsHandle() && l.f.Regs[a.Reg] == simt.B64
	}
	if !fits || a.Bits != 0 {
		return impossible
	}
	return 0
}

// hasCoordinates reports whether an instruction reads a texture, or reads or writes a surface.
func hasCoordinates(op string) bool {
	head, _, _ := strings.Cut(op, ".")
	return slices.Contains([]string{"tex", "tld4", "suld", "sust", "sured"}, head)
}

// cropped appends an instruction without the coordinates that its geometry has no use for: the first versions of PTX always
// want four.
func (l *lowering) cropped(op string, args []arg) {
	n := 4
	for word := range strings.SplitSeq(op, ".") {
		if c, ok := map[string]int{"1d": 1, "2d": 2, "a1d": 2}[word]; ok {
			n = c
		}
	}
	args = slices.Clone(args)
	for i := range args {
		if a := &args[i]; a.inside && len(a.elems) > n {
			a.elems = a.elems[:n]
		}
	}
	l.plain(op, args)
}
