package bench

import (
	"context"
	"math/rand/v2"
	"time"
)

// contender is a case that is being measured.
type contender struct {
	time    func(ctx context.Context, n int) (time.Duration, error) // that n launches take on the device
	n       int                                                     // launches of a sample
	samples []float64                                               // seconds of a launch, one for each round
	err     error                                                   // why it is not measured any more
}

// session measures contenders.
type session struct {
	*Options
	now  func() time.Time
	list []*contender
}

// The ways in which measuring goes on.
const (
	maxLaunches = 1 << 20 // of a sample
	growth      = 16      // by which the number of launches grows at most from one sample to the next
	staleAfter  = 3       // samples in a row that are no faster than the ones before: the work is steady
	faster      = 0.98    // times the least time so far: what counts as faster
	warmAtMost  = 10      // times Options.Warm
	leastRounds = 10      // before the precision ends them
)

// run warms up and runs the rounds. A contender that fails is left out from then on. The error is that of the context.
func (s *session) run(ctx context.Context) error {
	for _, c := range s.list {
		if err := s.warm(ctx, c); err != nil {
			return err
		}
	}
	order := rand.New(rand.NewPCG(s.Seed, 0x6265_6e63_68)) // any second number
	begin := s.now()
	for round := 1; s.any(); round++ {
		for _, i := range order.Perm(len(s.list)) {
			c := s.list[i]
			if c.err != nil {
				continue
			}
			took, err := c.time(ctx, c.n)
			if ctx.Err() != nil {
				s.cut(round - 1)
				return ctx.Err()
			}
			c.err = err
			c.samples = append(c.samples, took.Seconds()/float64(c.n))
		}
		if round >= s.Rounds || s.now().Sub(begin) >= s.Budget || round >= leastRounds && s.precise() {
			break
		}
	}
	return nil
}

// any reports whether there is anything to measure.
func (s *session) any() bool {
	for _, c := range s.list {
		if c.err == nil {
			return true
		}
	}
	return false
}

// cut leaves whole rounds alone.
func (s *session) cut(rounds int) {
	for _, c := range s.list {
		c.samples = c.samples[:min(rounds, len(c.samples))]
	}
}

// warm runs a contender until it is steady, and finds how many launches make a sample.
func (s *session) warm(ctx context.Context, c *contender) error {
	if c.err != nil {
		return nil
	}
	begin, least, stale := s.now(), 0.0, 0
	for c.n = 1; ; {
		took, err := c.time(ctx, c.n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.err = err
			return nil
		}
		each := took.Seconds() / float64(c.n)
		if stale++; least == 0 || each < faster*least {
			stale = 0
		}
		if each > 0 && (least == 0 || each < least) {
			least = each
		}
		n := s.launches(c.n, least)
		spent := s.now().Sub(begin)
		if grown := n > 2*c.n; !grown && spent >= s.Warm && stale >= staleAfter || spent >= warmAtMost*s.Warm {
			c.n = n
			return nil
		}
		c.n = n
	}
}

// launches is how many launches make a sample, where one takes some seconds, and now there are n.
func (s *session) launches(n int, each float64) int {
	if s.Flush > 0 {
		return 1
	}
	want := float64(maxLaunches)
	if each > 0 {
		want = min(want, s.Sample.Seconds()/each)
	}
	return max(1, min(int(want+0.5), growth*n))
}

// precise reports whether the ratios of all contenders to the first, or the time of a single one, are known well enough.
func (s *session) precise() bool {
	alone := true
	for _, c := range s.list[1:] {
		if c.err != nil {
			continue
		}
		alone = false
		if ratio := c.speedup(s.list[0]); ratio != nil && !ratio.narrow(s.Precision) {
			return false
		}
	}
	if alone || s.list[0].err != nil {
		for _, c := range s.list {
			if c.err == nil && !intervalOf(c.samples).narrow(s.Precision) {
				return false
			}
		}
	}
	return true
}

// speedup is how many times as fast a contender is as another one, round by round; nil where that is not known.
func (c *contender) speedup(than *contender) *Interval {
	if c.err != nil || than.err != nil || len(c.samples) == 0 || len(c.samples) != len(than.samples) {
		return nil
	}
	ratios := make([]float64, 0, len(c.samples))
	for i, t := range c.samples {
		if t <= 0 || than.samples[i] <= 0 {
			return nil // too fast for the clock
		}
		ratios = append(ratios, than.samples[i]/t)
	}
	r := intervalOf(ratios)
	return &r
}
