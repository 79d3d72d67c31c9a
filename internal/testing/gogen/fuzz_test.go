package gogen_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
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
		if *only != "" && name != *only {
			continue
		}
		if err := judge(name, "", units, want, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// state makes the findings of a report small, the first one of each kind.
func (r *report) state(dir string) {
	seen := map[string]int{}
	for _, f := range r.found {
		kind := f.level + " " + class(f.what)
		text := fmt.Sprintf("seed %d, %s, %s: %.500s", f.unit.p.Seed, f.level, f.caller, f.what)
		if seen[kind]++; seen[kind] <= *small {
			text += "\n" + minimised(dir, f)
		}
		r.Findings = append(r.Findings, text)
	}
	r.found = nil
}

var (
	seed   = flag.Uint64("seed", 1, "the first program that TestPrograms judges")
	count  = flag.Int("programs", 60, "how many programs TestPrograms judges")
	small  = flag.Int("small", 2, "how many findings of a kind are made small")
	enough = flag.Int("enough", 0, "how many findings end the judging; 0 for no end")
	only   = flag.String("level", "", "the one level, tile or cute; both where it is not given")
)

// TestPrograms judges some programs, always the same.
func TestPrograms(t *testing.T) {
	r, err := compare(t.TempDir(), *seed, *count)
	if err != nil {
		t.Fatal(err)
	}
	r.state(t.TempDir())
	r.check(t)
}

// check fails for findings, and where much was refused or left out.
func (r *report) check(t *testing.T) {
	t.Log(r)
	for _, f := range r.Findings {
		t.Error(f)
	}
	if 100*r.Left > r.Programs || 100*r.Refused > 3*r.Kernels {
		t.Error("too many programs say nothing")
	}
}

// TestReplay judges the programs in testdata, which were findings once.
func TestReplay(t *testing.T) {
	files, err := stored()
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var units []unit
	for _, name := range slices.Sorted(maps.Keys(files)) {
		u := unit{len(units), files[name]}
		if err := checkGo(u.p.Text(u.n)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		units = append(units, u)
	}
	want, err := onHost(t.TempDir(), units)
	if err != nil {
		t.Fatal(err)
	}
	r := &report{}
	for _, name := range levels {
		if err := judge(name, "", units, want, r); err != nil {
			t.Fatal(err)
		}
	}
	for i := range units {
		if want[i] == nil {
			t.Errorf("program %d panics or does not end on the host", i)
		}
	}
	if r.Refused > 0 {
		t.Error(r)
	}
	for _, f := range r.found {
		t.Errorf("%s, %s, %s: %s", slices.Sorted(maps.Keys(files))[f.unit.n], f.level, f.caller, f.what)
	}
}
