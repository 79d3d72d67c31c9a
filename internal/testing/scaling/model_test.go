package scaling

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/scale.md")

func equal(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) }

// TestRing simulates an all-reduce in a ring message by message, and compares the bytes, messages and sums of a process with the formula.
func TestRing(t *testing.T) {
	for _, p := range []int{1, 2, 3, 4, 8, 1024} {
		const n = 1 << 20
		messages, bytes, added := 0, 0.0, 0.0
		for range p - 1 { // reduce-scatter
			messages, bytes, added = messages+1, bytes+n/float64(p), added+n/float64(p)
		}
		for range p - 1 { // all-gather
			messages, bytes = messages+1, bytes+n/float64(p)
		}
		l := Link{Alpha: 3e-6, Beta: 2e-10, Gamma: 5e-11}
		if got, want := l.Ring(p, n), float64(messages)*l.Alpha+bytes*l.Beta+added*l.Gamma; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%d processes: %v, want %v", p, got, want)
		}
	}
}

// TestHalving simulates the other algorithms for powers of two.
func TestHalving(t *testing.T) {
	l := Link{Alpha: 3e-6, Beta: 2e-10, Gamma: 5e-11}
	const n = 1 << 20
	for p := 1; p <= 1024; p *= 2 {
		halving, doubling := 0.0, 0.0
		for part, groups := n/2.0, p; groups > 1; part, groups = part/2, groups/2 {
			halving += 2*l.Message(part) + part*l.Gamma // there, and back
			doubling += l.Message(n) + n*l.Gamma
		}
		if got := l.Halving(p, n); math.Abs(got-halving) > 1e-9*halving {
			t.Errorf("halving, %d processes: %v, want %v", p, got, halving)
		}
		if got := l.Doubling(p, n); math.Abs(got-doubling) > 1e-9*doubling {
			t.Errorf("doubling, %d processes: %v, want %v", p, got, doubling)
		}
		if l.AllReduce(p, n) > min(halving, doubling)*(1+1e-9) {
			t.Errorf("%d processes: the fastest algorithm is not", p)
		}
	}
}

// TestMeasured: messages take what was measured, and on a line all formulas are those of the line.
func TestMeasured(t *testing.T) {
	l := Link{Measured: []Time{{10, 1}, {20, 3}, {40, 4}}}
	for n, want := range map[float64]float64{0: 0, 8: 0.6, 10: 1, 15: 2, 20: 3, 30: 3.5, 40: 4, 80: 6} {
		if got := l.Message(n); !equal(got, want) {
			t.Errorf("%v bytes take %v, want %v", n, got, want)
		}
	}
	line := Link{Alpha: 3e-6, Beta: 2e-10, Gamma: 5e-11}
	same := line
	for _, n := range []float64{8, 1 << 12, 1 << 20} {
		same.Measured = append(same.Measured, Time{n, line.Message(n)})
	}
	for _, p := range []int{2, 3, 4, 1024} {
		for _, n := range []float64{1, 1 << 16, 1 << 24} {
			for i, pair := range [][2]float64{{line.Ring(p, n), same.Ring(p, n)}, {line.Halving(p, n), same.Halving(p, n)},
				{line.Doubling(p, n), same.Doubling(p, n)}, {line.Broadcast(p, n), same.Broadcast(p, n)}} {
				if math.Abs(pair[0]-pair[1]) > 1e-9*pair[0] {
					t.Errorf("formula %d of %v bytes in %d processes: %v and %v", i, n, p, pair[0], pair[1])
				}
			}
		}
	}
}

// TestSteps: known cases of what can overlap.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name         string
		got          Step
		serial, best float64
	}{
		{"sums that are hidden but for the last", DataParallel(1, 4, 4, 0.5), 7, 5.5},
		{"sums that take longer than the backward pass", DataParallel(1, 4, 4, 3), 17, 14},
		{"one bucket", DataParallel(1, 4, 1, 3), 8, 8},
		{"a sum that is hidden", TensorParallel(1, 2, 3, 0.5), 7, 6.5},
		{"a sum that is not", TensorParallel(1, 2, 3, 5), 16, 13},
		{"a ring that computes", RingAttention(4, 3, 1), 15, 12},
		{"a ring that waits", RingAttention(4, 1, 3), 13, 10},
		{"one process", RingAttention(1, 3, 9), 3, 3},
	} {
		if !equal(c.got.Serial, c.serial) || !equal(c.got.Best, c.best) || !equal(c.got.Time(0), c.serial) || !equal(c.got.Time(1), c.best) {
			t.Errorf("%s: %+v, want %v and %v", c.name, c.got, c.serial, c.best)
		}
	}
}

// TestFit finds what made the times, and no negative numbers.
func TestFit(t *testing.T) {
	bytes := []float64{8, 1 << 12, 1 << 16, 1 << 20, 1 << 23}
	at := func(f func(n float64) float64) (times []float64) {
		for _, n := range bytes {
			times = append(times, f(n))
		}
		return times
	}
	l := Fit(bytes, at(Link{Alpha: 2e-6, Beta: 1e-10}.Message))
	if math.Abs(l.Alpha-2e-6) > 1e-11 || math.Abs(l.Beta-1e-10) > 1e-15 {
		t.Errorf("%+v", l)
	}
	if l := Fit(bytes, at(func(float64) float64 { return 5e-6 })); math.Abs(l.Alpha-5e-6) > 1e-11 || l.Beta > 1e-18 || l.Beta < 0 {
		t.Errorf("without bandwidth: %+v", l)
	}
	if l := Fit([]float64{10, 1000}, []float64{1e-9, 1e-3}); l.Alpha < 0 || l.Beta < 0 {
		t.Errorf("negative: %+v", l)
	}
}

const (
	document = "../../../docs/scale.md"
	first    = "<!-- go test ./internal/testing/scaling -update writes this table -->\n"
	last     = "<!-- end -->"
)

// TestTable holds the table of docs/scale.md against the formulas.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), first)
	table, after, ended := strings.Cut(rest, last)
	if !ok || !ended {
		t.Fatalf("%s has no table between %q and %q", document, first, last)
	}
	want := Table(H100, Eight)
	if *update {
		if err := os.WriteFile(document, []byte(before+first+want+last+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want {
		t.Errorf("%s has\n%s\nwant\n%s(go test ./internal/testing/scaling -update writes it)", document, table, want)
	}
}
