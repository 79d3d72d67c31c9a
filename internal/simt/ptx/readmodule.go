package ptx

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// mostRegs is how many registers a thread can have.
const mostRegs = 255

// linkage are the words before what a module declares.
var linkage = []string{".visible", ".extern", ".weak", ".common"}

// module takes all declarations, then the bodies of kernels, which may name what stands after them.
func (r *reader) module() *simt.Module {
	r.m = &simt.Module{}
	r.version()
	for t := r.peek(); t.text != ""; t = r.peek() {
		r.directive()
	}
	r.findAddresses()
	r.references()
	if r.failed != nil {
		r.tryBodies()
		return r.m
	}
	for _, k := range r.bodies {
		r.kernelBody(k)
	}
	for _, name := range slices.Sorted(maps.Keys(r.funcs)) {
		if f := r.funcs[name]; f.start > 0 && !f.used {
			r.alone(f)
		}
	}
	return r.m
}

// tryBodies reads the bodies of kernels, and leaves those with mistakes out.
func (r *reader) tryBodies() {
	for _, k := range r.bodies {
		var err error
		func() {
			defer r.catch(&err)
			r.kernelBody(k)
		}()
		if err != nil {
			r.f = nil
			r.failed[k.f.Name] = err
			r.m.Kernels = slices.DeleteFunc(r.m.Kernels, func(f *simt.Func) bool { return f == k.f })
		}
	}
}

// version takes what a text begins with: version, target and the size of addresses, which old versions lack.
func (r *reader) version() {
	r.expect(".version")
	t := r.take()
	if strings.Trim(t.text, "0123456789.") != "" || t.text == "" {
		r.unexpected(t, "a version, such as 8.4")
	}
	version, _ := strconv.ParseFloat(t.text, 64)
	r.expect(".target")
	for {
		t := r.take()
		if !isTarget(t.text) {
			r.unexpected(t, "a target")
		}
		r.samplers = r.samplers || t.text == "texmode_independent"
		r.wide = r.wide || smOf(t.text) >= 100
		r.synced = r.synced || smOf(t.text) >= 70 && version >= 6.4
		if !r.accept(",") {
			break
		}
	}
	if r.accept(".address_size") {
		if t := r.take(); t.text != "32" && t.text != "64" {
			r.unexpected(t, "32 or 64")
		}
	}
}

// isTarget reports whether a word is an architecture, or an option of .target.
func isTarget(word string) bool {
	if slices.Contains([]string{"map_f64_to_f32", "texmode_unified", "texmode_independent", "debug"}, word) {
		return true
	}
	return smOf(word) >= 10
}

// smOf gives the number of an architecture: 90 of "sm_90a", and 0 of other words.
func smOf(word string) int {
	digits, ok := strings.CutPrefix(word, "sm_")
	n, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	if !ok || err != nil {
		return 0
	}
	return n
}

// directive takes what stands outside of functions.
func (r *reader) directive() {
	start, extern := r.peek(), false
	for slices.Contains(linkage, r.peek().text) {
		extern = r.take().text == ".extern" || extern
	}
	switch t := r.take(); t.text {
	case ".file":
		n := r.number(1, maxBytes)
		r.files[n] = r.quoted()
		r.skipLine()
	case ".section":
		r.skip("{")
		r.skipBody()
	case ".pragma", ".alias":
		r.skip(";")
	case ".reg":
		r.registersAt = append(r.registersAt, r.next)
		r.skip(";")
	case ".tex":
		r.textures()
	case "@":
		if !r.accept("@") {
			r.unexpected(r.peek(), `"@@" and a word of DWARF`)
		}
		r.skipLine()
	case ".entry":
		r.kernel()
	case ".func":
		r.function()
	case ".global", ".const", ".shared", ".local":
		r.variables(t.text[1:], extern)
	default:
		if t == start {
			r.unexpected(t, ".file, .section, .extern, .global, .const, .shared, .local, .func, .entry or the end")
		}
		r.unexpected(t, ".global, .const, .shared, .local, .func or .entry")
	}
}

// kernel takes an entry up to its body, which it skips.
func (r *reader) kernel() {
	k := &kernelBody{f: &simt.Func{}, params: map[string]entity{}}
	r.m.Kernels = append(r.m.Kernels, k.f)
	r.bodies = append(r.bodies, k)
	r.declaration(k)
	for {
		switch t := r.take(); t.text {
		case ".reqntid":
			k.f.Block = r.triple()
		case ".maxntid":
			if d := r.triple(); k.f.Block == [3]int{} {
				k.f.Block = d
			}
		case ".minnctapersm":
			k.f.MinBlocks = r.number(1, maxBytes)
		case ".reqnctapercluster":
			k.f.Cluster = r.triple()
		case ".maxclusterrank":
			r.number(1, maxBytes)
		case ".maxnreg":
			if k.f.MaxRegs = r.number(1, maxBytes); k.f.MaxRegs > mostRegs { // which the assembler ignores, too
				k.f.MaxRegs = 0
			}
		case ".noreturn", ".explicitcluster":
		case ".pragma":
			r.skip(";")
		case "{":
			k.start = r.next
			r.skipBody()
			return
		default:
			r.unexpected(t, ".reqntid, .maxntid, .minnctapersm, .reqnctapercluster, .maxclusterrank, .explicitcluster, .maxnreg, .pragma or {")
		}
	}
}

// declaration takes a kernel's name and its parameters.
func (r *reader) declaration(k *kernelBody) {
	k.f.Name = r.name().text
	if !r.accept("(") {
		return
	}
	for !r.accept(")") {
		if len(k.f.Params) > 0 {
			r.expect(",")
		}
		r.param(k)
	}
}

// triple takes one to three extents.
func (r *reader) triple() [3]int {
	d := [3]int{1, 1, 1}
	for i := range d {
		if d[i] = r.number(1, maxBytes); i == 2 || !r.accept(",") {
			break
		}
	}
	return d
}

// param takes a parameter of a kernel. A name that modules of package simt do not have becomes another one.
func (r *reader) param(k *kernelBody) {
	r.expect(".param")
	var t token
	var v declared
	if typ := strings.TrimPrefix(r.peek().text, "."); simt.IsHandle(typ) {
		r.take()
		t, v = r.handle(typ), declared{variable: handleVariable(typ)}
	} else {
		t, v = r.declarator("param")
	}
	e := v.entity
	p := simt.Param{Name: t.text, Type: e.typ}
	if strings.ContainsRune(t.text, '%') || slices.Contains([]string{"smem", "local", "_"}, t.text) {
		p.Name = "$param" + strconv.Itoa(len(k.f.Params))
	}
	if e.typ == "f16" || e.typ == "f16x2" || e.typ == "bf16" {
		p.Type = "b" + strconv.Itoa(simt.TypeBits(e.typ))
	}
	if v.array {
		p.Type, p.Bytes, p.Align = "b8", int(e.size), v.align
	}
	e.base = p.Name
	k.f.Params = append(k.f.Params, p)
	k.params[t.text] = e
}
