package processtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// covered are the files of package languagetest whose functions run in kernels and on the host, with the same numbers; the last has the kernels
// that run them.
var covered = []string{"exits", "ways", "switch", "list", "struct", "interface", "held", "literals", "language"}

// TestCoverAgrees compares what cutile cover says of the functions of package languagetest, when kernels run them, with what Go's own coverage
// says of them on the host.
func TestCoverAgrees(t *testing.T) {
	dir, run := userModule(t, "tool github.com/cutile-go/cutile/cmd/cutile\n")
	if err := os.Mkdir(filepath.Join(dir, "lang"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, "lang", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var calls []string
	for _, name := range covered { // as files that are no tests, which Go's coverage leaves out
		text, err := os.ReadFile(filepath.Join("..", "languagetest", name+"_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllStringSubmatch(string(text), -1) {
			calls = append(calls, fmt.Sprintf("\tt.Run(%q, %[1]s)\n", m[1]))
		}
		write(name+".go", strings.NewReplacer("package languagetest_test", "package lang", "go:embed *_test.go", "go:embed *.go").Replace(string(text)))
	}
	write("all_test.go", "package lang\n\nimport \"testing\"\n\nfunc TestAll(t *testing.T) {\n"+strings.Join(calls, "")+"}\n")
	run("tool", "cutile", "cover", "-profile", "kernels.out", "go", "test", "-coverprofile", "host.out", "./lang")
	host, kernels := profile(t, filepath.Join(dir, "host.out")), profile(t, filepath.Join(dir, "kernels.out"))
	compared, missed := 0, 0
	for _, s := range kernels {
		around := -1 // the innermost block of Go's that has the statement
		for i, b := range host {
			if b.file == s.file && !less(s.from, b.from) && less(s.from, b.to) && (around < 0 || less(host[around].from, b.from)) {
				around = i
			}
		}
		if around < 0 {
			t.Errorf("%s:%v: it is in no block of the host's profile", s.file, s.from)
			continue
		}
		if strings.HasSuffix(s.file, "/language.go") {
			continue // no host runs its kernels
		}
		compared++
		if !s.run {
			missed++
		}
		if s.run != host[around].run {
			t.Errorf("%s:%v: a kernel runs it: %v; the host: %v", s.file, s.from, s.run, host[around].run)
		}
	}
	if compared < 400 || missed < 10 {
		t.Errorf("%d statements are compared, %d of which do not run", compared, missed)
	}
}

// part is a line of a coverage profile.
type part struct {
	file     string
	from, to [2]int // line and column
	run      bool
}

func less(a, b [2]int) bool { return slices.Compare(a[:], b[:]) < 0 }

func profile(t *testing.T, name string) (parts []part) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(.*):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`).FindAllStringSubmatch(string(text), -1) {
		n := [5]int{}
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+2])
		}
		parts = append(parts, part{m[1], [2]int{n[0], n[1]}, [2]int{n[2], n[3]}, n[4] > 0})
	}
	return parts
}
