package source

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"sync"
)

// lazyMark stands at the head of a file of the language that holds only functions, methods and types, each on its
// own, of which a kernel wants a few: it is cut by lines, and a declaration is parsed when a kernel first reaches it. What
// must be known of every declaration at once, extents, zero values and the functions for operators and parameters, stands
// in other files.
const lazyMark = "\n//cutile:methods\n"

// isLazy reports whether a file has the mark at its head.
func isLazy(text []byte) bool {
	head, _, _ := bytes.Cut(text, []byte("\nimport "))
	return bytes.Contains(head, []byte(lazyMark))
}

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

// cut gives the declarations of a lazy file, unparsed, each with its comment.
func cut(p *Package, name string, text []byte) (all []*Decl) {
	first := nextStart(text, 0)
	if first < 0 {
		return nil
	}
	header := text[:commentOf(text, first)]
	for at := first; at >= 0; {
		line, _, _ := bytes.Cut(text[at+1:], []byte("\n"))
		end := at + 1 + len(line)
		if line[len(line)-1] == '{' || line[len(line)-1] == ',' || line[len(line)-1] == '(' {
			n := bytes.Index(text[end:], []byte("\n}\n"))
			if n < 0 {
				return all
			}
			end += n + 2
		}
		all = append(all, unparsed(p, name, header, text[commentOf(text, at):end], string(line)))
		at = nextStart(text, end)
	}
	return all
}

// nextStart is the line break before the next declaration: -1 where there is none.
func nextStart(text []byte, from int) int {
	for {
		n := bytes.Index(text[from:], []byte("\n"))
		if n < 0 {
			return -1
		}
		from += n
		if rest := text[from+1:]; bytes.HasPrefix(rest, []byte("func ")) || bytes.HasPrefix(rest, []byte("type ")) {
			return from
		}
		from++
	}
}

// commentOf is where the comment of the declaration begins that starts after text[at]: after the blank line before it.
func commentOf(text []byte, at int) int { return bytes.LastIndex(text[:at+1], []byte("\n\n")) + 2 }

// unparsed makes a declaration of its text, with its comment, and of its first line: "func (x Type[…]) Name(",
// "func Name[" or "type Name[".
func unparsed(p *Package, file string, header, text []byte, line string) *Decl {
	d := &Decl{Pkg: p}
	d.parse = func() {
		src := append(append([]byte{}, header...), text...)
		f, err := parser.ParseFile(Fset, file, src, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			panic("BUG: " + file + ": " + err.Error())
		}
		languageFiles.Store(Fset.File(f.FileStart), true)
		d.File, d.Decl = f, f.Decls[len(f.Decls)-1]
		d.Node = d.Decl
		if g, ok := d.Decl.(*ast.GenDecl); ok {
			d.Node = g.Specs[0]
		}
		d.uses = sync.OnceValue(func() *Uses { return usesOf(f, d.Node) })
	}
	line = line[len("func "):]
	if line[0] == '(' {
		recv, rest, _ := strings.Cut(line[1:], ") ")
		recv, _, _ = strings.Cut(recv, "[")
		d.recv = recv[strings.LastIndexByte(recv, ' ')+1:]
		line = rest
	}
	d.Name = line[:strings.IndexAny(line, "[( ")]
	return d
}

// file files an unparsed declaration under its name.
func (p *Package) file(d *Decl) {
	if d.recv == "" {
		p.Decls[d.Name] = d
		return
	}
	if p.Methods[d.recv] == nil {
		p.Methods[d.recv] = map[string]*Decl{}
	}
	p.Methods[d.recv][d.Name] = d
}

// Parse makes the declaration's syntax ready. It is called before anything else is asked of the declaration.
func (d *Decl) Parse() {
	if d.parse != nil {
		d.once.Do(d.parse)
	}
}
