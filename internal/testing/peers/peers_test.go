package main

import (
	"encoding/json"
	"flag"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// serveEnv makes the test program one of the processes that are measured.
const serveEnv = "CUTILE_PEERS_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		if err := serve(os.Stdin, os.Stdout, 0); err != nil {
			panic(err)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// ask starts a server in this process and returns a function that sends it requests.
func ask(t *testing.T) func(request) answer {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	go func() { out.CloseWithError(serve(in, out, 0)) }()
	t.Cleanup(func() { requests.Close() })
	enc, dec := json.NewEncoder(requests), json.NewDecoder(answers)
	return func(r request) (a answer) {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(&a); err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// TestKinds runs each family of workloads with small extents, and compares the engine's result with that of loops in Go.
func TestKinds(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if name == peakName && fmaLoop == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			k, send := kinds[name], ask(t)
			a := send(request{Op: "begin", Kind: name, Dims: k.tiny})
			if a.Error != "" || !slices.Contains(a.Contenders, engine) {
				t.Fatalf("contenders %q, error %q", a.Contenders, a.Error)
			}
			got := send(request{Op: "check", Contender: engine})
			want := send(request{Op: "check", Contender: loops})
			if name == peakName { // there is nothing to compare
				want = answer{Digest: got.Digest}
			}
			if got.Error != "" || want.Error != "" {
				t.Fatal(got.Error, want.Error)
			}
			if err := got.Digest.compare(*want.Digest, k.tol); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTiles multiplies with the tiles of each author.
func TestTiles(t *testing.T) {
	send := ask(t)
	for _, w := range workloads() {
		if w.Tile == 0 {
			continue
		}
		if a := send(request{Op: "begin", Kind: w.Kind, Dims: kinds[w.Kind].tiny, Tile: w.Tile}); a.Error != "" {
			t.Fatal(a.Error)
		}
		got, want := send(request{Op: "check", Contender: engine}), send(request{Op: "check", Contender: loops})
		if err := got.Digest.compare(*want.Digest, kinds[w.Kind].tol); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
}

func TestRequests(t *testing.T) {
	send := ask(t)
	for _, test := range []struct {
		request request
		want    string
	}{
		{request{Op: "run", Contender: engine}, `the workload has no contender "cutile"`},
		{request{Op: "begin", Kind: "tea"}, `there is no workload of the kind "tea"`},
		{request{Op: "begin", Kind: "copy", Dims: []int{1, 2}}, "copy has 1 extents, not 2"},
		{request{Op: "begin", Kind: "copy", Dims: []int{-1}}, "copy has an extent of -1"},
		{request{Op: "brew"}, `"brew" is no request`},
	} {
		if got := send(test.request).Error; got != test.want {
			t.Errorf("%+v: %q, expected %q", test.request, got, test.want)
		}
	}
}

// TestWorkloads checks the table against the kinds.
func TestWorkloads(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range workloads() {
		k, ok := kinds[w.Kind]
		if axes := strings.Fields(k.axes); !ok || len(axes) != len(w.Dims) || len(axes) != len(k.tiny) {
			t.Errorf("%s: extents %v, axes %q", w.Name, w.Dims, k.axes)
		}
		if units[w.Unit] == 0 || w.Work <= 0 || seen[w.Name] {
			t.Errorf("%s: unit %q, work %g, seen before %t", w.Name, w.Unit, w.Work, seen[w.Name])
		}
		seen[w.Name] = true
	}
	for name := range kinds {
		if !slices.ContainsFunc(workloads(), func(w workload) bool { return w.Kind == name }) {
			t.Errorf("no workload is of the kind %s", name)
		}
	}
}

func TestCompare(t *testing.T) {
	right := digest{Sample: []float64{1, -2, 3}, Sum: 2, Abs: 6}
	if err := right.compare(right, 0); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]digest{
		"element":  {Sample: []float64{1, -2, 3.1}, Sum: 2, Abs: 6},
		"sum":      {Sample: []float64{1, -2, 3}, Sum: 2.1, Abs: 6},
		"absolute": {Sample: []float64{1, -2, 3}, Sum: 2, Abs: 6.1},
		"number":   {Sample: []float64{1, -2}, Sum: 2, Abs: 6},
		"zeros":    {Sample: []float64{0, 0, 0}},
		"nan":      {Sample: []float64{1, 1e300, 3}, Sum: 1e300, Abs: 1e300},
	} {
		if wrong.compare(right, 0.01) == nil || right.compare(wrong, 0.01) == nil {
			t.Errorf("%s: no difference was found", name)
		}
	}
}

// TestMeasure measures two workloads in processes of this program, without libraries.
func TestMeasure(t *testing.T) {
	t.Setenv(serveEnv, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := options{rounds: 3, each: time.Millisecond, slow: time.Second, threads: []int{1, 2}}
	var all []*process
	for _, n := range o.threads {
		for _, name := range []string{engine, before} {
			p, err := start(t.Context(), name, n, self)
			if err != nil {
				t.Fatal(err)
			}
			defer p.stop()
			all = append(all, p)
		}
	}
	var r report
	for _, w := range tiny() {
		if w.Name == "axpy" || w.Name == peakName {
			r.add(&w, o.measure(&w, all), o.threads)
		}
	}
	line := r.find("axpy", 2)
	if n := r.failed(); n > 0 || line == nil {
		t.Fatalf("%d errors, rows %+v", n, r.Rows)
	}
	if len(line.Seconds[engine]) != 3 || len(line.Speed) != 3 || line.Speed[before] <= 0 || line.Speed[engine] <= 0 || line.Ratio[loops] != line.Speed[engine]/line.Speed[loops] || line.Scale <= 0 {
		t.Errorf("%+v", line)
	}
	if peak := r.find(peakName, 1); fmaLoop == nil && len(peak.Speed) > 0 {
		t.Errorf("a peak of %v without a loop that reaches it", peak.Speed)
	}
}
