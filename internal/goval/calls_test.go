package goval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
)

// TestWhere: a mistake belongs to the program's own code, and the calls on the way to it are the program's own, too, also where the
// language calls a function of the program.
func TestWhere(t *testing.T) {
	type call = goval.Call
	for _, c := range []struct {
		name  string
		calls []call
		at    int
		want  string
	}{
		{"entry", []call{{At: pos(1)}}, 5, "5"},
		{"call", []call{{At: pos(1)}, {At: pos(2)}, {At: pos(3)}}, 5, "5 3 2"},
		{"language", []call{{At: pos(1)}, {At: pos(2), Lang: true}}, 5, "2"},
		{"inside the language", []call{{At: pos(1)}, {At: pos(2)}, {At: pos(3), Lang: true}, {At: pos(4), Lang: true}}, 5, "3 2"},
		{"called by the language", []call{{At: pos(1)}, {At: pos(2), Lang: true}, {At: pos(3), Lang: true}, {At: pos(4)}}, 5, "5 2"},
		{"no call", nil, 5, "5"},
	} {
		r := reporter(limit.Limits{})
		r.Calls = c.calls
		e := r.Mistake(pos(c.at), "wrong")
		got := fmt.Sprint(e.Pos.Line)
		for _, p := range e.Calls {
			got += fmt.Sprint(" ", p.Line)
		}
		if got != c.want {
			t.Errorf("%s: lines %s, want %s", c.name, got, c.want)
		}
	}
}

// TestEnter: functions that call each other without end are a mistake at the call that begins anew.
func TestEnter(t *testing.T) {
	call := func(name string, at int) goval.Call { return goval.Call{Name: name, At: pos(at), Body: name} }
	const within = ": a recursion must end by x, within 100 nested calls"
	for _, c := range []struct {
		name  string
		calls func(n int) goval.Call // call n
		want  string
	}{
		{"deep", func(n int) goval.Call { return call(fmt.Sprint("f", n), 4) }, "4: more than 100 nested calls, 99 calls"},
		{"itself", func(n int) goval.Call { return call("f", min(n, 2)+1) }, "2: f calls itself" + within + ", 1 calls"},
		{"circle", func(n int) goval.Call { return call([]string{"f", "g", "h"}[n%3], n%3+1) },
			"1: h calls f, which calls g, which calls h" + within + ", 3 calls"},
	} {
		r := &goval.Reporter{Meter: limit.NewMeter(t.Context(), limit.Limits{})}
		r.Enter(goval.Call{Name: "kernel", At: pos(9), Entry: true, Body: "kernel"}, "x")
		left := 0
		r.Try(true, func() { left++ }, func() {
			for n := range 2 * goval.MaxDepth {
				r.Enter(c.calls(n), "x")
			}
		})
		if len(r.Errs) != 1 || left != 1 {
			t.Fatalf("%s: got %v", c.name, r.Errs)
		}
		e := r.Errs[0]
		if got := fmt.Sprintf("%d: %s, %d calls", e.Pos.Line, e.Msg, len(e.Calls)); got != c.want || e.Stage != diag.Lower {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	r := reporter(limit.Limits{})
	leave := r.Enter(call("g", 4), "x")
	if leave(); len(r.Calls) != 2 || !strings.HasPrefix(r.Calls[1].Name, "f") {
		t.Errorf("after a call: %v", r.Calls)
	}
}
