// Package tuning chooses the fastest of several ways to do the same work. It knows no kernels: what it tries is functions, and what they write
// is bytes.
package tuning

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Candidate is one way to do the work.
type Candidate struct {
	Config json.RawMessage
	// Key names what the configuration stands for now, such as the code of its kernel: a trial of something else is none of it. It is "" for what
	// cannot be made. An error ends the search.
	Key func(ctx context.Context) (string, error)
	// Estimate gives how long it may take, in any unit: those with less are tried first.
	Estimate func(ctx context.Context) float64
	// Prepare gives what queues the work once, without having queued any.
	Prepare func(ctx context.Context) (launch func() error, err error)
}

// mostTries is how often a candidate is tried that ends the process: somebody may also have killed it.
const mostTries = 2

// Search is what to choose from, and how. The first candidate is the default: it has to work, and results are compared with its.
type Search struct {
	Key        Key
	Candidates []Candidate
	Records    *Records // nil for none

	Budget  time.Duration // for candidates beside the default; 0 for no bound
	Timeout time.Duration // for one candidate until it has run once, and for each round of its measurement

	Reset  func(ctx context.Context) error                                              // makes ready for a first launch
	Result func(ctx context.Context) ([][]byte, error)                                  // what a launch has written
	Same   func(got, want [][]byte) error                                               // compares results
	Time   func(ctx context.Context, launch func() error, n int) (time.Duration, error) // of n launches
	Stop   func(ctx context.Context) error                                              // ends launches that were given up, or sees them end until ctx ends; an error if it cannot

	// Refuse, where not nil, may give a reason why nothing can be measured. Records that have all serve even then.
	Refuse func() error

	// Default, where not nil, checks what the default has written. It may run it again.
	Default func(ctx context.Context, launch func() error, wrote [][]byte) error

	keys map[int]string // of candidates
}

// The amounts of measuring.
const (
	warmTime   = 20 * time.Millisecond // before anything counts
	roundTime  = 5 * time.Millisecond  // of a round of launches
	rounds     = 5                     // of a candidate by itself
	finalists  = 4                     // that are measured next to each other
	finalNear  = 1.5                   // times the time of the fastest, for finalists
	finalTurns = 7

	// recoverTime is how long the default may take, at least, to show that the device works.
	recoverTime = time.Second
)

// Run tries the candidates, each once, and gives the record with the best one. Where the record has all of that already, nothing runs.
func (s *Search) Run(ctx context.Context) (Record, error) {
	r, err := s.Records.Get(s.Key)
	if err != nil {
		return r, err
	}
	stale, err := s.current(ctx, &r)
	if err != nil {
		return r, err
	}
	if r.Best != nil && !stale && s.known(&r) {
		return r, nil
	}
	if s.Refuse != nil {
		if err := s.Refuse(); err != nil {
			return r, err
		}
	}
	t := &tried{s: s, record: r, best: r.Best, launches: map[int]func() error{}, timed: map[int]bool{}}
	if err := t.first(ctx); err != nil {
		return t.record, err
	}
	t.start = time.Now()
	for _, i := range s.order(ctx) {
		if t.spent() {
			break
		}
		if err := t.try(ctx, i); err != nil {
			return t.record, err
		}
	}
	return t.record, t.choose(ctx)
}

// current drops the trials of candidates that stand for something else than was tried, and reports whether there were some.
func (s *Search) current(ctx context.Context, r *Record) (stale bool, err error) {
	for i, c := range s.Candidates {
		x := r.find(c.Config)
		if x == nil {
			continue
		}
		key, err := s.key(ctx, i)
		if err != nil {
			return stale, err
		}
		if x.Key != key {
			stale = true
			r.drop(c.Config)
		}
	}
	return stale, nil
}

// key is that of a candidate, which is asked once.
func (s *Search) key(ctx context.Context, i int) (string, error) {
	if key, ok := s.keys[i]; ok {
		return key, nil
	}
	key, err := s.Candidates[i].Key(ctx)
	if err != nil {
		return "", err
	}
	if s.keys == nil {
		s.keys = map[int]string{}
	}
	s.keys[i] = key
	return key, nil
}

