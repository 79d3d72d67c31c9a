package traceprofile

import (
	"cmp"
	"slices"

	"github.com/cutile-go/cutile/internal/trace"
)

// span is something that took time.
type span struct {
	category string
	from, to Seconds
}

// covered is how much of a time spans cover.
func covered(list []span, from, to Seconds) (sum Seconds) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	at := from
	for _, s := range list {
		if end := min(s.to, to); end > at {
			sum += end - max(s.from, at)
			at = end
		}
	}
	return sum
}

// parts are what a host does, with what readers know it as. Of what several goroutines do at the same time the first counts.
var parts = [...]struct{ category, title string }{
	{trace.Compile, "compiles"}, {trace.Copy, "copies"}, {trace.Host, "calls functions for streams"}, {trace.Wait, "waits"},
}

const others = "the program's own work, and launches"

// hostTimes has the times of parts.
type hostTimes [len(parts)]Seconds

// add adds what the host did until the end of a process.
func (t *hostTimes) add(list []span, end Seconds) {
	var before []span
	sum := Seconds(0)
	for i, p := range parts {
		for _, s := range list {
			if s.category == p.category {
				before = append(before, s)
			}
		}
		all := covered(before, 0, end)
		t[i] += all - sum
		sum = all
	}
}

// parts are the parts of a time, which others make whole.
func (t *hostTimes) parts(total Seconds) (list []Part) {
	rest := total
	for i, p := range parts {
		if t[i] > 0 {
			list = append(list, Part{p.title, t[i], part(t[i], total)})
			rest -= t[i]
		}
	}
	return append(list, Part{others, rest, part(rest, total)})
}
