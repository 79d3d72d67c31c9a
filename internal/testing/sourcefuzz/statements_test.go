package sourcefuzz_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// gap gives a place between statements.
func (t *tree) gap() (pos token.Pos, in at, ok bool) {
	if len(t.lists) == 0 {
		return 0, in, false
	}
	l := pick(t.rng, t.lists)
	if i := t.rng.IntN(len(l.list) + 1); i < len(l.list) {
		return l.list[i].Pos(), l.in, true
	}
	return l.end, l.in, true
}

// run gives some statements that follow each other.
func (t *tree) run() []ast.Stmt {
	for range 5 {
		if len(t.lists) == 0 {
			return nil
		}
		l := pick(t.rng, t.lists)
		if len(l.list) == 0 {
			continue
		}
		if _, ok := l.list[0].(*ast.CaseClause); ok {
			continue
		}
		i := t.rng.IntN(len(l.list))
		n := 1 + t.rng.IntN(min(3, len(l.list)-i))
		return l.list[i : i+n]
	}
	return nil
}

func (t *tree) span(ss []ast.Stmt) (from, to int) {
	return t.off(ss[0].Pos()), t.off(ss[len(ss)-1].End())
}

func (t *tree) insert(pos token.Pos, format string, args ...any) []edit {
	at := t.off(pos)
	return []edit{{at, at, fmt.Sprintf(format, args...) + "\n"}}
}

func (t *tree) deletion() []edit {
	ss := t.run()
	if ss == nil {
		return nil
	}
	from, to := t.span(ss)
	return []edit{{from, to, ""}}
}

func (t *tree) repetition() []edit {
	ss := t.run()
	if ss == nil {
		return nil
	}
	from, to := t.span(ss)
	return []edit{{to, to, "\n" + t.text[from:to]}}
}

// move takes statements to another place, or copies them there.
func (t *tree) move() []edit {
	ss := t.run()
	pos, _, ok := t.gap()
	if ss == nil || !ok {
		return nil
	}
	from, to := t.span(ss)
	at := t.off(pos)
	if at >= from && at <= to {
		return nil
	}
	out := []edit{{at, at, t.text[from:to] + "\n"}}
	if !t.one(3) {
		out = append(out, edit{from, to, ""})
	}
	return out
}

// stmtWraps are forms around statements; %[1]s is these, %[2]s a condition, %[3]s a number, %[4]s a fresh name, %[5]s
// other statements.
var stmtWraps = []string{
	"if %[2]s {\n%[1]s\n}", "if %[2]s {\n%[1]s\n} else {\n%[5]s\n}", "if %[2]s {\n%[5]s\n} else if %[3]s > 2 {\n%[1]s\n}", "{\n%[1]s\n}",
	"for %[4]s := range %[3]s {\n_ = %[4]s\n%[1]s\n}", "for %[4]s := 0; %[4]s < %[3]s; %[4]s++ {\n%[1]s\n}", "for %[4]s := %[3]s; %[4]s > 0; %[4]s /= 2 {\n%[1]s\n}",
	"for {\n%[1]s\nbreak\n}", "for %[2]s {\n%[1]s\nbreak\n}", "for {\n%[1]s\nif %[2]s {\nbreak\n}\n}", "for range 2 {\n%[1]s\nif %[2]s {\ncontinue\n}\n%[5]s\n}",
	"%[4]s:\nfor range %[3]s {\nfor range 3 {\n%[1]s\nif %[2]s {\ncontinue %[4]s\n}\nif %[3]s > 1 {\nbreak %[4]s\n}\n}\n}",
	"for _, %[4]s := range []int{1, %[3]s, 3} {\n_ = %[4]s\n%[1]s\n}", "for _, %[4]s := range [2]int{} {\nif %[2]s {\ncontinue\n}\n_ = %[4]s\n%[1]s\n}",
	"switch {\ncase %[2]s:\n%[1]s\ndefault:\n%[5]s\n}", "switch %[3]s {\ncase 1, 2:\n%[1]s\nfallthrough\ncase 3:\n%[5]s\n}", "switch %[4]s := %[3]s; {\ncase %[4]s > 1:\n%[1]s\ncase %[2]s:\nbreak\n}",
	"func() {\n%[1]s\n}()", "%[4]s := func() {\n%[1]s\n}\n%[4]s()\nif %[2]s {\n%[4]s()\n}", "func() {\nif %[2]s {\nreturn\n}\n%[1]s\n}()",
	"for %[4]s := range %[3]s {\nfunc() {\nif %[4]s == 1 {\nreturn\n}\n%[1]s\n}()\n}", "defer func() {\n%[1]s\n}()", "go func() {\n%[1]s\n}()",
	"%[4]s := 0\nfor %[2]s {\n%[4]s++\nif %[4]s > %[3]s {\nbreak\n}\n%[1]s\n}", "for %[4]s := range uint8(%[3]s) {\n_ = %[4]s\n%[1]s\n}",
}

