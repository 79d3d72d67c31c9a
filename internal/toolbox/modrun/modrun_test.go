package modrun_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
)

// TestRun runs a module that has nothing but its text, and prints the array that it changes.
func TestRun(t *testing.T) {
	f, err := toolbox.ReadSound(strings.NewReader(`entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %t = make_token : token
  %u = store_ptr_tko weak %p, %n token = %t : tile<ptr<i32>>, tile<i32> -> token
  return
}
`), "-")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r := &modrun.Runner{Launch: &modrun.Launch{Args: []modrun.Argument{{Flag: "-arg", Text: "int32:"}, {Flag: "-arg", Text: "42"}}}, Print: true, Out: &out, Notes: &out}
	if err := r.SetGrid("1,1"); err != nil || r.Grid != [3]uint32{1, 1, 1} {
		t.Fatalf("got grid %v, %v", r.Grid, err)
	}
	if err := r.Run(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if want := "-arg int32:: int32 []\n  42\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
