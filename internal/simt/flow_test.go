package simt_test

import (
	"testing"

	. "github.com/cutile-go/cutile/internal/simt"
)

// TestAlways has functions with an instruction on each path, or only on some.
func TestAlways(t *testing.T) {
	const op = "griddepcontrol.wait"
	branch := func(b *Builder, both bool, after func()) {
		p, end := b.Value(Pred, "setp.eq.s32", S("%laneid"), I(0)), b.NewLabel()
		b.BranchIf(p.Reg, false, end)
		b.Emit(op, nil)
		if both {
			done := b.NewLabel()
			b.Branch(done)
			b.Place(end)
			b.Emit(op, nil)
			b.Place(done)
		} else {
			b.Place(end)
		}
		after()
	}
	for name, c := range map[string]struct {
		body func(b *Builder)
		want bool
	}{
		"never":          {func(b *Builder) {}, false},
		"at once":        {func(b *Builder) { b.Emit(op, nil) }, true},
		"in one branch":  {func(b *Builder) { branch(b, false, func() {}) }, false},
		"in both":        {func(b *Builder) { branch(b, true, func() {}) }, true},
		"after a branch": {func(b *Builder) { branch(b, false, func() { b.Emit(op, nil) }) }, true},
		"under a guard":  {func(b *Builder) { b.Emit(op, nil); b.Func.Body[0].Guard = b.NewReg(Pred) }, false},
		"behind an end":  {func(b *Builder) { b.Emit("ret", nil); b.Emit(op, nil) }, false},
		"in a loop's head": {func(b *Builder) {
			head := b.NewLabel()
			b.Place(head)
			b.Emit(op, nil)
			p := b.Value(Pred, "setp.eq.s32", S("%laneid"), I(0))
			b.BranchIf(p.Reg, false, head)
		}, true},
	} {
		b := &Builder{Func: &Func{Name: "k", Block: [3]int{32, 1, 1}}}
		c.body(b)
		b.Emit("ret", nil)
		if got := Always(b.Func, op); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
