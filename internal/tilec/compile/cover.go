package compile

import (
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/cover"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/tileir"
)

// coverage implements [lower.Cover] by package cover, for one kernel.
type coverage struct{}

// Mark implements [lower.Cover]: by prints, which engines that record coverage take for what they are.
func (coverage) Mark(at tileir.Loc) (string, *tileir.Op) {
	mark := string(cover.New())
	return mark, tileir.NewOp(tileir.Lookup("print_tko"), nil, []tileir.Attr{tileir.String(mark)}, []tileir.Type{tileir.Token}, nil, at)
}

// Place implements [lower.Cover].
func (coverage) Place(mark string, pkg *world.Pkg, s ast.Stmt) {
	if u, ok := unitsOf(pkg.Src)[s]; ok {
		u.of.known() // with what is not compiled, as a constant decides
		cover.Mark(mark).Place(u.at)
	}
}

// unit is a statement that counts.
type unit struct {
	of *covered
	at cover.Stmt
}

// covered is a function, or a literal in a function of the host, such as what a launch gives a kernel.
type covered struct {
	once     sync.Once
	stmts    []cover.Stmt
	literals []*covered // of a declared function
}

// known makes the statements count, whether they run or not.
func (c *covered) known() {
	c.once.Do(func() { cover.Known(c.stmts) })
	for _, l := range c.literals {
		l.known()
	}
}

// packageUnits has the statements of packages that count: *source.Package to map[ast.Stmt]unit.
var packageUnits sync.Map

// unitsOf gives those of a package. Functions that look like code of devices count from then on, whether a program launches them or not.
func unitsOf(p *source.Package) map[ast.Stmt]unit {
	if u, ok := packageUnits.Load(p); ok {
		return u.(map[ast.Stmt]unit)
	}
	units := map[ast.Stmt]unit{}
	for _, file := range p.Files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if c := addUnits(units, p, fn); ofDevice(file, fn) {
				c.known()
			}
		}
	}
	kept, _ := packageUnits.LoadOrStore(p, units)
	return kept.(map[ast.Stmt]unit)
}

// addUnits adds the statements of a function.
func addUnits(units map[ast.Stmt]unit, p *source.Package, fn *ast.FuncDecl) *covered {
	name := fn.Name.Name
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		name = source.TypeName(fn.Recv.List[0].Type) + "." + name
	}
	whole := &covered{}
	parts := map[ast.Stmt]bool{} // of other statements, which do not count by themselves
	var walk func(c *covered, n ast.Node)
	walk = func(c *covered, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok && c == whole {
				l := &covered{}
				whole.literals = append(whole.literals, l)
				walk(l, lit.Body)
				return false
			}
			s, ok := n.(ast.Stmt)
			if !ok {
				return true
			}
			for _, part := range partsOf(s) {
				parts[part] = true
			}
			if to := endOf(s); to != token.NoPos && !parts[s] {
				from, end := source.Fset.Position(s.Pos()), source.Fset.Position(to)
				at := cover.Stmt{Func: name, File: fileOf(p, from.Filename), Line: from.Line, Col: from.Column, ToLine: end.Line, ToCol: end.Column}
				c.stmts = append(c.stmts, at)
				units[s] = unit{c, at}
			}
			return true
		})
	}
	walk(whole, fn.Body)
	return whole
}

// fileOf names a file as coverage profiles of Go do: by the import path of its package, or as a whole path where that is not known.
func fileOf(p *source.Package, name string) string {
	if p.Path == "main" {
		return filepath.ToSlash(name)
	}
	return path.Join(p.Path, filepath.Base(name))
}

// partsOf are the statements in the head of another one, and those that end the clauses of a switch and do nothing there.
func partsOf(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		switch of := s.Stmt.(type) {
		case *ast.SwitchStmt:
			return clauseEnds(of.Body, s.Label.Name)
		case *ast.TypeSwitchStmt:
			return clauseEnds(of.Body, s.Label.Name)
		}
	case *ast.IfStmt:
		return []ast.Stmt{s.Init}
	case *ast.ForStmt:
		return []ast.Stmt{s.Init, s.Post}
	case *ast.SwitchStmt:
		return append(clauseEnds(s.Body, ""), s.Init)
	case *ast.TypeSwitchStmt:
		return append(clauseEnds(s.Body, ""), s.Init, s.Assign)
	}
	return nil
}

// clauseEnds are the statements fallthrough, and break with a label or without one, at the ends of a switch's clauses.
func clauseEnds(body *ast.BlockStmt, label string) (list []ast.Stmt) {
	for _, c := range body.List {
		clause := c.(*ast.CaseClause).Body
		if len(clause) == 0 {
			continue
		}
		end, ok := clause[len(clause)-1].(*ast.BranchStmt)
		if ok && (end.Tok == token.FALLTHROUGH || end.Tok == token.BREAK && (end.Label == nil && label == "" || end.Label != nil && end.Label.Name == label)) {
			list = append(list, end)
		}
	}
	return list
}

// endOf is where the part of a statement ends that is one of its own: that in front of its block, or of the body of a function in it. It is
// not a position for what has none, as only the statements in it run, or as it declares what is no value.
func endOf(s ast.Stmt) token.Pos {
	switch s := s.(type) {
	case *ast.IfStmt:
		return s.Body.Lbrace
	case *ast.ForStmt:
		return s.Body.Lbrace
	case *ast.RangeStmt:
		return s.Body.Lbrace
	case *ast.SwitchStmt:
		return s.Body.Lbrace
	case *ast.TypeSwitchStmt:
		return s.Body.Lbrace
	case *ast.BlockStmt, *ast.CaseClause, *ast.LabeledStmt, *ast.EmptyStmt:
		return token.NoPos
	case *ast.DeclStmt:
		if s.Decl.(*ast.GenDecl).Tok != token.VAR {
			return token.NoPos
		}
	}
	end := s.End()
	ast.Inspect(s, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			end = min(end, f.Body.Lbrace)
		}
		return true
	})
	return end
}

// tileCode are the packages whose types only tile kernels have. Package dtype, of the language too, has types for code of any kind.
var tileCode = []string{"github.com/cutile-go/cutile/tile", "github.com/cutile-go/cutile/tile/op"}

// ofDevice reports whether a function looks like code of tile kernels: whether its parameters or results are of types of package tile, and none of
// another package that imports it, as those of functions that launch kernels are.
func ofDevice(file *ast.File, fn *ast.FuncDecl) bool {
	tiles, others := map[string]bool{}, map[string]bool{}
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		src := langsrc.Lookup(p)
		lang := src != nil && src.Lang
		tiles[name] = lang && slices.Contains(tileCode, p)
		others[name] = !lang && strings.HasPrefix(name, "cutile")
	}
	found, host := false, false
	ast.Inspect(fn.Type, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				found, host = found || tiles[x.Name], host || others[x.Name]
			}
		}
		return true
	})
	return found && !host
}
