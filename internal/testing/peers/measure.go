package main

import (
	"fmt"
	"time"
)

// options are the flags.
type options struct {
	only, python, peer, out string
	before                  string // a command
	rounds                  int
	threads                 []int
	each, settle, slow      time.Duration
	list, tiny              bool
}

// entrant is a contender in a process, with what was measured of one workload.
type entrant struct {
	name      string
	process   *process
	contender string // what the process calls it
	reps      int
	slow      bool      // it is measured only once
	digest    *digest   // of its result
	rounds    []float64 // the median of the seconds of each round
	err       error
}

// best is the best of the rounds' medians.
func (e *entrant) best() float64 {
	best := e.rounds[0]
	for _, s := range e.rounds {
		best = min(best, s)
	}
	return best
}

// measure runs every contender of a workload on every number of threads.
func (o *options) measure(w *workload, processes []*process) (all []*entrant) {
	for _, p := range processes {
		a, err := p.send(request{Op: "begin", Kind: w.Kind, Dims: w.Dims, Tile: w.Tile})
		if err != nil {
			all = append(all, &entrant{name: p.name, process: p, err: err})
		}
		for _, c := range a.Contenders {
			e := &entrant{name: c, process: p, contender: c}
			switch {
			case c == loops && (w.Slow || p.name == before):
				continue
			case c == engine:
				e.name = p.name
			}
			all = append(all, e)
		}
	}
	for _, e := range all {
		if e.err == nil {
			e.check(o)
		}
	}
	compareResults(w, all)
	for round := range o.rounds {
		o.round(all, round)
	}
	for _, p := range processes {
		if _, err := p.send(request{Op: "end"}); err != nil {
			all = append(all, &entrant{name: p.name, process: p, err: err})
		}
	}
	return all
}

// check warms e up, and finds how often it can run in the time of a measurement.
func (e *entrant) check(o *options) {
	a, err := e.process.send(request{Op: "check", Contender: e.contender})
	if err != nil {
		e.err = err
		return
	}
	e.digest = a.Digest
	e.slow = a.Seconds > o.slow.Seconds()
	e.reps = max(1, min(1000, int(o.each.Seconds()/a.Seconds)))
}

// round measures each contender once, one after another. Every round begins with another one.
func (o *options) round(all []*entrant, round int) {
	for i := range all {
		e := all[(i+round)%len(all)]
		if e.err != nil || e.slow && round > 0 {
			continue
		}
		time.Sleep(o.settle) // threads of the one before may still spin
		a, err := e.process.send(request{Op: "run", Contender: e.contender, Reps: e.reps})
		if err != nil {
			e.err = err
			continue
		}
		e.rounds = append(e.rounds, a.Seconds)
	}
}

// trusted are the contenders whose results the others are compared with: the first that there is.
var trusted = []string{"torch", "numpy", "onnxruntime", loops}

// compareResults gives an error to each contender whose result differs, so that a wrong one has no speed.
func compareResults(w *workload, all []*entrant) {
	var want *entrant
	for i := 0; i < len(trusted) && want == nil; i++ {
		for _, e := range all {
			if e.name == trusted[i] && e.err == nil && want == nil {
				want = e
			}
		}
	}
	for _, e := range all {
		if e.err != nil || want == nil || e == want {
			continue
		}
		if err := e.digest.compare(*want.digest, kinds[w.Kind].tol); err != nil {
			e.err = fmt.Errorf("%s computes something else than %s: %w", e.name, want.name, err)
		}
	}
}
