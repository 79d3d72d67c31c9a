package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// edit replaces the text between two positions.
type edit struct {
	from, to token.Pos
	text     string
}

// file is a parsed file with its text.
type file struct {
	name string // from the root of the module, with slashes
	fset *token.FileSet
	ast  *ast.File
	text string
}

func (f *file) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *file) source(n ast.Node) string { return f.text[f.offset(n.Pos()):f.offset(n.End())] }

// kind is a way to break a node. It gives no edit for a node that it is not for.
type kind struct {
	name  string
	apply func(f *file, n ast.Node) []edit
}

var kinds = []kind{
	{"operator", operator},
	{"negation", negation},
	{"number", number},
	{"check", check},
	{"call", call},
	{"error", lostError},
	{"key", key},
	{"name", otherName},
	{"assignment", assignment},
}

// operators gives each operator another one that mostly compiles in its place.
var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+", token.MUL: "+", token.QUO: "*", token.REM: "/",
	token.SHL: ">>", token.SHR: "<<", token.AND: "|", token.OR: "&", token.XOR: "|", token.AND_NOT: "&",
}

func operator(f *file, n ast.Node) []edit {
	e, ok := n.(*ast.BinaryExpr)
	if !ok || operators[e.Op] == "" {
		return nil
	}
	return []edit{{e.OpPos, e.OpPos + token.Pos(len(e.Op.String())), operators[e.Op]}}
}

func negation(f *file, n ast.Node) []edit {
	e, ok := n.(*ast.UnaryExpr)
	if !ok || e.Op != token.NOT {
		return nil
	}
	return []edit{{e.Pos(), e.End(), "(" + f.source(e.X) + ")"}}
}

func number(_ *file, n ast.Node) []edit {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return nil
	}
	v, err := strconv.ParseInt(lit.Value, 0, 64)
	if err != nil {
		return nil
	}
	return []edit{{lit.Pos(), lit.End(), strconv.FormatInt(v+1, 10)}}
}

// check makes a condition never hold: what it guards against goes through.
func check(f *file, n ast.Node) []edit {
	s, ok := n.(*ast.IfStmt)
	if !ok || len(s.Body.List) == 1 && isBug(s.Body.List[0]) {
		return nil
	}
	return []edit{{s.Cond.Pos(), s.Cond.End(), "false && (" + f.source(s.Cond) + ")"}}
}

// call leaves out a call: a lock, a check, a write to a map or cache.
func call(_ *file, n ast.Node) []edit {
	switch s := n.(type) {
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return nil
			}
			return []edit{{s.Pos(), s.End(), ""}}
		}
	case *ast.DeferStmt:
		return []edit{{s.Pos(), s.End(), ""}}
	}
	return nil
}

// lostError returns no error where there was one.
func lostError(_ *file, n ast.Node) []edit {
	s, ok := n.(*ast.ReturnStmt)
	if !ok || len(s.Results) == 0 {
		return nil
	}
	last := s.Results[len(s.Results)-1]
	if id, ok := last.(*ast.Ident); !ok || id.Name != "err" {
		return nil
	}
	return []edit{{last.Pos(), last.End(), "nil"}}
}

var isKey = regexp.MustCompile(`(?i)key|hash|sum`)

// key leaves out the last part of a key.
func key(_ *file, n ast.Node) []edit {
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) < 2 {
		return nil
	}
	var name string
	switch f := c.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if !isKey.MatchString(name) {
		return nil
	}
	return []edit{{c.Args[len(c.Args)-2].End(), c.Args[len(c.Args)-1].End(), ""}}
}

// otherNames are words with an opposite: roundings, orders, borders.
var otherNames = map[string]string{
	"min": "max", "max": "min", "Floor": "Ceil", "Ceil": "Floor", "RoundToEven": "Trunc", "Trunc": "Ceil",
	"NearestEven": "Zero", "PositiveInf": "NegativeInf", "NegativeInf": "PositiveInf", "true": "false", "false": "true",
	"MaxInt64": "MaxInt32", "MinInt64": "MinInt32", "HasPrefix": "HasSuffix", "HasSuffix": "HasPrefix",
}

func otherName(_ *file, n ast.Node) []edit {
	id, ok := n.(*ast.Ident)
	if !ok || otherNames[id.Name] == "" {
		return nil
	}
	return []edit{{id.Pos(), id.End(), otherNames[id.Name]}}
}

func assignment(_ *file, n ast.Node) []edit {
	s, ok := n.(*ast.AssignStmt)
	if !ok || s.Tok == token.ASSIGN || s.Tok == token.DEFINE {
		return nil
	}
	return []edit{{s.TokPos, s.TokPos + token.Pos(len(s.Tok.String())), "="}}
}

// isBug is whether a node is a panic that says that cuTile has a mistake. No test can see its text.
func isBug(n ast.Node) bool {
	if s, ok := n.(*ast.ExprStmt); ok {
		n = s.X
	}
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 {
		return false
	}
	if !isName(c.Fun, "panic") {
		return false
	}
	text := ""
	ast.Inspect(c.Args[0], func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && text == "" {
			text = lit.Value
		}
		return text == ""
	})
	return len(text) > 1 && strings.HasPrefix(text[1:], "BUG:")
}

// isUnread is whether a return gives an error, or says that there is nothing: what stands beside is read by nobody.
func isUnread(n ast.Node) bool {
	s, ok := n.(*ast.ReturnStmt)
	if !ok || len(s.Results) < 2 {
		return false
	}
	for _, r := range s.Results[:len(s.Results)-1] {
		switch r := r.(type) {
		case *ast.BasicLit, *ast.Ident:
		case *ast.CompositeLit:
			if len(r.Elts) > 0 {
				return false
			}
		default:
			return false
		}
	}
	switch last := s.Results[len(s.Results)-1].(type) {
	case *ast.Ident:
		return last.Name == "err" || last.Name == "false"
	case *ast.CallExpr:
		sel, ok := last.Fun.(*ast.SelectorExpr)
		return ok && (sel.Sel.Name == "Errorf" || sel.Sel.Name == "New" && isName(sel.X, "errors"))
	}
	return false
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// apply gives the text of a file with an edit, and the lines before and after.
func (f *file) apply(e edit) (text, before, after string) {
	from, to := f.offset(e.from), f.offset(e.to)
	text = f.text[:from] + e.text + f.text[to:]
	start := strings.LastIndexByte(f.text[:from], '\n') + 1
	line := func(s string) string {
		s, _, _ = strings.Cut(s[start:], "\n")
		return strings.TrimSpace(s)
	}
	return text, line(f.text), line(text)
}
