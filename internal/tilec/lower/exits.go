package lower

import (
	"go/ast"
	"go/token"
	"slices"
	"sync"
)

// Exits are what leaves a statement other than at its end: return, break and continue. Tile IR can
// leave only the innermost loop, and only with break or continue. Every other exit sets the exit
// cell of the frame to a code and leaves what it can. The cell is merged as any other variable, and
// tested where the next statements must not run. As long as it is a constant, as in functions
// without such exits, nothing needs a test.

// exitReturn is the code of a return. The code 0 stands for no exit.
const exitReturn = 1

// exit is the meaning of a code: a break or continue of a statement, or a return, which has no
// statement.
type exit struct {
	of  ast.Stmt
	tok token.Token
}

// exits describes the exits in the body of a function.
type exits struct {
	cell    bool // some exit may need the exit cell
	codes   []exit
	branch  map[*ast.BranchStmt]int // the code of a break or continue
	escapes map[ast.Stmt][]int      // codes that leave a statement
	broken  map[ast.Stmt]bool       // the statement has a break other than as the last statement of a case
}

// bodies keeps the exits of every body, as a function is inlined many times. It maps *ast.BlockStmt
// to *exits.
var bodies sync.Map // of *ast.BlockStmt to *exits

// exitsOf gives the exits of a body. A return at its very end needs no cell.
func exitsOf(body *ast.BlockStmt) *exits {
	if x, ok := bodies.Load(body); ok {
		return x.(*exits)
	}
	// The code 0 is no exit, and the code 1 a return.
	x := &exits{
		codes: []exit{{}, {tok: token.RETURN}}, branch: map[*ast.BranchStmt]int{}, escapes: map[ast.Stmt][]int{},
		broken: map[ast.Stmt]bool{},
	}
	// A return as the last statement of the body is not an exit: control comes to the end there.
	w := &exitWalk{exits: x}
	for i, s := range body.List {
		if _, ok := s.(*ast.ReturnStmt); !ok || i < len(body.List)-1 {
			x.cell = len(w.stmt(s)) > 0 || x.cell
		}
	}
	// A break or continue may need the cell, as an unrolled loop has no other way to leave a
	// branch.
	x.cell = x.cell || len(x.branch) > 0
	bodies.Store(body, x)
	return x
}

// code gives the code of a break or continue of a statement, and makes one if there is none.
func (x *exits) code(of ast.Stmt, tok token.Token) int {
	e := exit{of, tok}
	if i := slices.Index(x.codes, e); i >= 0 {
		return i
	}
	x.codes = append(x.codes, e)
	return len(x.codes) - 1
}

// has reports whether a statement has such a break or continue, and gives its code.
func (x *exits) has(of ast.Stmt, tok token.Token) (code int, ok bool) {
	i := slices.Index(x.codes, exit{of, tok})
	return i, i > 0
}

// leaves reports whether a loop can be left other than by its condition.
func (x *exits) leaves(loop ast.Stmt) bool {
	_, breaks := x.has(loop, token.BREAK)
	return breaks || len(x.escapes[loop]) > 0
}

// exitWalk gathers the exits of a body.
type exitWalk struct {
	*exits
	around []ast.Stmt // the loops and switches around the current statement
	labels map[string]ast.Stmt
	label  string // the label of the next statement
	last   *ast.BranchStmt
}

// stmt gives the codes of the exits that leave a statement.
func (w *exitWalk) stmt(s ast.Stmt) (out []int) {
	// The label belongs to the statement that follows it, and to none inside.
	label := w.label
	w.label = ""
	add := func(s ast.Stmt) {
		if s != nil {
			out = union(out, w.stmt(s))
		}
	}
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return []int{exitReturn}
	case *ast.BranchStmt:
		return w.jump(s)
	case *ast.LabeledStmt:
		w.label = s.Label.Name
		add(s.Stmt)
	case *ast.BlockStmt:
		for _, b := range s.List {
			add(b)
		}
	case *ast.IfStmt:
		add(s.Body)
		add(s.Else)
	// A loop may catch the breaks and continues in its body.
	case *ast.ForStmt:
		return w.inside(s, label, func() { out = w.stmt(s.Body) }, &out)
	case *ast.RangeStmt:
		return w.inside(s, label, func() { out = w.stmt(s.Body) }, &out)
	case *ast.SwitchStmt:
		return w.inside(s, label, func() { out = w.cases(s.Body) }, &out)
	case *ast.TypeSwitchStmt:
		return w.inside(s, label, func() { out = w.cases(s.Body) }, &out)
	}
	if len(out) > 0 {
		w.escapes[s] = out
	}
	return out
}

