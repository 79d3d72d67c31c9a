package simt_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// TestArchFor: the architecture that code is made for, on GPUs of the table and on others.
func TestArchFor(t *testing.T) {
	for _, c := range []struct{ gpu, want string }{
		{"sm_90", "sm_90a"}, {"sm_80", "sm_80"}, {"sm_100", "sm_100a"}, {"gfx90", "gfx90"}, {"sm_999", newest(999)}, {"sm_81", newest(81)},
		{"sm_85", newest(85)}, {"sm_79", newest(79)},
	} {
		if got := simt.ArchFor(c.gpu); got != c.want {
			t.Errorf("%s: %s, want %s", c.gpu, got, c.want)
		}
	}
}

// newest is the newest target below a generation that runs on what comes after it; the GPU itself where there is none.
func newest(sm int) string {
	best, name := 0, "sm_79"
	for _, a := range simt.Targets() {
		if a.SM < sm && a.SM > best && a.Name[len(a.Name)-1] != 'a' {
			best, name = a.SM, a.Name
		}
	}
	return name
}
