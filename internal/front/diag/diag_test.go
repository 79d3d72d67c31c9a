package diag_test

import (
	"go/token"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/diag"
)

// TestLongWayIsCut: a message lists both ends of a long way from the kernel, and a short one whole.
func TestLongWayIsCut(t *testing.T) {
	for _, c := range []struct {
		calls, listed int
		cut           string
	}{{1, 1, ""}, {9, 9, ""}, {10, 8, "(2 more calls)"}, {64, 8, "(56 more calls)"}} {
		e := &diag.Error{Msg: "f calls itself", Calls: make([]token.Position, c.calls)}
		for i := range e.Calls {
			e.Calls[i] = token.Position{Filename: "f.go", Line: i + 1, Column: 1}
		}
		text := e.Error()
		if strings.Count(text, "called at") != c.listed || !strings.Contains(text, c.cut) || strings.Contains(text, "more calls") != (c.cut != "") {
			t.Errorf("%d calls:\n%s", c.calls, text)
		}
		for _, end := range []token.Position{e.Calls[0], e.Calls[c.calls-1]} {
			if !strings.Contains(text, "called at "+end.String()) {
				t.Errorf("%d calls: no %v in\n%s", c.calls, end, text)
			}
		}
	}
}
