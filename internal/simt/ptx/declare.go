package ptx

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// declared is what a declarator says beside the name.
type declared struct {
	variable
	array bool
	open  bool // an array without a number of elements
}

// declarator takes alignment, type, name and extents of a variable.
func (r *reader) declarator(space string) (token, declared) {
	v := declared{}
	v.kind, v.space, v.align = aMemory, space, 0
	if r.accept(".align") {
		v.align = r.number(1, 1024)
		if v.align&(v.align-1) != 0 {
			r.fail(r.tokens[r.next-1], "expected an alignment that is a power of two, found %d", v.align)
		}
	}
	length := int64(1)
	t := r.take()
	if n := vectorLength(t.text); n > 0 {
		length, v.array = int64(n), true
		t = r.take()
	}
	v.typ = strings.TrimPrefix(t.text, ".")
	if !strings.HasPrefix(t.text, ".") || simt.TypeBits(v.typ) < 8 {
		r.unexpected(t, "a type")
	}
	if space == "param" {
		r.pointer()
	}
	name := r.name()
	for r.accept("[") {
		v.array = true
		if r.accept("]") {
			v.open = true
			continue
		}
		n := r.count(0, maxBytes)
		if length *= n; length > maxBytes {
			r.fail(name, "%s has more than %d elements", name.text, maxBytes)
		}
		r.expect("]")
	}
	v.size = length * int64(simt.TypeBits(v.typ)/8)
	if v.align == 0 {
		v.align = simt.TypeBits(v.typ) / 8
	}
	return name, v
}

// vectorLength gives the number of elements of ".v2" and the like, 0 for other words.
func vectorLength(word string) int {
	return map[string]int{".v2": 2, ".v4": 4, ".v8": 8}[word]
}

// pointer takes what a parameter may say about what it points to.
func (r *reader) pointer() {
	if !r.accept(".ptr") {
		return
	}
	for strings.HasPrefix(r.peek().text, ".") {
		if r.take().text == ".align" {
			r.number(1, maxBytes)
		}
	}
}

// variables takes the variables of a declaration outside of functions.
func (r *reader) variables(space string, extern bool) {
	if r.handles(space) {
		return
	}
	for first := true; first || r.accept(","); first = false {
		t, v := r.declarator(space)
		if _, twice := r.vars[t.text]; twice && !extern || r.isKnownText(t.text) {
			r.fail(t, "%s is declared a second time", t.text)
		}
		if space == "shared" || space == "local" {
			v.base, v.extern = "smem", extern && v.open
			r.vars[t.text] = v.variable
			continue
		}
		if r.isText(t.text, v) {
			break
		}
		r.moduleVariable(t, v, extern)
	}
	r.expect(";")
}

// moduleVariable takes the first values of a variable in global or constant memory, and makes it one of the module's.
func (r *reader) moduleVariable(t token, v declared, extern bool) {
	at := r.next
	name := t.text
	if r.f != nil {
		name = fmt.Sprintf("%s$%d", name, len(r.m.Vars))
	}
	mv := &simt.Var{Name: ownName(name), Space: v.space, Align: v.align}
	if r.accept("=") {
		r.initial(mv, v.typ, v.size, v.open, 0)
	} else if v.open && !extern {
		r.fail(t, "%s does not say how many elements it has", t.text)
	}
	if v.open {
		v.size = int64(len(mv.Init))
	}
	mv.Bytes = int(v.size)
	v.base = mv.Name
	if r.f != nil {
		r.inside[at] = v.entity
		r.declare(t, v.entity)
	} else {
		r.vars[t.text] = v.variable
	}
	if mv.Bytes > 0 {
		r.m.Vars = append(r.m.Vars, mv)
	}
}

// ownName gives a name that modules of package simt can have.
func ownName(name string) string {
	if strings.ContainsRune(name, '%') || name == "smem" || name == "local" || name == "_" {
		return "$var" + name[1:]
	}
	return name
}

// initial takes first values: one, or a list in braces, which may hold lists.
func (r *reader) initial(v *simt.Var, typ string, size int64, open bool, depth int) {
	t := r.peek()
	if depth > maxDepth {
		r.fail(t, "the values are nested more than %d deep", maxDepth)
	}
	if r.accept("{") {
		for !r.accept("}") {
			r.initial(v, typ, size, open, depth+1)
			if r.peek().text != "}" {
				r.expect(",")
			}
		}
		return
	}
	width := simt.TypeBits(typ) / 8
	if at := len(v.Init); !open && int64(at+width) > size || at+width > maxInit {
		r.fail(t, "%s has more values than elements", v.Name)
	}
	var word [8]byte
	if isName(t.text) && t.text != "WARP_SZ" {
		r.reference(v, width)
	} else {
		c := r.constant()
		if r.peek().text == "(" {
			r.fail(t, "%s: %s", v.Name, simt.Lacks("parts of addresses as first values"))
		}
		if c.float == 0 && (typ == "f32" || typ == "f64") {
			c = integerAsFloat(c)
		}
		bits, ok := c.as(typ)
		if !ok {
			r.fail(t, "a float cannot be the value of a %s", typ)
		}
		binary.LittleEndian.PutUint64(word[:], bits)
	}
	v.Init = append(v.Init, word[:width]...)
}

// reference takes the address of a variable, or of its generic address, as a first value.
func (r *reader) reference(v *simt.Var, width int) {
	t := r.name()
	if t.text == "generic" && r.accept("(") {
		t = r.name()
		r.expect(")")
	}
	if width != 8 {
		r.fail(t, "an address has 64 bits, an element of %s has %d", v.Name, 8*width)
	}
	ref := simt.Ref{Offset: len(v.Init), Name: t.text}
	if r.accept("+") {
		ref.Add = r.count(0, maxBytes)
	}
	v.Refs = append(v.Refs, ref)
}

// references finds the variables that first values name. The address of a function is a number.
func (r *reader) references() {
	for _, v := range r.m.Vars {
		refs := v.Refs
		v.Refs = nil
		for _, ref := range refs {
			if f := r.funcs[ref.Name]; f != nil && f.start > 0 {
				binary.LittleEndian.PutUint64(v.Init[ref.Offset:], f.address+uint64(ref.Add))
				continue
			}
			to, ok := r.vars[ref.Name]
			if !ok || to.space == "shared" || to.space == "local" || to.size == 0 {
				r.fail(r.peek(), "%s has the address of %s, which is not a function or variable in global or constant memory", v.Name, ref.Name)
			}
			ref.Name = to.base
			v.Refs = append(v.Refs, ref)
		}
	}
}
