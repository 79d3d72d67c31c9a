package goval_test

import (
	"context"
	"errors"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
)

// file is the program that is compiled: at line 7, in function f, which line 3 calls.
var file = func() *token.File {
	f := source.Fset.AddFile("k.go", -1, 100)
	f.SetLines([]int{0, 10, 20, 30, 40, 50, 60, 70, 80, 90})
	return f
}()

func pos(n int) token.Pos { return file.LineStart(n) }

func line(n int) token.Position { return source.Fset.Position(pos(n)) }

func reporter(l limit.Limits) *goval.Reporter {
	r := &goval.Reporter{Meter: limit.NewMeter(context.Background(), l), Pos: pos(7)}
	r.Enter(goval.Call{Name: "kernel", Entry: true, Body: 0}, "")
	r.Enter(goval.Call{Name: "f", At: pos(3), Body: 1}, "")
	return r
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
		{"fail", func() { r.Fail(pos(9), "no %s of %d", types.Typ[types.Int8], 4) }, "9 no int8 of 4"},
		{"must", func() { r.Must(true, pos(9), "fine"); r.Must(false, pos(9), "wrong") }, "9 wrong"},
		{"list", func() { panic(diag.List{r.Mistake(pos(1), "a"), r.Mistake(pos(2), "b")}) }, "1 a, 2 b"},
	} {
		before, undone := len(r.Errs), false
		ok := r.Try(true, func() { undone = true }, c.f)
		var got []string
		for _, e := range r.Errs[before:] {
			got = append(got, strconv.Itoa(e.Pos.Line)+" "+e.Msg)
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
		r.Try(true, func() {}, func() { r.Fail(pos(1), "wrong") })
		r.Spend(limit.Calls, 4)
	})
	var list diag.List
	if !errors.As(err, &list) || len(list) != 2 || list[1].Pos != line(3) || list[1].Calls != nil ||
		!strings.HasPrefix(list[1].Msg, "the call of f takes more than 3 ") {
		t.Errorf("got %v", err)
	}
	r = &goval.Reporter{Meter: limit.NewMeter(context.Background(), limit.Limits{Calls: 3}), Pos: pos(7)}
	if err := r.Run(func() { r.Spend(limit.Calls, 4) }); err == nil || !strings.HasPrefix(err.Error(), "k.go:7:1: this takes more than 3 ") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r = &goval.Reporter{Meter: limit.NewMeter(ctx, limit.Limits{})}
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
	if err == nil || !strings.Contains(err.Error(), "takes more than 4 iterations of unrolled loops, counting nested loops: "+limit.Hint("Unrolled")) {
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
		"imag": "there are no complex numbers on a device; keep the two parts in separate variables",
	} {
		if got := goval.Instead(name, level); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
