package gogen_test

import (
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"sort"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/simtc/eval"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// verdict is what became of a kernel: nothing to say, a refusal, or a finding.
type verdict struct {
	refused string // the first mistake
	finding string
}

// refusal is the verdict on an error of a compiler: a mistake with its place in the program is a refusal, else a finding.
func refusal(err error) verdict {
	var list diag.List
	var one *diag.Error
	switch {
	case errors.As(err, &list) && len(list) > 0:
		one = list[0]
	case !errors.As(err, &one):
		return verdict{finding: "not a mistake: " + err.Error()}
	}
	if strings.Contains(one.Msg, "BUG") || one.Pos.Line == 0 || !strings.HasPrefix(one.Pos.Filename, "gogen/") || one.Stage == diag.Check {
		return verdict{finding: fmt.Sprintf("refused: %v", one)}
	}
	return verdict{refused: fmt.Sprintf("%s\n%s", one.Msg, one.Source)}
}

// limit is how long a compiler may take for a kernel, and an engine: far more than a busy machine needs.
const limit = time.Minute

// guarded gives the verdict of f, also where it panics or does not end.
func guarded(f func() verdict) verdict {
	done := make(chan verdict, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- verdict{finding: fmt.Sprintf("panic: %v\n%s", r, debug.Stack())}
			}
		}()
		done <- f()
	}()
	select {
	case v := <-done:
		return v
	case <-time.After(limit):
		return verdict{finding: fmt.Sprintf("no answer in %v", limit)}
	}
}

// found is a finding: a program, the level and the kernel.
type found struct {
	unit   unit
	level  string
	caller string
	what   string
}

// report counts what became of programs, and keeps findings.
type report struct {
	Programs, Left, Kernels, Refused int            // Left out: not Go, or no end on the host
	Why                              map[string]int // refusals, by message
	Axes, Proved                     int            // of accesses: all, and those that a launch proves
	Findings                         []string
	found                            []found
}

func (r *report) add(o *report) {
	r.Programs, r.Left, r.Kernels, r.Refused = r.Programs+o.Programs, r.Left+o.Left, r.Kernels+o.Kernels, r.Refused+o.Refused
	r.Axes, r.Proved = r.Axes+o.Axes, r.Proved+o.Proved
	r.Findings = append(r.Findings, o.Findings...)
	r.found = append(r.found, o.found...)
	for why, n := range o.Why {
		r.refuse(why, n)
	}
}

var numbers = regexp.MustCompile(`\d+`)

func (r *report) refuse(why string, n int) {
	if r.Why == nil {
		r.Why = map[string]int{}
	}
	msg, _, _ := strings.Cut(why, "\n")
	r.Why[numbers.ReplaceAllString(msg, "0")] += n
}

func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d programs (%d left out), %d kernels, %d refused (%.2f %%), %d findings", r.Programs, r.Left, r.Kernels, r.Refused,
		100*float64(r.Refused)/float64(max(1, r.Kernels)), len(r.Findings)+len(r.found))
	if r.Axes > 0 {
		fmt.Fprintf(&b, ", %d of %d axes proved", r.Proved, r.Axes)
	}
	whys := make([]string, 0, len(r.Why))
	for why := range r.Why {
		whys = append(whys, why)
	}
	sort.Slice(whys, func(i, j int) bool {
		return r.Why[whys[i]] > r.Why[whys[j]] || r.Why[whys[i]] == r.Why[whys[j]] && whys[i] < whys[j]
	})
	for _, why := range whys {
		fmt.Fprintf(&b, "\n\t%d times refused: %s", r.Why[why], why)
	}
	return b.String()
}

// levels are the ways of a program, by name.
var levels = []string{"tile", "cute"}

// judge compares programs at one level with what the host gave for each; nil means that it gave nothing. only is the name
// of the one caller that is run: "" for all.
func judge(name, only string, units []unit, want []results, out *report) error {
	l, load := tileLevel, describe.Language.Load
	if name == "cute" {
		l, load = cuteLevel, eval.Language.Load
	}
	w, path, err := l.world(load, units)
	if err != nil {
		return err
	}
	r, err := newTileRunner()
	if err != nil {
		return err
	}
	defer func() { r.close() }()
	for i, u := range units {
		if want[i] == nil {
			continue
		}
		if *enough > 0 && len(out.found) >= *enough {
			break
		}
		for _, c := range callers(u.p) {
			if only != "" && c.name != only || c.passed && name != "cute" {
				continue
			}
			out.Kernels++
			v := guarded(func() verdict {
				if name == "cute" {
					return judgeSIMT(w, path, u, c, want[i])
				}
				return r.judge(w, path, u, c, want[i])
			})
			switch {
			case v.refused != "":
				out.Refused++
				out.refuse(v.refused, 1)
			case v.finding != "":
				out.found = append(out.found, found{u, name, c.name, v.finding})
			}
		}
	}
	return nil
}
