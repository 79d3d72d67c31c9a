package sourcefuzz_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// counts say what became of mutants.
type counts struct {
	Mutants, Accepted, Untyped, Refused int // untyped ones break the rules of Go, refused ones those of kernels
	Findings                            []string
}

func (n *counts) add(m counts) {
	n.Mutants, n.Accepted = n.Mutants+m.Mutants, n.Accepted+m.Accepted
	n.Untyped, n.Refused = n.Untyped+m.Untyped, n.Refused+m.Refused
	n.Findings = append(n.Findings, m.Findings...)
}

func (n counts) String() string {
	return fmt.Sprintf("%d mutants: %d accepted, %d that Go refuses, %d that the kernel compiler refuses, %d findings",
		n.Mutants, n.Accepted, n.Untyped, n.Refused, len(n.Findings))
}

// chainLength is the number of mutants that are made from one seed in a row.
const chainLength = 12

// mutate runs the mutants of one chain. see is called before and after each.
func mutate(all []*seed, number int, before func(*program), after func(*program, *outcome)) {
	rng := rand.New(rand.NewPCG(uint64(number), 20))
	p := all[rng.IntN(len(all))].program()
	if p == nil {
		return
	}
	o := p.run()
	for range chainLength {
		q := mutant(rng, p, o)
		if q == nil {
			continue
		}
		before(q)
		r := q.run()
		after(q, r)
		if r.err == nil && r.finding == "" && rng.IntN(3) > 0 && len(q.text) < 4*len(p.text)+4000 {
			p, o = q, r // where one is accepted, mostly the next starts from it
		}
	}
}

// count files an outcome.
func (n *counts) count(p *program, o *outcome) {
	n.Mutants++
	switch {
	case o.finding != "":
		n.Findings = append(n.Findings, keep(p, o))
	case o.err == nil:
		n.Accepted++
	case mistakes(o.err)[0].Stage == diag.Check:
		n.Untyped++
	default:
		n.Refused++
	}
}

// keep writes a finding to a file, as small as it becomes, and says what it is.
func keep(p *program, o *outcome) string {
	what, _, _ := strings.Cut(o.finding, "\n")
	if o.panicked() || !strings.HasPrefix(o.finding, "hang") {
		p = minimised(p, o)
	}
	dir := os.Getenv("CUTILE_SOURCEFUZZ_OUT")
	if dir == "" {
		return what + "\n" + p.file()
	}
	f, err := os.CreateTemp(dir, p.kernel+"_*.txt")
	if err != nil {
		return what + ": " + err.Error()
	}
	defer f.Close()
	fmt.Fprintf(f, "// %s\n%s", what, p.file())
	return filepath.Base(f.Name()) + ": " + what
}

// TestMutants runs a hundred mutants, always the same; three hundred where slow tests are asked for.
func TestMutants(t *testing.T) {
	all, err := seeds()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 250 {
		t.Errorf("%d kernels to start from, want at least 250", len(all))
	}
	var n counts
	most := 100
	if testenv.Required("slow") {
		most = 300
	}
	for number := 1; n.Mutants < most; number++ {
		mutate(all, number, func(*program) {}, n.count)
	}
	t.Log(n)
	for _, f := range n.Findings {
		t.Error(f)
	}
	if n.Accepted < most/3 || n.Refused < most/15 {
		t.Errorf("%v: most mutants say nothing", n)
	}
}

// TestReplay compiles the programs in testdata, which were findings once.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parseProgram(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		o := p.run()
		if o.finding != "" {
			t.Errorf("%s: %s", file, o.finding)
			continue
		}
		if want := wanted(string(text)); want == "" && o.err != nil || want != "" && (o.err == nil || !strings.Contains(strings.ReplaceAll(o.err.Error(), o.path+"/m.go:", ""), want)) {
			t.Errorf("%s: got %v\nwant %q", file, o.err, want)
		}
	}
}

// wanted is what a file in testdata says after "//fuzz:want": LINE:COLUMN of the program and a mistake; "" means that it
// compiles.
func wanted(text string) string {
	_, rest, _ := strings.Cut(text, "\n//fuzz:want ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