func (t *tree) wrappedStmt() []edit {
	ss := t.run()
	if ss == nil {
		return nil
	}
	from, to := t.span(ss)
	other := ""
	if o := t.run(); o != nil && t.movable(&ast.BlockStmt{Lbrace: o[0].Pos(), List: o, Rbrace: o[len(o)-1].End()}, ss[0].Pos()) {
		a, b := t.span(o)
		other = t.text[a:b]
	}
	pos := ss[0].Pos()
	return []edit{{from, to, fmt.Sprintf(pick(t.rng, stmtWraps)+"%[6]s", t.text[from:to], t.condition(pos), t.index(pos), t.fresh("v"), other, "")}}
}

// exit leaves a function, loop or switch early, mostly on a condition.
func (t *tree) exit() []edit {
	pos, in, ok := t.gap()
	if !ok {
		return nil
	}
	words := []string{"return"}
	if in.loop > 0 {
		words = append(words, "break", "continue", "break", "continue")
	}
	if in.sw > 0 {
		words = append(words, "break", "fallthrough")
	}
	word := pick(t.rng, words)
	if word == "return" {
		word = t.result(pos)
	}
	if t.one(8) {
		return t.insert(pos, "%s", word)
	}
	return t.insert(pos, "if %s {\n%s\n}", t.condition(pos), word)
}

// result is a return statement that fits the function around a place.
func (t *tree) result(pos token.Pos) string {
	var sig *types.Signature
	for _, n := range t.nodes {
		if lit, ok := n.(*ast.FuncLit); ok && lit.Body.Pos() < pos && pos <= lit.Body.End() {
			sig, _ = t.info.Types[lit].Type.(*types.Signature)
		}
	}
	if sig == nil {
		for _, o := range t.info.Defs {
			if f, ok := o.(*types.Func); ok && f.Scope() != nil && f.Scope().Contains(pos) {
				sig = f.Signature()
			}
		}
	}
	word := "return"
	if sig == nil {
		return word
	}
	for i := range sig.Results().Len() {
		word += map[bool]string{true: " ", false: ", "}[i == 0] + t.another(sig.Results().At(i).Type(), pos)
	}
	return word
}

// otherCondition exchanges the condition of a branch or loop.
func (t *tree) otherCondition() []edit {
	s, ok := choose(t, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.IfStmt:
			return true
		case *ast.ForStmt:
			return s.Cond != nil
		}
		return false
	})
	if !ok {
		return nil
	}
	cond := ast.Expr(nil)
	switch s := s.(type) {
	case *ast.IfStmt:
		cond = s.Cond
	case *ast.ForStmt:
		cond = s.Cond
	}
	if t.one(4) {
		return t.replace(cond, "!(%s)", t.src(cond))
	}
	return t.replace(cond, "%s", t.condition(cond.Pos()))
}

// loop changes the head of a loop over numbers.
func (t *tree) loop() []edit {
	s, ok := choose(t, func(s *ast.RangeStmt) bool { return basic(t.info.Types[s.X].Type) != 0 })
	if !ok {
		return nil
	}
	key := "_"
	if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" && s.Tok == token.DEFINE {
		key = id.Name
	} else {
		key = t.fresh("k")
	}
	heads := []string{
		"for %[1]s := 0; %[1]s < %[2]s; %[1]s++ ", "for %[1]s := 1; %[1]s <= %[2]s; %[1]s += 2 ", "for %[1]s := %[2]s; %[1]s > 0; %[1]s-- ",
		"for %[1]s := range 4 ", "for %[1]s := range %[3]s ", "for %[1]s := 0; %[1]s != %[2]s; %[1]s += 3 ", "for %[1]s := range []int{1, 2, 3} ",
		"for %[1]s := 0; ; %[1]s++ ", "for %[1]s := uint8(0); %[1]s < 10; %[1]s *= 3 ", "for %[1]s := %[2]s; %[1]s < %[3]s; %[1]s <<= 1 ",
	}
	return []edit{{t.off(s.Pos()), t.off(s.Body.Pos()), fmt.Sprintf(pick(t.rng, heads)+"%[4]s", key, t.src(s.X), t.index(s.Pos()), "")}}
}

