package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/tuning"
)

// Compare measures cases in one run. A case that cannot be measured has an error in the report, and the others are measured without it. An error
// of Compare itself is a mistake in its arguments, or that of the context; with the latter, the report has what was measured until then.
func Compare(ctx context.Context, cases []Case, o Options) (*Report, error) {
	r, err := newReport(ctx, &o)
	if err != nil {
		return nil, err
	}
	if err := checkCases(cases); err != nil {
		return nil, err
	}
	r.note(cases)
	results, err := compare(ctx, cases, &o)
	r.Rows = []Row{{Results: results}}
	r.Device = deviceOf(results)
	return r, err
}

// Sweep measures the cases of each value of a parameter, such as the extent of a matrix: one comparison after another. A series consists of the
// results of the same name. Where cases gives an error, that value has no results but the error. Sweep's own error is that of the context,
// or of arguments; then the report has the values up to there.
func Sweep[X ~int | ~int64 | ~float64](ctx context.Context, param string, values []X, cases func(x X) ([]Case, error), o Options) (*Report, error) {
	r, err := newReport(ctx, &o)
	switch {
	case err != nil:
		return nil, err
	case param == "" || len(values) == 0 || cases == nil:
		return nil, errors.New("bench: Sweep needs the name of a parameter, values for it, and a function that gives the cases of each")
	}
	r.Param = param
	seen := map[float64]bool{}
	for _, v := range values {
		x := float64(v)
		if seen[x] || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("bench: Sweep is given %v twice, or it is no number: a value has one place in a plot", v)
		}
		seen[x] = true
	}
	for _, v := range values {
		row := Row{X: float64(v)}
		list, err := cases(v)
		if err == nil {
			err = checkCases(list)
		}
		if err == nil {
			r.note(list)
			row.Results, err = compare(ctx, list, &o)
		}
		if ctx.Err() != nil {
			err = nil
		}
		if err != nil {
			row.Error = err.Error()
		}
		if r.Rows = append(r.Rows, row); r.Device == "" {
			r.Device = deviceOf(row.Results)
		}
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
	}
	return r, nil
}

// newReport checks what Compare and Sweep are given, and begins the report.
func newReport(ctx context.Context, o *Options) (*Report, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	return &Report{Version: reportVersion, Title: o.Title, Roof: o.Roof}, nil
}

// note notes once what a device does beside the work.
func (r *Report) note(cases []Case) {
	for _, c := range cases {
		stream, _ := device.Place(c.Work.On)
		dev := stream.Device()
		text := fmt.Sprintf("%v checks accesses, which takes time: set CUTILE_CHECKS=off, or open it without WithChecks", dev)
		if dev.Internal().Checks() && !slices.Contains(r.Notes, text) {
			r.Notes = append(r.Notes, text)
		}
	}
}

// deviceOf names the device of results, where it is the same for all.
func deviceOf(results []Result) string {
	for _, r := range results {
		if r.Device != results[0].Device {
			return ""
		}
	}
	if len(results) == 0 {
		return ""
	}
	return results[0].Device
}

