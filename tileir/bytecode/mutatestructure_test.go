package bytecode_test

import (
	"fmt"
	"slices"

	. "github.com/cutile-go/cutile/tileir"
)

func removeOperation(u *mutant) string {
	s, ok := u.anyOp(nil)
	if !ok {
		return ""
	}
	s.block.Ops = slices.Delete(s.block.Ops, s.index, s.index+1)
	return fmt.Sprintf("number %d", s.index)
}

func moveOperation(u *mutant) string {
	s, ok := u.anyOp(func(s site) bool { return len(s.block.Ops) > 1 })
	if !ok {
		return ""
	}
	to, into := u.rnd.IntN(len(s.block.Ops)), s.block
	s.block.Ops = slices.Delete(s.block.Ops, s.index, s.index+1)
	if other := pick(u.rnd, u.sites).block; u.rnd.IntN(4) == 0 && len(other.Ops) > 0 && !inside(s.op, other) {
		into, to = other, u.rnd.IntN(len(other.Ops))
	}
	into.Ops = slices.Insert(into.Ops, to, s.op)
	return fmt.Sprintf("from %d to %d", s.index, to)
}

// inside reports whether a block lies in an operation.
func inside(o *Op, b *Block) bool {
	return slices.ContainsFunc(o.Regions, func(r *Block) bool {
		return r != nil && (r == b || slices.ContainsFunc(r.Ops, func(x *Op) bool { return inside(x, b) }))
	})
}

func repeatOperation(u *mutant) string {
	s, ok := u.anyOp(func(s site) bool { return len(s.op.Regions) == 0 })
	if !ok {
		return ""
	}
	o := s.op
	again := NewOp(o.Info, groups(o), slices.Clone(o.Attrs), typesOfValues(o.Results), nil, o.Loc)
	s.block.Ops = slices.Insert(s.block.Ops, u.rnd.IntN(len(s.block.Ops)+1), again)
	return fmt.Sprintf("number %d", s.index)
}

func typesOfValues(vs []*Value) []Type {
	var out []Type
	for _, v := range vs {
		out = append(out, v.Type)
	}
	return out
}

// addOperation puts a sample of some operation somewhere.
func addOperation(u *mutant) string {
	s, ok := u.anyOp(nil)
	in := pick(u.rnd, bodyInfos())
	if !ok || len(samples[in.Mnemonic]) == 0 {
		return ""
	}
	b := &builder{block: &Block{}}
	u.target = b.add(in.Mnemonic, pick(u.rnd, samples[in.Mnemonic]))
	for i, o := range b.block.Ops {
		o.Loc = Loc{File: "added.go", Line: i + 1, Col: 1}
	}
	at := s.index + u.rnd.IntN(8)/7 // seldom after the last
	s.block.Ops = slices.Insert(s.block.Ops, at, b.block.Ops...)
	return fmt.Sprintf("at %d", at)
}

// replaceOperation makes an operation another that takes as many operands and attributes.
func replaceOperation(u *mutant) string {
	s, ok := u.anyOp(nil)
	if !ok {
		return ""
	}
	old := s.op.Info
	var like []*Info
	for _, in := range bodyInfos() {
		if in != old && len(in.Operands) == len(old.Operands) && len(in.Attrs) == len(old.Attrs) &&
			len(in.Results) == len(old.Results) && len(in.Regions) == len(old.Regions) {
			like = append(like, in)
		}
	}
	if len(like) == 0 {
		return ""
	}
	s.op.Info = pick(u.rnd, like)
	return "was " + old.Mnemonic
}