// Recall gives the number of the candidate that the records have for a search, without a launch: 0, the default, where they have none.
func (s *Search) Recall(ctx context.Context) (int, error) {
	r, err := s.Records.Get(s.Key)
	if err != nil || r.Best == nil {
		return 0, err
	}
	for i, c := range s.Candidates {
		if string(c.Config) != string(r.Best) {
			continue
		}
		if key, err := s.key(ctx, i); err != nil || key != r.find(c.Config).Key {
			return 0, err
		}
		return i, nil
	}
	return 0, nil
}

// order gives the candidates beside the default in the order in which they are tried.
func (s *Search) order(ctx context.Context) (list []int) {
	estimates := make([]float64, len(s.Candidates))
	for i := 1; i < len(s.Candidates); i++ {
		estimates[i] = s.Candidates[i].Estimate(ctx)
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(estimates[a], estimates[b]) })
	return list
}

// known reports whether a record has a trial of each candidate, or ended for want of time.
func (s *Search) known(r *Record) bool {
	for _, c := range s.Candidates {
		if r.find(c.Config) == nil && s.Budget == 0 {
			return false
		}
	}
	return slices.ContainsFunc(s.Candidates, func(c Candidate) bool { return string(c.Config) == string(r.Best) })
}

// choose measures the fastest candidates and the default in turn, as the machine may have been slower for some, and keeps the best.
func (t *tried) choose(ctx context.Context) error {
	last, err := t.finalists(ctx)
	if err != nil {
		return err
	}
	times := map[int]time.Duration{}
	rounds := map[int]*round{}
	for turn := range finalTurns + 1 { // the first finds the number of launches
		for _, i := range slices.Clone(last) {
			if rounds[i] == nil {
				rounds[i] = &round{n: 1}
			}
			each, late, err := t.round(ctx, i, rounds[i])
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && i == 0:
				return fmt.Errorf("the default %s: %w", t.s.Candidates[0].Config, err)
			case err != nil:
				last = slices.DeleteFunc(last, func(k int) bool { return k == i })
				if err := t.failed(ctx, i, late, err); err != nil {
					return err
				}
			case turn > 0 && (times[i] == 0 || each < times[i]):
				times[i] = each
			}
		}
	}
	best := slices.MinFunc(last, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	for _, i := range last {
		if err := t.put(ctx, i, Trial{Time: times[i]}); err != nil {
			return err
		}
	}
	t.record.Best = t.s.Candidates[best].Config
	return t.s.Records.set(ctx, t.record)
}

// finalists are the default and the fastest of the others. Those that an earlier run has measured run again first, as what a file says may be wrong,
// or of other circumstances: the fastest of them in any case, and those that are the fastest after that while the budget lasts.
func (t *tried) finalists(ctx context.Context) ([]int, error) {
	for again := false; ; again = true {
		stop := again && t.spent()
		last := t.fastest(stop)
		old := slices.DeleteFunc(slices.Clone(last), func(i int) bool { return t.timed[i] })
		if len(old) == 0 {
			return last, nil
		}
		for _, i := range old {
			if err := t.verify(ctx, i); err != nil {
				return nil, err
			}
		}
	}
}

// fastest are the default and the fastest of the others by the record, or of those which this run has measured.
func (t *tried) fastest(here bool) []int {
	type timed struct {
		i    int
		time time.Duration
	}
	var all []timed
	for i, c := range t.s.Candidates {
		if x := t.record.find(c.Config); x != nil && x.Time > 0 && (t.timed[i] || !here) {
			all = append(all, timed{i, x.Time})
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int { return cmp.Compare(a.time, b.time) })
	last := []int{0}
	for _, x := range all {
		if x.i > 0 && len(last) < finalists && float64(x.time) <= finalNear*float64(all[0].time) {
			last = append(last, x.i)
		}
	}
	return last
}
