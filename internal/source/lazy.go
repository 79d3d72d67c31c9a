package source

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"sync"
)

// lazySuffix marks generated files of the language that hold only methods, thousands of lines of which a kernel wants a
// few: they are cut by lines, and a method is parsed when a kernel first reaches it.
const lazySuffix = "reduce_gen.go"

// languageFiles are the files of the language: mistakes in them belong to their callers.
var languageFiles sync.Map // of *token.File to bool

// IsLanguage reports whether a position is inside the language's own source.
func IsLanguage(pos token.Pos) bool {
	f := Fset.File(pos)
	if f == nil {
		return true
	}
	_, ok := languageFiles.Load(f)
	return ok
}

// cut files the methods of a lazy file under their names, unparsed.
func (p *Package) cut(name string, text []byte) {
	const start = "\nfunc ("
	first := bytes.Index(text, []byte(start))
	if first < 0 {
		return
	}
	header := text[:bytes.LastIndex(text[:first], []byte(")\n"))+2]
	if i := bytes.Index(text, []byte("\n//")); i >= 0 && i < first {
		if j := bytes.LastIndex(text[:first], []byte("\n\n")); j > 0 {
			header = text[:j+2]
		}
	}
	for at := first; at >= 0; {
		end := bytes.Index(text[at+1:], []byte("\n}\n"))
		one := bytes.Index(text[at+1:], []byte("\n"))
		if one >= 0 && bytes.HasSuffix(text[at+1:at+1+one], []byte("}")) {
			end = one - 2 // on one line
		}
		if end < 0 {
			return
		}
		p.lazyMethod(name, header, text[at+1:at+1+end+2])
		next := bytes.Index(text[at+1+end:], []byte(start))
		if next < 0 {
			return
		}
		at += 1 + end + next
	}
}

// lazyMethod files one method. Its text starts with "func (x Type[…]) Name(".
func (p *Package) lazyMethod(file string, header, text []byte) {
	recv, rest, ok := strings.Cut(strings.TrimPrefix(string(text), "func ("), ") ")
	if !ok {
		return
	}
	_, typ, ok := strings.Cut(recv, " ")
	if !ok {
		typ = recv
	}
	typ, _, _ = strings.Cut(typ, "[")
	name, _, _ := strings.Cut(rest, "(")
	if p.Methods[typ] == nil {
		p.Methods[typ] = map[string]*Decl{}
	}
	d := &Decl{Name: name, Pkg: p}
	d.parse = sync.OnceFunc(func() {
		src := append(append([]byte{}, header...), text...)
		f, err := parser.ParseFile(Fset, file, src, parser.SkipObjectResolution)
		if err != nil {
			panic("BUG: " + file + ": " + err.Error())
		}
		languageFiles.Store(Fset.File(f.FileStart), true)
		fn := f.Decls[len(f.Decls)-1].(*ast.FuncDecl)
		d.File, d.Node, d.Decl = f, fn, fn
		d.uses = sync.OnceValue(func() *Uses { return usesOf(f, fn) })
	})
	p.Methods[typ][name] = d
}

// Parse makes the declaration's syntax ready. It is called before anything else is asked of the declaration.
func (d *Decl) Parse() {
	if d.parse != nil {
		d.parse()
	}
}
