package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/threads"
)

// outcomes counts how the cases of a target ended.
type outcomes struct {
	target     string
	run, equal int
	refused    map[string]int // by reason
	left       map[string]int // cases that were not run, by reason
}

func newOutcomes(target string) *outcomes {
	return &outcomes{target: target, refused: map[string]int{}, left: map[string]int{}}
}

// note counts a case that ran, and gives back what is wrong about it; known is the reason for which the target refuses the case, "" for none.
func (l *outcomes) note(err error, known func(reason string) bool) error {
	l.run++
	var no engine.CompileError
	switch {
	case err == nil:
		l.equal++
	case errors.As(err, &no):
		l.refused[no.Why()]++
		if known(no.Why()) {
			return nil
		}
	}
	return err
}

// never says that no refusal is known.
func never(string) bool { return false }

// row is a row of a table in Markdown under [outcomesHead].
func (l *outcomes) row() string {
	sum := 0
	for _, n := range l.refused {
		sum += n
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %s |", l.target, l.run, l.equal, sum, l.run-l.equal-sum,
		strings.Join(append(reasons("refused", l.refused), reasons("not run", l.left)...), "; "))
}

const outcomesHead = "| target | run | equal | refused | wrong | reasons |\n|---|---|---|---|---|---|"

func reasons(what string, counts map[string]int) (out []string) {
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%d %s: %s", counts[why], what, why))
	}
	return out
}

// TestOutcomes: what is refused is neither equal nor wrong, and no error but a known refusal is lost.
func TestOutcomes(t *testing.T) {
	l := newOutcomes("x")
	refusal := fmt.Errorf("direct: %w", &threads.Error{Text: "too large"})
	for _, c := range []struct {
		err   error
		known func(string) bool
		lost  bool
	}{
		{nil, never, true}, {refusal, never, false}, {refusal, func(why string) bool { return why == "too large" }, true},
		{errors.New("element 3 differs"), func(string) bool { return true }, false},
	} {
		if got := l.note(c.err, c.known); (got == nil) != c.lost {
			t.Errorf("%v gives %v", c.err, got)
		}
	}
	l.left["endless"]++
	if got, want := l.row(), "| x | 4 | 1 | 2 | 1 | 2 refused: too large; 1 not run: endless |"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
