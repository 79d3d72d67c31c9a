package gogen_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/testing/gogen"
)

// programs are those of some seeds, without the few that are not Go.
func programs(first uint64, n int, out *report) (units []unit) {
	for i := range n {
		u := unit{i, gogen.Generate(first + uint64(i))}
		out.Programs++
		if checkGo(u.p.Text(u.n)) != nil {
			out.Left++
			continue
		}
		units = append(units, u)
	}
	return units
}

// compare judges the programs of some seeds at both levels.
func compare(dir string, first uint64, n int) (*report, error) {
	out := &report{}
	units := programs(first, n, out)
	want, err := onHost(dir, units)
	if err != nil {
		return out, err
	}
	for i := range units {
		if want[i] == nil {
			out.Left++
		}
	}
	for _, name := range levels {
		if err := judge(name, units, want, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func TestPrograms(t *testing.T) {
	r, err := compare(t.TempDir(), 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	for _, f := range r.found {
		t.Errorf("seed %d, %s, %s: %.300s", f.unit.p.Seed, f.level, f.caller, f.what)
	}
}
