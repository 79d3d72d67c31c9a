package goval_test

import (
	"context"
	"errors"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
)

// compiler is a compiler that is at line 7 of a file, in a function that was called at line 3.
type compiler struct{ called string }

func line(n int) token.Position { return token.Position{Filename: "k.go", Line: n, Column: 1} }

func (compiler) Here() token.Pos { return 7 }

func (compiler) Where(pos token.Pos) (token.Position, []token.Position) {
	return line(int(pos)), []token.Position{line(3)}
}

func (c compiler) Called() (string, token.Position) { return c.called, line(3) }

func reporter(l limit.Limits) *goval.Reporter {
	return &goval.Reporter{Compiler: compiler{"f"}, Meter: limit.NewMeter(context.Background(), l)}
}

// TestTry: what each panic leaves in the list, and that what it changed is restored.
func TestTry(t *testing.T) {
	r := reporter(limit.Limits{})
	for _, c := range []struct {
		name string
		f    func()
		want string // the new mistakes
	}{
		{"nothing", func() {}, ""},
		{"bailout without a reason", func() { panic(goval.Bailout{}) }, "7 this cannot be compiled"},
		{"bailout", func() { panic(goval.Bailout{}) }, ""},
		{"fail", func() { r.Fail(9, "no %s of %d", types.Typ[types.Int8], 4) }, "9 no int8 of 4"},
		{"must", func() { r.Must(true, 9, "fine"); r.Must(false, 9, "wrong") }, "9 wrong"},
		{"list", func() { panic(diag.List{r.Mistake(1, "a"), r.Mistake(2, "b")}) }, "1 a, 2 b"},
		{"endless", func() { r.Deep(5, nil, "") }, "5 more than 100 calls inside one another"},
		{"itself", func() { r.Deep(5, []string{"f"}, "x") }, "5 f calls itself: a recursion must end by x, within 100 calls inside one another"},
		{"circle", func() { r.Deep(5, []string{"f", "g", "h"}, "x") },
			"5 f calls g, which calls h, which calls f: a recursion must end by x, within 100 calls inside one another"},
	} {
		before, undone := len(r.Errs), false
		ok := r.Try(true, func() { undone = true }, c.f)
		var got []string
		for _, e := range r.Errs[before:] {
			got = append(got, strings.TrimPrefix(e.Pos.String(), "k.go:")[:1]+" "+e.Msg)
			if len(e.Calls) != 1 || e.Calls[0] != line(3) || e.Stage != diag.Lower {
				t.Errorf("%s: %v in stage %s", c.name, e, e.Stage)
			}
		}
		if strings.Join(got, ", ") != c.want || ok != (c.name == "nothing") || undone == ok {
			t.Errorf("%s: got %q, ok %v, undone %v; want %q", c.name, got, ok, undone, c.want)
		}
	}
}

// TestTryPasses: what is none of a statement's, and a recursion on the way out of it, goes on.
func TestTryPasses(t *testing.T) {
	r := reporter(limit.Limits{})
	for _, want := range []any{goval.Endless{}, goval.Halt{}, "BUG: a fault"} {
		var got any
		func() {
			defer func() { got = recover() }()
			r.Try(false, func() { t.Errorf("%v: undone", want) }, func() { panic(want) })
		}()
		if got != want || len(r.Errs) != 0 {
			t.Errorf("got %v and %v, want %v", got, r.Errs, want)
		}
	}
}

// TestSpend: too much work ends the program with every mistake so far, at its own statement, and the context's end with that.
func TestSpend(t *testing.T) {
	r := reporter(limit.Limits{Calls: 3})
	err := r.Run(func() {
		r.Try(true, func() {}, func() { r.Fail(1, "wrong") })
		r.Spend(limit.Calls, 4)
	})
	var list diag.List
	if !errors.As(err, &list) || len(list) != 2 || list[1].Pos != line(3) || list[1].Calls != nil ||
		!strings.HasPrefix(list[1].Msg, "the call of f takes more than 3 ") {
		t.Errorf("got %v", err)
	}
	r = reporter(limit.Limits{Calls: 3})
	r.Compiler = compiler{}
	if err := r.Run(func() { r.Spend(limit.Calls, 4) }); err == nil || !strings.HasPrefix(err.Error(), "k.go:7:1: this takes more than 3 ") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r = &goval.Reporter{Compiler: compiler{}, Meter: limit.NewMeter(ctx, limit.Limits{})}
	err = r.Run(func() {
		for {
			r.Spend(limit.Calls, 0)
		}
	})
	if err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if err := reporter(limit.Limits{}).Run(func() {}); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestTurns: turns of loops in one another count together, those of loops after one another do not.
func TestTurns(t *testing.T) {
	r := reporter(limit.Limits{Unrolled: 4})
	loop := func(turns int, body func()) {
		defer r.Unroll()()
		for range turns {
			r.Turn()
			body()
		}
	}
	nothing := func() {}
	if err := r.Run(func() { loop(4, nothing); loop(4, nothing) }); err != nil {
		t.Errorf("got %v", err)
	}
	err := r.Run(func() { loop(2, func() { loop(2, nothing) }) })
	if err == nil || !strings.Contains(err.Error(), "takes more than 4 turns of unrolled loops, those of the loops in it counted: "+limit.Hint("Unrolled")) {
		t.Errorf("got %v", err)
	}
	if err := r.Run(func() { loop(4, nothing) }); err != nil {
		t.Errorf("after a halt: %v", err)
	}
}

// TestInstead: what holds at every level comes before what one level has.
func TestInstead(t *testing.T) {
	level := map[string]string{"close": "meet at barriers", "print": "use Print"}
	for name, want := range map[string]string{
		"close": "there are no channels on a device; meet at barriers", "print": "use Print", "len": "",
		"imag": "there are no complex numbers on a device; hold the two parts in variables of their own",
	} {
		if got := goval.Instead(name, level); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
