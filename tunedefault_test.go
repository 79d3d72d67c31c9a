package cutile_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
)

// TestTuneDefault: a default that does not end, leaves outputs as they were, or panics is an error that says so, and the best is the default then.
func TestTuneDefault(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev := open(t)
	good := way{"triple", 64}
	for _, c := range []struct {
		first   way
		timeout time.Duration
		want    string
	}{
		{way{"never", 64}, time.Second, `cutile: tuning cutile_test.tripleNever[D64]: the default {"Kernel":"never","Tile":64}: it has not ended after 1s: its results are those of the search, so begin with another configuration, or give it more time (Timeout)`},
		{way{"part", 64}, time.Minute, `cutile: tuning cutile_test.triplePart[D64]: the default {"Kernel":"part","Tile":64}: it leaves 4032 of 4096 elements of output #0 as they were, the first at [64]: an output is a tensor of which the work writes all, unless Reset makes it ready`},
		{good, 1, "its compilation has not ended after 1ns: its results are"},
	} {
		s, _ := triples(t, dev, c.first, way{"triple", 128})
		s.Timeout = c.timeout
		found, err := cutile.Tune(t.Context(), s)
		fails(t, err, c.want)
		if found == nil || found.Best != c.first || found.Time != 0 {
			t.Errorf("%v: found %+v", c.first, found)
		}
	}
	s, _ := triples(t, dev, good, way{"triple", 128}) // the device is as good as before
	_, err := cutile.Tune(t.Context(), s)
	must(t, err)

	z := zeros[int32](t, dev, 4) // work may write what outputs are filled with
	i := cutile.Search[int]{Space: []int{1, 2}, Outputs: []cutile.Output{z}, Launch: func(int) cutile.Work {
		return cutile.Work{On: dev, Name: "ones", Run: func() error { return z.Fill(t.Context(), -1) }}
	}}
	_, err = cutile.Tune(t.Context(), i)
	must(t, err)
}

// TestTunePanics: a panic in a function of the program is the error of the configuration, and kept in records.
func TestTunePanics(t *testing.T) {
	dev := open(t)
	z := zeros[float32](t, dev, 64)
	s := cutile.Search[string]{
		Space: []string{"good", "launch", "run"}, Outputs: []cutile.Output{z}, Records: &cutile.Records{},
		Launch: func(way string) cutile.Work {
			if way == "launch" {
				panic("no such way")
			}
			return cutile.Work{On: dev, Name: "fill", Run: func() error {
				if way == "run" {
					return errors.New([]string{"a"}[len(way)])
				}
				return z.Fill(t.Context(), 3)
			}}
		},
	}
	found, err := cutile.Tune(t.Context(), s)
	must(t, err)
	if found.Best != "good" || len(found.Trials) != 3 {
		t.Fatalf("found %+v", found)
	}
	for i, want := range []string{"Launch panicked at tunedefault_test.go:", "Run panicked at tunedefault_test.go:"} {
		fails(t, found.Trials[i+1].Err, want, []string{": no such way", ": runtime error: index out of range"}[i])
	}
	for way, want := range map[string]string{
		"launch": "the default: Launch panicked at tunedefault_test.go:", "run": `the default "run": Run panicked at tunedefault_test.go:`,
	} {
		s.Space = []string{way, "good"}
		_, err = cutile.Tune(t.Context(), s)
		fails(t, err, want)
	}
}
