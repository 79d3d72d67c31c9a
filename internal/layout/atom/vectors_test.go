package atom_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// vectors is the table of recorded answers; the README beside it says how it was made.
const vectors = "../testdata/atoms.txt"

// vector is a recorded case.
type vector struct {
	heading string
	in      []string
	want    string
	line    int
}

func readVectors(t *testing.T) (vs []vector) {
	t.Helper()
	f, err := os.Open(vectors)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	heading := ""
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		if h, ok := strings.CutPrefix(s.Text(), "@"); ok {
			heading = h
			continue
		}
		columns := strings.Split(s.Text(), "\t")
		k := len(columns) - 1
		vs = append(vs, vector{heading, columns[:k], columns[k], n})
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return vs
}

// must gives a value that cannot fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func lay(s string) layout.Layout { return must(layout.ParseLayout(s)) }
func tup(s string) layout.Tuple  { return must(layout.ParseTuple(s)) }
func number(s string) int        { return must(strconv.Atoi(s)) }

func ints(s string) (ns []int) {
	for _, l := range tup(s).Leaves() {
		n, _ := l.IsLeaf()
		v, _ := n.Static()
		ns = append(ns, v)
	}
	return ns
}

func integer(s string) layout.Int {
	n, _ := tup(s).IsLeaf()
	return n
}

// answer is an operation's parts by name, as the table has them.
type answer map[string]string

func parse(s string) answer {
	a := answer{}
	if strings.HasPrefix(s, "tensor") {
		return answer{"": strings.ReplaceAll(s, " ", "")}
	}
	for _, part := range strings.Split(s, "&") {
		name, value, _ := strings.Cut(part, "=")
		a[name] = strings.ReplaceAll(value, " ", "")
	}
	return a
}

// tensor is how the package prints a layout behind its offset: a coordinate, or a pointer to 16-bit elements that is
// aligned to 16 bytes, where the alignment shows what is known of the offset.
func tensor(l layout.Layout, off layout.Tuple) string {
	n, isInt := off.IsLeaf()
	if !isInt {
		return strings.ReplaceAll(fmt.Sprintf("tensor<%v o %v>", off, l), " ", "")
	}
	align := 16
	for n.Div() != 0 && n.Div()*2%align != 0 {
		align /= 2
	}
	known := ""
	if align > 2 {
		known = fmt.Sprintf(",align<%d>", align)
	}
	return fmt.Sprintf("tensor<ptr<f16,gmem%s>o%v>", known, l)
}

// difference is a kind of cases that this package answers otherwise.
type difference struct {
	name  string
	cases int
	is    func(heading string, in []string) bool
	right func(got answer, err error, want answer) bool // whether what we say instead is right
}

// differences are explained in testdata/README.md.
var differences = []difference{
	{"16 bits of an element of 32", 13, func(_ string, in []string) bool { return in[0] == "universal.16" && in[1] == "Float32" },
		func(_ answer, err error, _ answer) bool { return isRefused(err, "smaller pieces than the 32 bits") }},
	{"cp.async.cg of 4 bytes", 13, func(_ string, in []string) bool { return in[0] == "cp.async.cg.32" },
		func(_ answer, err error, _ answer) bool { return isRefused(err, "expected one of ldmatrix") }},
	{"C where atoms split K", 11, func(h string, in []string) bool { return h == "mma tiled_mma" && in[4] == "(1,2,2)" }, sameForFirstK},
}

func isRefused(err error, text string) bool {
	var e *layout.Error
	return errors.As(err, &e) && strings.Contains(err.Error(), text)
}

// sameForFirstK wants the recorded answer but for the C of the second half of the threads, which are the second along K:
// they have what the first half has. The recorded layout leaves the tile there.
func sameForFirstK(got answer, err error, want answer) bool {
	if err != nil {
		return false
	}
	ours, theirs := lay(got["C_tiled"]), lay(want["C_tiled"])
	got["C_tiled"] = want["C_tiled"]
	threads := number(got["size"])
	a, b := static(ours), static(theirs)
	for thread := range threads {
		for v := range size(must(theirs.Mode(1))) {
			if a(thread, v) != b(thread%(threads/2), v) {
				return false
			}
		}
	}
	return agrees(got, want)
}

// agrees reports whether got has all parts of want.
func agrees(got, want answer) bool {
	for name, value := range want {
		if got[name] != value {
			return false
		}
	}
	return true
}

func TestVectors(t *testing.T) {
	counts, differing := map[string]int{}, map[string]int{}
	for _, c := range readVectors(t) {
		counts[c.heading]++
		got, err := classes[c.heading].f(c.in)
		want, right := parse(c.want), false
		switch d := slices.IndexFunc(differences, func(d difference) bool { return d.is(c.heading, c.in) }); {
		case d >= 0:
			differing[differences[d].name]++
			right = differences[d].right(got, err, want)
		case c.want == "refused":
			right = isRefused(err, "")
		default:
			right = err == nil && agrees(got, want)
		}
		if !right {
			t.Errorf("line %d: %s %q = %v, %v, want %s", c.line, c.heading, c.in, got, err, c.want)
		}
	}
	for h, c := range classes {
		if counts[h] != c.cases {
			t.Errorf("there are %d cases of %s, want %d", counts[h], h, c.cases)
		}
	}
	for _, d := range differences {
		if differing[d.name] != d.cases {
			t.Errorf("%d cases differ: %s, want %d", differing[d.name], d.name, d.cases)
		}
	}
}

// Constructors refuse the recorded tiled copies whose atom takes more values of a thread than the thread has: they copy
// values of other threads, and beyond the tile. Which ones these are is read off the recorded layouts.
func TestTooFewValues(t *testing.T) {
	refused := 0
	for _, c := range readVectors(t) {
		want := parse(c.want)
		if want["src_tv"] == "" || want["tv"] == "" {
			continue
		}
		got, err := classes[c.heading].f(c.in)
		if err != nil {
			continue // a difference
		}
		has := size(must(lay(want["tv"]).Mode(1)))
		// A matrix in shared memory is counted again for threads whose addresses are not used.
		takes := min(size(must(lay(want["src_tv"]).Mode(1))), size(must(lay(want["dst_tv"]).Mode(1))))
		beyond := takes > has
		if says := got[checkedBy]; beyond != strings.Contains(says, "which is not a multiple") || beyond != (says != "") {
			t.Errorf("line %d: %s %q: a thread has %v values, the atom takes %d: %s", c.line, c.heading, c.in, has, takes, says)
		}
		if beyond {
			refused++
		}
	}
	if refused != 38 {
		t.Errorf("%d tiled copies were refused, want 38", refused)
	}
}

func size(l layout.Layout) int {
	n, _ := l.Size().Static()
	return n
}

// static is the function of a layout of numbers, computed here: from an integer for each mode to the offset.
func static(l layout.Layout) func(crd ...int) int {
	type leaf struct{ size, stride int }
	var modes [][]leaf
	for _, m := range l.Modes() {
		var leaves []leaf
		strides := ints(m.Stride().String())
		for i, n := range ints(m.Shape().String()) {
			leaves = append(leaves, leaf{n, strides[i]})
		}
		modes = append(modes, leaves)
	}
	return func(crd ...int) int {
		off := 0
		for i, c := range crd {
			for _, s := range modes[i] {
				off += c % s.size * s.stride
				c /= s.size
			}
		}
		return off
	}
}
