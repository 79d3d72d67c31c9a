package decl

import (
	"fmt"
	"strconv"
	"strings"
	"text/scanner"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/tileir"
)

// rules says how the text after each word is read that has a grammar.
var rules = map[directive.Word]func(*parser, *Directive) error{
	Op:                  (*parser).op,
	directive.Type:      (*parser).typ,
	directive.Intrinsic: (*parser).intrinsic,
}

type parser struct {
	scanner.Scanner
	tok rune
	err error
}

func parse(d *Directive, text string, rule func(*parser, *Directive) error) error {
	p := &parser{}
	p.Init(strings.NewReader(text))
	p.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanStrings
	p.Error = func(_ *scanner.Scanner, msg string) { p.failf("%s", msg) }
	p.next()
	if err := rule(p, d); err != nil {
		return err
	}
	if p.err == nil && p.tok != scanner.EOF {
		p.failf("unexpected %q", p.TokenText())
	}
	return p.err
}

func (p *parser) next() { p.tok = p.Scan() }

// failf keeps the first error and ends the input.
func (p *parser) failf(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("column %d: "+format, append([]any{p.Position.Column}, args...)...)
	}
	p.tok = scanner.EOF
}

func (p *parser) want(r rune) {
	if p.tok != r {
		p.failf("want %s, have %q", scanner.TokenString(r), p.TokenText())
		return
	}
	p.next()
}

func (p *parser) intrinsic(d *Directive) error {
	for p.tok == scanner.Ident && (p.TokenText() != "meta" || len(d.Words) == 0) {
		d.Words = append(d.Words, p.word())
	}
	if len(d.Words) == 0 {
		return fmt.Errorf("the kind of intrinsic is missing")
	}
	if p.tok == scanner.Ident {
		p.next()
		d.Meta = p.expr()
	}
	return nil
}

func (p *parser) typ(d *Directive) error {
	d.Type = p.expr()
	p.arguments(d.Type)
	if p.tok == scanner.Ident {
		z := p.expr()
		if z.Name != "zero" || len(z.Args) != 1 {
			return fmt.Errorf("want zero(function), have %q", z.Name)
		}
		d.Zero = z.Args[0].Name
	}
	return p.err
}

func (p *parser) op(d *Directive) error {
	head := p.expr()
	d.Info = tileir.Lookup(head.Name)
	if d.Info == nil {
		return fmt.Errorf("Tile IR has no operation %q", head.Name)
	}
	if !head.Call {
		return fmt.Errorf("want %s(operands)", head.Name)
	}
	d.Operands = head.Args
	if p.tok == '{' {
		d.Attrs = p.expr()
	}
	for p.tok != scanner.EOF && p.err == nil {
		if p.tok == '-' {
			p.next()
			p.want('>')
			d.Result = p.expr()
			continue
		}
		p.clause(d)
	}
	return p.err
}

// clauses are what may follow an operation's operands and attributes.
var clauses = map[string]func(*parser, *Directive, *Expr){
	"region": func(p *parser, d *Directive, _ *Expr) { d.Regions = append(d.Regions, p.expr()) },
	"meta":   func(p *parser, d *Directive, _ *Expr) { d.Meta = p.expr() },
	"once":   func(_ *parser, d *Directive, _ *Expr) { d.Once = true },
	"traps":  func(_ *parser, d *Directive, _ *Expr) { d.Traps = true },
	"min":    func(_ *parser, d *Directive, e *Expr) { d.Min = e.Args[0] },
	"bounds": func(_ *parser, d *Directive, e *Expr) { d.Bounds = e.Args[0].Name },
}

func (p *parser) clause(d *Directive) {
	e := p.expr()
	f, ok := clauses[e.Name]
	if !ok {
		p.failf("unknown clause %q", e.Name)
		return
	}
	if one := e.Name == "min" || e.Name == "bounds"; (one || e.Call) && len(e.Args) != 1 {
		p.failf("%s takes one argument", e.Name)
		return
	}
	f(p, d, e)
}

// word reads a name, with dots.
func (p *parser) word() string {
	s := p.TokenText()
	p.want(scanner.Ident)
	for p.tok == '.' {
		p.next()
		s += "." + p.TokenText()
		p.want(scanner.Ident)
	}
	return s
}

func (p *parser) expr() *Expr {
	switch p.tok {
	case scanner.Int:
		n, err := strconv.ParseInt(p.TokenText(), 0, 64)
		if err != nil {
			p.failf("%v", err)
		}
		p.next()
		return &Expr{Int: &n}
	case '-':
		p.next()
		e := p.expr()
		if e.Int == nil {
			p.failf("want a number after -")
			return &Expr{}
		}
		n := -*e.Int
		return &Expr{Int: &n}
	case scanner.String:
		s, err := strconv.Unquote(p.TokenText())
		if err != nil {
			p.failf("%v", err)
		}
		p.next()
		return &Expr{Text: &s}
	case '[':
		return p.list(']', &Expr{Name: "["})
	case '{':
		return p.list('}', &Expr{Name: "{"})
	case '*':
		p.next()
		return &Expr{Name: "*"}
	}
	e := &Expr{Name: p.word()}
	if p.tok == '(' {
		e.Call = true
		p.list(')', e)
		p.arguments(e)
	}
	return e
}

// arity is how many arguments the words of types and the functions of type parameters take.
var arity = map[string]int{
	"extent": 1, "enum": 1, "list": 1, "product": 2, "quotient": 2,
	"ptr": 1, "shape": 1, "rank": 1, "flat": 1, "without": 2, "sign": 1, "lead": 2,
}

// arguments refuses a call, or a word of a type, with more or fewer arguments than are read.
func (p *parser) arguments(e *Expr) {
	if n, ok := arity[e.Name]; ok && len(e.Args) != n {
		p.failf("%s has %d arguments, want %d", e.Name, len(e.Args), n)
	}
}

// list reads what is between brackets: expressions, or fields with names.
func (p *parser) list(end rune, e *Expr) *Expr {
	p.next()
	for p.tok != end && p.err == nil {
		if len(e.Args) > 0 {
			p.want(',')
		}
		a, key := p.expr(), ""
		if p.tok == ':' {
			p.next()
			key, a = a.Name, p.expr()
		}
		e.Keys, e.Args = append(e.Keys, key), append(e.Args, a)
	}
	if p.err == nil {
		p.next()
	}
	return e
}