// wrapOperation puts a run of operations into an if, a loop or a for of their own.
func wrapOperation(u *mutant) string {
	s, ok := u.anyOp(func(s site) bool { return !s.op.Info.Terminator || u.rnd.IntN(8) == 0 })
	if !ok {
		return ""
	}
	n := min(1+u.rnd.IntN(3), len(s.block.Ops)-s.index)
	run := slices.Clone(s.block.Ops[s.index : s.index+n])
	kind := pick(u.rnd, []string{"if", "if", "loop", "for"})
	v, _ := u.fresh(s, map[string]Type{"if": Tile(I1), "loop": i32s, "for": i32s}[kind])
	at := slices.Index(s.block.Ops, s.op)
	end := NewOp(Lookup(map[string]string{"if": "yield", "loop": "break", "for": "continue"}[kind]), nil, nil, nil, nil, s.op.Loc)
	if u.rnd.IntN(6) == 0 {
		end.Info = Lookup(pick(u.rnd, []string{"return", "break", "continue", "yield"}))
	}
	body := &Block{Ops: append(run, end)}
	var wrap *Op
	switch kind {
	case "if":
		wrap = NewOp(Lookup(kind), one(v), nil, nil, []*Block{body, nil}, s.op.Loc)
	case "loop":
		wrap = NewOp(Lookup(kind), nil, nil, nil, []*Block{body}, s.op.Loc)
	case "for":
		body.Args = []*Value{{Type: i32s}}
		wrap = NewOp(Lookup(kind), one(v, v, v), nil, nil, []*Block{body}, s.op.Loc)
	}
	s.block.Ops = slices.Replace(s.block.Ops, at, at+n, wrap)
	return fmt.Sprintf("%d in %s", n, kind)
}

func isTerminator(s site) bool { return s.op.Info.Terminator }

func removeTerminator(u *mutant) string {
	s, ok := u.anyOp(isTerminator)
	if !ok {
		return ""
	}
	s.block.Ops = slices.Delete(s.block.Ops, s.index, s.index+1)
	return fmt.Sprintf("number %d", s.index)
}

func replaceTerminator(u *mutant) string {
	s, ok := u.anyOp(isTerminator)
	if !ok {
		return ""
	}
	old := s.op.Info
	s.op.Info = Lookup(pick(u.rnd, []string{"return", "break", "continue", "yield"}))
	if u.rnd.IntN(2) == 0 {
		regroup(s.op, nil)
	}
	return "was " + old.Mnemonic
}

// countResults adds or drops a result.
func countResults(u *mutant) string {
	s, ok := u.anyOp(nil)
	if !ok {
		return ""
	}
	o := s.op
	if n := len(o.Results); n > 0 && u.rnd.IntN(2) == 0 {
		i := u.rnd.IntN(n)
		o.Results = slices.Delete(slices.Clone(o.Results), i, i+1)
		return fmt.Sprintf("dropped %d", i)
	}
	t := pick(u.rnd, append(typesOfValues(o.Results), i32s, Type(Token)))
	o.Results = append(slices.Clone(o.Results), &Value{Type: t, Def: o})
	return fmt.Sprintf("added %v", t)
}

func hasRegions(s site) bool { return len(s.op.Regions) > 0 }

// changeRegion drops a region, copies one in place of another, or leaves a block nothing but its terminator.
func changeRegion(u *mutant) string {
	s, ok := u.anyOp(hasRegions)
	if !ok {
		return ""
	}
	i := u.rnd.IntN(len(s.op.Regions))
	switch r := s.op.Regions[i]; {
	case u.rnd.IntN(3) == 0:
		s.op.Regions[i] = nil
		return fmt.Sprintf("%d dropped", i)
	case r == nil || u.rnd.IntN(2) == 0:
		s.op.Regions[i] = region(nil, func(b *builder, _ []*Value) { b.op("yield", nil, nil) })
		return fmt.Sprintf("%d only yields", i)
	case len(r.Ops) > 0:
		r.Ops = r.Ops[len(r.Ops)-1:]
		return fmt.Sprintf("%d emptied", i)
	}
	return ""
}

// changeArguments adds, drops or swaps arguments of a block.
func changeArguments(u *mutant) string {
	s, ok := u.anyOp(hasRegions)
	if !ok {
		return ""
	}
	b := pick(u.rnd, s.op.Regions)
	if b == nil {
		return ""
	}
	n := len(b.Args)
	switch {
	case n > 1 && u.rnd.IntN(3) == 0:
		i, j := u.rnd.IntN(n), u.rnd.IntN(n)
		b.Args = slices.Clone(b.Args)
		b.Args[i], b.Args[j] = b.Args[j], b.Args[i]
		return fmt.Sprintf("swapped %d and %d", i, j)
	case n > 0 && u.rnd.IntN(2) == 0:
		i := u.rnd.IntN(n)
		b.Args = slices.Delete(slices.Clone(b.Args), i, i+1)
		return fmt.Sprintf("dropped %d", i)
	}
	t := pick(u.rnd, []Type{i32s, f32s, f32v, Token})
	b.Args = append(slices.Clone(b.Args), &Value{Type: t})
	return fmt.Sprintf("added %v", t)
}