// assignment sets a variable to an expression of its type.
func (t *tree) assignment() []edit {
	pos, _, ok := t.gap()
	if !ok {
		return nil
	}
	vs := t.visible(pos, func(types.Type) bool { return true })
	if len(vs) == 0 {
		return nil
	}
	v := pick(t.rng, vs)
	e := t.another(v.Type(), pos)
	if e == "" {
		e = v.Name()
	}
	if t.one(2) {
		return t.insert(pos, "if %s {\n%s = %s\n}", t.condition(pos), v.Name(), e)
	}
	return t.insert(pos, "%s = %s", v.Name(), e)
}

// declaration adds a variable, pointer, closure or struct over one that is there.
func (t *tree) declaration() []edit {
	pos, _, ok := t.gap()
	if !ok {
		return nil
	}
	vs := t.visible(pos, func(typ types.Type) bool { return t.spelled(typ) != "" })
	if len(vs) == 0 {
		return nil
	}
	v := pick(t.rng, vs)
	forms := []string{
		"var %[2]s %[3]s\nif %[5]s {\n%[2]s = %[1]s\n}\n%[1]s = %[2]s", "%[2]s := &%[1]s\n*%[2]s = %[4]s", "%[1]s := %[1]s\n_ = %[1]s",
		"%[2]s := func(w %[3]s) { %[1]s = w }\n%[2]s(%[4]s)", "%[2]s := struct{ n int; v %[3]s }{1, %[1]s}\nif %[5]s {\n%[2]s.v = %[4]s\n}\n%[1]s = %[2]s.v",
		"var %[2]s [2]%[3]s\n%[2]s[%[6]s] = %[1]s\n%[1]s = %[2]s[1]", "%[2]s := []%[3]s{%[1]s}\nfor range %[6]s {\n%[2]s = append(%[2]s, %[4]s)\n}\n%[1]s = %[2]s[len(%[2]s)-1]",
		"var %[2]s any = %[1]s\n%[1]s = %[2]s.(%[3]s)", "%[2]s, %[1]s := %[1]s, %[4]s\n_, _ = %[2]s, %[1]s",
		"%[2]s := make([]%[3]s, %[6]s)\ncopy(%[2]s, []%[3]s{%[1]s})\nclear(%[2]s)", "const %[2]s = 3\n_ = %[2]s << %[6]s",
		"var %[2]s func() %[3]s\n%[2]s = func() %[3]s { return %[1]s }\n%[1]s = %[2]s()",
		"%[2]s := map[int]%[3]s{}\n%[2]s[0] = %[1]s", "%[2]s := [...]*%[3]s{&%[1]s, nil}\n*%[2]s[%[6]s] = %[4]s",
	}
	e := t.another(v.Type(), pos)
	if e == "" {
		e = v.Name()
	}
	return t.insert(pos, pick(t.rng, forms)+"%[7]s", v.Name(), t.fresh("u"), t.spelled(v.Type()), e, t.condition(pos), t.index(pos), "")
}

// directive puts a directive above a function.
func (t *tree) directive() []edit {
	for _, l := range t.lists {
		if l.in.fn != nil {
			text := pick(t.rng, []string{"//cutile:entry occupancy=2", "//cutile:entry num_ctas=3", "//cutile:entry occupancy=", "//cutile:entry sm_90(num_ctas=2)",
				"//cutile:nochecks", "//cutile:op addf(x, y)", "//cutile:intrinsic rank", "//cutile:param in", "//cutile:state", "//cutile:operator + float", "//cutile:"})
			at := t.off(l.in.fn.Type.Func)
			return []edit{{at, at, text + "\n"}}
		}
	}
	return nil
}