// cases gives the codes that leave the clauses of a switch. It notes the last statement of each
// clause, as a break there is no exit: it ends the clause anyway.
func (w *exitWalk) cases(body *ast.BlockStmt) (out []int) {
	for _, c := range body.List {
		list := c.(*ast.CaseClause).Body
		for i, b := range list {
			// Only a break that ends a clause is harmless.
			w.last = nil
			if i == len(list)-1 {
				w.last, _ = b.(*ast.BranchStmt)
			}
			out = union(out, w.stmt(b))
		}
	}
	return out
}

// inside walks the body of a loop or switch. An exit that belongs to the statement itself does not
// leave it.
func (w *exitWalk) inside(s ast.Stmt, label string, walk func(), out *[]int) []int {
	w.around = append(w.around, s)
	if label != "" {
		if w.labels == nil {
			w.labels = map[string]ast.Stmt{}
		}
		// A break or continue inside may name the statement by this label.
		w.labels[label] = s
	}
	walk()
	w.around = w.around[:len(w.around)-1]
	// Its own breaks and continues end at the statement.
	*out = slices.DeleteFunc(*out, func(code int) bool { return w.codes[code].of == s })
	if len(*out) > 0 {
		w.escapes[s] = *out
	}
	return *out
}

// jump finds the statement that a break or continue belongs to.
func (w *exitWalk) jump(s *ast.BranchStmt) []int {
	if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
		return nil
	}
	var of ast.Stmt
	if s.Label != nil {
		of = w.labels[s.Label.Name]
	}
	for i := len(w.around) - 1; i >= 0 && of == nil && s.Label == nil; i-- {
		// Without a label, break leaves the innermost loop or switch, and continue the innermost
		// loop.
		if s.Tok == token.BREAK || isLoop(w.around[i]) {
			of = w.around[i]
		}
	}
	if of == nil {
		return nil // the Go compiler refuses it
	}
	code := w.code(of, s.Tok)
	w.branch[s] = code
	if w.last != s || of != w.around[len(w.around)-1] {
		w.broken[of] = true
	}
	return []int{code}
}

// isLoop reports whether a statement is a loop.
func isLoop(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// union appends the codes of b that a does not have.
func union(a, b []int) []int {
	for _, n := range b {
		if !slices.Contains(a, n) {
			a = append(a, n)
		}
	}
	return a
}

// ends counts the paths on which control comes to the end of a list of statements: 0, 1, or 2 for
// several. If there is at most one, what follows can be lowered into it, and needs no test of the
// exit cell.
func (x *exits) ends(list []ast.Stmt, of ast.Stmt) int {
	for i, s := range list {
		n := x.endsOf(s, of)
		// Control never comes to the statements behind this one.
		if n == 0 {
			return 0
		}
		// The last statement decides how many paths come to the end of the list.
		if i == len(list)-1 && len(x.escapes[s]) > 0 {
			return n
		}
	}
	return 1
}

// endsOf counts the paths to the end of a statement. of is the switch whose clause has the
// statement last, or nil.
func (x *exits) endsOf(s, of ast.Stmt) int {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return 0
	case *ast.BranchStmt:
		if code := x.branch[s]; code > 0 && x.codes[code] == (exit{of, token.BREAK}) || s.Tok == token.FALLTHROUGH {
			return 1
		}
		return 0
	case *ast.LabeledStmt:
		return x.endsOf(s.Stmt, of)
	case *ast.BlockStmt:
		return x.ends(s.List, nil)
	case *ast.IfStmt:
		n := x.ends(s.Body.List, nil)
		if s.Else == nil {
			// Without an else, one path goes past the if.
			return min(n+1, 2)
		}
		return min(n+x.endsOf(s.Else, nil), 2)
	case *ast.SwitchStmt:
		return x.endsOfCases(s, s.Body)
	case *ast.TypeSwitchStmt:
		return x.endsOfCases(s, s.Body)
	}
	return 1
}

// endsOfCases counts the paths to the end of a switch. Without a default clause one path passes all
// clauses by.
func (x *exits) endsOfCases(s ast.Stmt, body *ast.BlockStmt) int {
	// A break from inside of a clause is one more path to the end.
	if x.broken[s] {
		return 2
	}
	n, all := 0, false
	for _, c := range body.List {
		cc := c.(*ast.CaseClause)
		// Each clause may come to the end of the switch.
		n += x.ends(cc.Body, s)
		all = all || cc.List == nil
	}
	if !all {
		n++
	}
	return min(n, 2)
}
