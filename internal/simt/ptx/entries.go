package ptx

import (
	"encoding/binary"
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
)

// entries writes the entries of a module's unit of DWARF.
type entries struct {
	*writer
	info, loc *section
	types     types
	lists     int
	abstract  map[string]uint32 // the functions that are inlined, by name
}

// module writes the unit. Places of variables are addresses, so that the unit begins at 0.
func (e *entries) module(m *simt.Module) {
	s := e.info
	s.u32(0) // the length
	s.u16(2) // of DWARF
	s.name(".debug_abbrev", 4)
	s.u8(8)
	root := e.debug.kernels[0].root
	s.uleb(abUnit)
	s.text("cuTile for Go")
	s.u16(languageGo)
	s.text(root.Pos.Filename)
	s.name(".debug_line", 4)
	s.text("")
	s.b = append(s.b, make([]byte, 8)...)
	for _, k := range e.debug.kernels {
		for _, span := range k.spans {
			if span.Up != nil {
				e.function(span)
			}
			for _, v := range span.vars {
				e.types.entry(v.typ)
			}
		}
	}
	for _, k := range e.debug.kernels {
		e.kernel(k)
	}
	s.u8(0)
	binary.LittleEndian.PutUint32(s.b, uint32(len(s.b)-4))
}

// function writes the entry of a function that is inlined, once.
func (e *entries) function(span *scopeSpan) {
	if _, ok := e.abstract[span.Name]; ok {
		return
	}
	e.abstract[span.Name] = uint32(len(e.info.b))
	e.info.uleb(abAbstract)
	e.info.text(span.Name)
	e.place(span.Pos.Filename, span.Pos.Line)
	e.info.u8(inlined)
}

// place is a file and a line.
func (e *entries) place(file string, line int) {
	e.info.uleb(uint64(e.files[fileName(file)]))
	e.info.uleb(uint64(line))
}

func (e *entries) kernel(k *kernelPlan) {
	s := e.info
	e.f, e.syntax = k.f, simt.NewSyntax(k.f)
	s.uleb(abKernel)
	s.text(k.root.Name)
	s.text(k.f.Name)
	e.place(k.root.Pos.Filename, k.root.Pos.Line)
	s.u8(1)
	s.name(k.label(0), 8)
	s.name(k.label(len(k.f.Body)), 8)
	s.block([]byte{opFrame})
	e.inside(k, k.root)
	s.u8(0)
}

// inside writes the variables of a function, and what was inlined in it.
func (e *entries) inside(k *kernelPlan, of *simt.Scope) {
	for _, span := range k.spans {
		switch {
		case span.Scope == of:
			for _, v := range span.vars {
				e.variable(k, v)
			}
		case span.Up == of:
			s := e.info
			s.uleb(abInlined)
			s.u32(e.abstract[span.Name])
			s.name(k.label(span.from), 8)
			s.name(k.label(span.to), 8)
			e.place(span.Call.Filename, span.Call.Line)
			s.uleb(uint64(span.Call.Column))
			e.inside(k, span.Scope)
			s.u8(0)
		}
	}
}

func (e *entries) variable(k *kernelPlan, v *placedVar) {
	s := e.info
	code := uint64(abVariable)
	if v.Param {
		code = abParameter
	}
	s.uleb(code)
	s.text(v.Name)
	e.place(v.Pos.Filename, v.Pos.Line)
	s.u32(e.types.entry(v.typ))
	s.u8(registerSpace)
	list := fmt.Sprintf("$V%d", e.lists)
	e.lists++
	s.name(list, 4)
	e.loc.label(list)
	for _, r := range v.places {
		where := e.location(v.typ, r.ops)
		e.loc.name(k.label(r.from), 8)
		e.loc.name(k.label(r.to), 8)
		e.loc.u16(uint16(len(where)))
		e.loc.b = append(e.loc.b, where...)
	}
	e.loc.b = append(e.loc.b, make([]byte, 16)...)
}