// compare measures cases that were checked.
func compare(ctx context.Context, cases []Case, o *Options) ([]Result, error) {
	s := &session{Options: o, now: time.Now}
	flushing := flushers{}
	defer flushing.close()
	var first [][]byte
	for i := range cases {
		c := &contender{}
		s.list = append(s.list, c)
		var launch func() error
		if launch, c.err = cases[i].Work.Prepare(ctx); c.err == nil && o.Check {
			first, c.err = cases[i].check(ctx, launch, &cases[0], first, o.Tolerance)
		}
		if c.err == nil {
			c.time, c.err = cases[i].timer(ctx, launch, flushing, o.Flush)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	err := s.run(ctx)
	results := make([]Result, len(cases))
	for i, c := range s.list {
		results[i] = cases[i].result(ctx, c, s.list[0], o)
	}
	return results, err
}

// timer gives what times launches of a case.
func (c *Case) timer(ctx context.Context, launch func() error, flushing flushers, bytes int64) (func(context.Context, int) (time.Duration, error), error) {
	stream, _ := device.Place(c.Work.On)
	var before func() error
	if bytes > 0 {
		f, err := flushing.on(ctx, stream, bytes)
		if err != nil {
			return nil, err
		}
		before = func() error { return f.kernel.Launch(context.Background()) }
	}
	return func(ctx context.Context, n int) (time.Duration, error) {
		return tuning.Timed(ctx, stream, launch, n, before)
	}, nil
}

// flusher writes memory.
type flusher struct {
	memory *cutile.Tensor[float32]
	kernel *cutile.Prepared
}

// flushers are those of streams.
type flushers map[*core.Stream]flusher

// on gives the flusher of a stream.
func (all flushers) on(ctx context.Context, s *cutile.Stream, bytes int64) (f flusher, err error) {
	f, ok := all[s.Internal()]
	if ok {
		return f, nil
	}
	if f.memory, err = cutile.NewTensor[float32](s.Device(), int((bytes+3)/4)); err != nil {
		return f, fmt.Errorf("the memory that flushes caches: %w", err)
	}
	if f.kernel, err = cutile.Prepare(ctx, s, flush, f.memory); err != nil {
		return f, err
	}
	all[s.Internal()] = f
	return f, nil
}

func (all flushers) close() {
	for _, f := range all {
		f.memory.Close()
	}
}

// check launches once and compares the results with those of the first case, which it gives: want is nil for the first.
func (c *Case) check(ctx context.Context, launch func() error, first *Case, want [][]byte, tolerance float64) ([][]byte, error) {
	if c != first && want == nil {
		return nil, fmt.Errorf("there are no results of %s to compare with", first.Name)
	}
	out, err := c.outputs(first)
	if err != nil {
		return want, err
	}
	if c.Reset != nil {
		err = c.Reset(ctx)
	} else {
		err = out.Fill()
	}
	if err != nil {
		return want, err
	}
	stream, _ := device.Place(c.Work.On)
	if _, err := tuning.Timed(ctx, stream, launch, 1, nil); err != nil {
		return want, err
	}
	got, err := out.Read(ctx)
	if err != nil || c == first {
		return got, err
	}
	like, err := first.outputs(first)
	if err == nil {
		err = out.Like(like)
	}
	if err == nil {
		err = out.Same(tolerance, got, want)
	}
	if err != nil {
		err = fmt.Errorf("it runs, but %w", err)
	}
	return want, err
}

// outputs are the tensors that are compared with those of the first case.
func (c *Case) outputs(first *Case) (*tuning.Outputs, error) {
	if len(c.Outputs) == 0 {
		return nil, errors.New("Check needs Outputs, the tensors that the work writes")
	}
	stream, _ := device.Place(c.Work.On)
	var tensors []*core.Tensor
	for _, o := range c.Outputs {
		var t *core.Tensor
		if o != nil && o.Err() == nil {
			t = o.Untyped()
		}
		tensors = append(tensors, t)
	}
	out, err := tuning.NewOutputs(tensors, stream.Internal().Device(), "the case")
	if err == nil {
		out.Of = first.Name
	}
	return out, err
}

// result is what is known of a case.
func (c *Case) result(ctx context.Context, x, first *contender, o *Options) Result {
	stream, _ := device.Place(c.Work.On)
	r := Result{Name: c.Name, Device: stream.Device().Name()}
	if r.Bytes, r.Ops = c.cost(context.WithoutCancel(ctx)); x.err != nil {
		r.Error = x.err.Error()
		return r
	}
	if len(x.samples) == 0 {
		r.Error = "it was not measured: the context ended before"
		return r
	}
	q, m := quantilesOf(x.samples), intervalOf(x.samples)
	r.Time, r.Median, r.Samples, r.Launches = &q, &m, len(x.samples), x.n
	if x != first {
		r.Speedup = x.speedup(first)
	}
	if o.Roof != nil && o.Roof.Device == r.Device {
		r.Bound, r.Part = o.Roof.part(&r)
	}
	return r
}
