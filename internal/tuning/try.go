package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// tried is a search that runs.
type tried struct {
	s        *Search
	record   Record
	best     json.RawMessage // what the record had at the start; nil for none
	want     [][]byte        // the default's results
	launches map[int]func() error
	timed    map[int]bool // those whose time in the record is of this run
	queued   bool         // a launch was queued since the last wait that was not given up
	start    time.Time    // after the default
}

// spent reports whether the budget is.
func (t *tried) spent() bool { return t.s.Budget > 0 && time.Since(t.start) > t.s.Budget }

// first runs the default, and measures it, whatever the record has.
func (t *tried) first(ctx context.Context) error {
	c := &t.s.Candidates[0]
	late, err := t.within(ctx, func(ctx context.Context) error {
		launch, err := t.prepare(ctx, 0)
		if err != nil {
			return err
		}
		if t.want, err = t.once(ctx, launch); err == nil && t.s.Default != nil {
			err = t.s.Default(ctx, launch, t.want)
		}
		return err
	})
	if err == nil {
		late, err = t.measure(ctx, 0)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	if late {
		err = fmt.Errorf("%w: its results are those of the search, so begin with another configuration, or give it more time (Timeout)", err)
		if stop := t.stop(ctx); stop != nil {
			err = fmt.Errorf("%w; and the device is lost (%w): open it again, or start the program again", err, stop)
		}
	}
	return fmt.Errorf("the default %s: %w", c.Config, err)
}

// within calls f with a context that ends after the timeout. Where that ended it, late is true, and the error says so.
func (t *tried) within(ctx context.Context, f func(ctx context.Context) error) (late bool, err error) {
	within, cancel := context.WithTimeout(ctx, t.s.Timeout)
	defer cancel()
	if err = f(within); err == nil {
		return false, nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if within.Err() == nil {
		return false, err
	}
	what := "it"
	if prepares := (*preparing)(nil); errors.As(err, &prepares) {
		what = "its compilation"
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true, fmt.Errorf("%s has not ended after %v", what, t.s.Timeout)
	}
	return true, fmt.Errorf("%w (%s took longer than %v)", err, what, t.s.Timeout)
}

// preparing is an error of [Candidate.Prepare].
type preparing struct{ error }

func (p *preparing) Unwrap() error { return p.error }

// stop makes sure that what was given up does not run any more. Where no launch was queued, as when a compilation took too long, there is
// nothing to stop.
func (t *tried) stop(ctx context.Context) error {
	if !t.queued {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, max(t.s.Timeout, recoverTime))
	defer cancel()
	err := t.s.Stop(within)
	t.queued = err != nil
	return err
}

// try tries a candidate that was not tried before. It gives an error only where the search has to end.
func (t *tried) try(ctx context.Context, i int) error {
	c := &t.s.Candidates[i]
	if old := t.record.find(c.Config); old != nil {
		if old.Tries == 0 {
			return nil
		}
		if old.Tries >= mostTries {
			return t.keep(ctx, i, Trial{Error: "the process ended while it was tried, twice"})
		}
	}
	return t.verify(ctx, i)
}

// verify runs a candidate, compares its results and measures it, and keeps the time or what is wrong. It gives an error only where the search
// has to end.
func (t *tried) verify(ctx context.Context, i int) error {
	var before *Trial
	tries := 1
	if old := t.record.find(t.s.Candidates[i].Config); old != nil {
		before, tries = new(*old), old.Tries+1
	}
	err := t.keep(ctx, i, Trial{Tries: tries})
	if err == nil {
		err = t.run(ctx, i)
	}
	if ctx.Err() == nil {
		return err
	}
	// The search was ended, and not by the candidate.
	if x := t.record.find(t.s.Candidates[i].Config); x != nil && x.Tries > 0 {
		err = errors.Join(err, t.undo(ctx, i, before))
	}
	return err
}

// undo puts back what was known of a candidate before it was tried, nil for nothing.
func (t *tried) undo(ctx context.Context, i int, before *Trial) error {
	if before != nil {
		t.set(*before)
	} else {
		t.record.drop(t.s.Candidates[i].Config)
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), recoverTime)
	defer cancel()
	return t.s.Records.set(within, t.record)
}

// run is what verify does between its marks in the record.
func (t *tried) run(ctx context.Context, i int) error {
	late, err := t.within(ctx, func(ctx context.Context) error {
		launch, err := t.prepare(ctx, i)
		if err != nil {
			return err
		}
		got, err := t.once(ctx, launch)
		if err != nil {
			return err
		}
		if err := t.s.Same(got, t.want); err != nil {
			return fmt.Errorf("it runs, but %w", err)
		}
		return nil
	})
	if err == nil {
		late, err = t.measure(ctx, i)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	return t.failed(ctx, i, late, err)
}

// failed keeps why a candidate is none to choose, and makes sure that the device works: as long as the default, which worked before, runs.
func (t *tried) failed(ctx context.Context, i int, late bool, why error) (err error) {
	c := &t.s.Candidates[i]
	if err := t.keep(ctx, i, Trial{Error: why.Error()}); err != nil {
		return err
	}
	if late {
		err = t.stop(ctx)
	}
	if err == nil {
		within, cancel := context.WithTimeout(ctx, max(t.s.Timeout, recoverTime))
		defer cancel()
		_, err = t.once(within, t.launches[0])
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the device is lost after %s: %w (%w): open it again, or start the program again, and search on with the same records", c.Config, why, err)
	}
	return ctx.Err()
}

func (t *tried) prepare(ctx context.Context, i int) (func() error, error) {
	if launch := t.launches[i]; launch != nil {
		return launch, nil
	}
	queue, err := t.s.Candidates[i].Prepare(ctx)
	if err != nil {
		return nil, &preparing{err}
	}
	launch := func() error {
		t.queued = true
		return queue()
	}
	t.launches[i] = launch
	return launch, nil
}

// once gives the results of one launch.
func (t *tried) once(ctx context.Context, launch func() error) ([][]byte, error) {
	if err := t.s.Reset(ctx); err != nil {
		return nil, err
	}
	if _, err := t.time(ctx, launch, 1); err != nil {
		return nil, err
	}
	return t.s.Result(ctx)
}

// time is the time of n launches, which have ended then.
func (t *tried) time(ctx context.Context, launch func() error, n int) (time.Duration, error) {
	took, err := t.s.Time(ctx, launch, n)
	if err == nil {
		t.queued = false
	}
	return took, err
}

// put notes a trial of a candidate in the record.
func (t *tried) put(ctx context.Context, i int, x Trial) (err error) {
	x.Config = t.s.Candidates[i].Config
	if x.Key, err = t.s.key(ctx, i); err == nil {
		t.set(x)
	}
	return err
}

// set puts a trial into the record. What was chosen before is chosen again when it has a time again, until the search ends.
func (t *tried) set(x Trial) {
	t.record.put(x)
	if x.Time > 0 && t.record.Best == nil && string(x.Config) == string(t.best) {
		t.record.Best = t.best
	}
}

// keep is put, and writes the record.
func (t *tried) keep(ctx context.Context, i int, x Trial) error {
	if err := t.put(ctx, i, x); err != nil {
		return err
	}
	return t.s.Records.set(ctx, t.record)
}
