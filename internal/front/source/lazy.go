package source

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path"
	"strings"

	"github.com/cutile-go/cutile/internal/front/directive"
)

// A file of the language is cut into its declarations by lines, and a declaration is parsed when a kernel first reaches
// it: a kernel wants a few of many hundreds. What must be known of all at once, the directives of types and the functions for
// operators and parameters, is read off their comments. A group of declarations is parsed at once.

// cutAll files what the files of the language declare.
func (p *Package) cutAll(texts []*text) error {
	s := &scan{Package: p, window: make([]byte, 8<<10)}
	for _, t := range texts {
		s.text, s.at, s.line, s.comment, s.last = t, 0, 1, -1, nil
		if err := s.file(); err != nil {
			return err
		}
		s.finish(s.at)
	}
	return nil
}

// scan goes through the lines of a file of the language and files its declarations, each from its comment to the next
// one's. It keeps no text, as the size of the language must not show.
type scan struct {
	*Package
	*text
	window     []byte
	slab       []Decl
	at, line   int32 // of the next line
	comment    int32 // where the comment above it starts: -1 where there is none
	since      int32 // the line of that
	directives []string
	last       *Decl // whose end is not known
	group      bool  // it is one of several things at once
}

// file reads the file window by window.
func (s *scan) file() error {
	if _, ok := s.fsys.(embed.FS); !ok {
		s.take([]byte(s.src))
		return nil
	}
	f, err := s.fsys.Open(path.Base(s.text.name))
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		n, err := f.(io.ReaderAt).ReadAt(s.window, int64(s.at))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		lines := s.window[:n]
		if err == nil {
			lines = lines[:bytes.LastIndexByte(lines, '\n')+1]
		}
		s.take(lines)
		if err != nil {
			return nil
		}
	}
}

// take takes whole lines.
func (s *scan) take(lines []byte) {
	for len(lines) > 0 {
		n := bytes.IndexByte(lines, '\n') + 1
		if n == 0 {
			n = len(lines)
		}
		s.one(bytes.TrimSuffix(lines[:n], newline))
		lines = lines[n:]
		s.at += int32(n)
		s.line++
	}
}

var (
	newline = []byte("\n")
	slashes = []byte("//")
	prefix  = []byte(directive.Prefix)
	clause  = []byte("package ")
	// keywords start a declaration.
	keywords = [...][]byte{[]byte("func "), []byte("type "), []byte("var "), []byte("const ")}
)

// one takes a line.
func (s *scan) one(line []byte) {
	if bytes.HasPrefix(line, slashes) {
		if s.comment < 0 {
			s.comment, s.since = s.at, s.line
		}
		if rest, ok := bytes.CutPrefix(line, prefix); ok {
			s.directives = append(s.directives, string(rest))
		}
		return
	}
	if name, ok := bytes.CutPrefix(line, clause); ok {
		s.Package.Name = string(bytes.TrimSpace(name))
	}
	for _, k := range keywords {
		if rest, ok := bytes.CutPrefix(line, k); ok && len(rest) > 0 {
			if s.comment < 0 {
				s.comment, s.since = s.at, s.line
			}
			s.declare(rest, k[0] != 'f' && rest[0] == '(')
			break
		}
	}
	s.comment, s.directives = -1, s.directives[:0]
}

// declare files the declaration whose line goes on with "(x Type[…]) Name(", "Name[" or "Name ", or that of a group.
func (s *scan) declare(line []byte, group bool) {
	if s.last == nil {
		s.head = int(s.comment)
	}
	s.finish(s.comment)
	if len(s.slab) == cap(s.slab) {
		s.slab = make([]Decl, 0, 32)
	}
	s.slab = append(s.slab, Decl{Pkg: s.Package, text: s.text, from: s.comment, line: s.since})
	d := &s.slab[len(s.slab)-1]
	s.last, s.group = d, group
	if group {
		return
	}
	signature, recv := line, []byte(nil)
	if line[0] == '(' {
		recv, line, _ = bytes.Cut(line[1:], []byte(") "))
		recv, _, _ = bytes.Cut(recv, []byte("["))
		recv = bytes.TrimPrefix(recv[bytes.LastIndexByte(recv, ' ')+1:], []byte("*"))
	}
	end := bytes.IndexAny(line, "[( ,")
	if end < 1 || line[end] == ',' {
		panic(fmt.Sprintf("BUG: %s:%d: the language declares one name at a time", s.text.name, s.line))
	}
	d.Name = string(line[:end])
	switch {
	case recv != nil:
		s.method(recv, d)
	case d.Name != "init" && d.Name != "_":
		s.Decls[d.Name] = d
		for _, line := range s.directives {
			s.announceOne(d, line, func() *ast.FieldList { return results(string(signature)) })
		}
	}
}

// method files a method; types that have some are known by their names.
func (s *scan) method(recv []byte, d *Decl) {
	if all, ok := s.Methods[string(recv)]; ok {
		all[d.Name] = d
		return
	}
	s.Package.method(string(recv), d)
}

// finish ends the last declaration.
func (s *scan) finish(end int32) {
	if s.last == nil {
		s.head = min(s.head, int(end))
		return
	}
	s.last.to = end
	if s.group {
		f := s.fragment(int(s.last.from), int(end), int(s.last.line), 0)
		s.Package.group(s.text, f.Decls[0].(*ast.GenDecl))
	}
}

// endless is what fits the body of every function.
var endless = []ast.Stmt{&ast.ForStmt{Body: &ast.BlockStmt{}}}

// parse parses a declaration that was cut.
func (d *Decl) parse() {
	t := d.text
	f := t.fragment(int(d.from), int(d.to), int(d.line), 0)
	d.File, d.Decl = t.header(), f.Decls[0]
	d.Node = d.Decl
	if fn, ok := d.Decl.(*ast.FuncDecl); ok && fn.Body != nil && directive.Replaces(fn.Doc) {
		fn.Body = &ast.BlockStmt{Lbrace: fn.Body.Lbrace, List: endless, Rbrace: fn.Body.Rbrace} // instead of what Go runs outside of kernels
	}
	if g, ok := d.Decl.(*ast.GenDecl); ok {
		if s, ok := g.Specs[0].(*ast.TypeSpec); ok {
			d.Node = s
		}
	}
}

// results parses the line that a function's declaration starts with.
func results(signature string) *ast.FieldList {
	head, _, _ := strings.Cut(signature, " {")
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc "+head, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return f.Decls[0].(*ast.FuncDecl).Type.Results
}
