package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cutile-go/cutile/device"
)

// KernelTime tells how long a kernel of a program takes.
type KernelTime struct {
	Kernel     string        // the kernel as [Program.String] shows it, but whole, or the operation of a [While] or [If]
	Time       time.Duration // of one launch, beside nothing else: the least of several runs
	Operations int64         // functions of elements and folds; a product and its addition are two
	Bytes      int64         // that it reads and writes, each once
}

// Profile tells how long each kernel of a program takes, in the order in which they run. Its text is a table, the longest first.
type Profile []KernelTime

// DefaultRuns is the number of runs that [Program.Profile] measures.
const DefaultRuns = 3

// Profile measures the kernels of the program in [DefaultRuns] runs, as [Program.ProfileRuns] does.
func (p *Program) Profile(ctx context.Context, on device.Target, args ...device.AnyTensor) (Profile, error) {
	return p.ProfileRuns(ctx, on, DefaultRuns, args...)
}

// ProfileRuns measures the kernels of the program in a number of runs, at least one, and gives the least time of each. A run launches
// one kernel after the other, each as often as takes 5 milliseconds, and divides that time by the number of launches; what a [While] or
// [If] runs is run once. The least time of several runs is the one that other work of the machine disturbed least, so more runs give
// times that differ less from one profile to the next. on and args are those of [Program.Run].
func (p *Program) ProfileRuns(ctx context.Context, on device.Target, runs int, args ...device.AnyTensor) (Profile, error) {
	if runs < 1 {
		return nil, fmt.Errorf("graph: a profile of %d runs, expected at least 1", runs)
	}
	stream, tensors, done, err := p.bind(ctx, on, args)
	if err != nil {
		return nil, err
	}
	defer done()
	timings, err := p.exec.Profile(ctx, stream.Internal(), runs, tensors)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	var all Profile
	for _, t := range timings {
		k := KernelTime{Time: t.Time}
		if t.Step.Control != nil {
			k.Kernel = t.Step.Control.String()
		} else {
			c := t.Step.Kernel.Cost()
			k.Kernel, k.Operations, k.Bytes = t.Step.Kernel.String(), c.Operations, c.Bytes()
		}
		all = append(all, k)
	}
	return all, nil
}

// String returns a table of the kernels: their times, parts of the whole time, and rates.
func (p Profile) String() string {
	var all time.Duration
	for _, k := range p {
		all += k.Time
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "µs\t%\tGOP/s\tGB/s\tkernel")
	for _, k := range slices.SortedStableFunc(slices.Values(p), func(a, b KernelTime) int { return cmp.Compare(b.Time, a.Time) }) {
		lines := strings.Split(strings.TrimSpace(k.Kernel), "\n")
		ns := float64(max(k.Time, 1))
		fmt.Fprintf(w, "%.1f\t%.1f\t%.1f\t%.1f\t%s\n", ns/1e3, 100*ns/float64(max(all, 1)), float64(k.Operations)/ns, float64(k.Bytes)/ns, lines[0])
		for _, line := range lines[1:] {
			fmt.Fprintf(w, "\t\t\t\t%s\n", line)
		}
	}
	w.Flush()
	return cutLines(b.String()) + fmt.Sprintf("%.1f µs in %d kernels\n", float64(all)/1e3, len(p))
}
