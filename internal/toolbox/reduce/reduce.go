// Package reduce makes a module of Tile IR smaller as long as it stays interesting: as long as it crashes an assembler, say, or has other
// results on another engine. What is interesting is a [Test]; [Crashes], [Differs] and [Command] make some.
//
// The package knows no operation but constants and tokens, which stand for what it removes. Everything else follows the table of
// operations: which results may become which values, which operands and attributes are optional, what a region gets and gives. A change
// that breaks a rule is found by the verifier, and undone.
package reduce

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// Test reports whether a module, which is valid, is interesting. An error ends the search.
type Test func(ctx context.Context, m *tileir.Module) (bool, error)

// Options bound a search.
type Options struct {
	Version    tileir.Version // for which each module is valid; 0 for the newest
	Tests      int            // the most tests; 0 for [DefaultTests]
	KeepParams bool           // the parameters of entries stay

	// Found is called with each smaller module; nil for nobody. Its error ends the search.
	Found func(m *tileir.Module) error
}

// DefaultTests is how many tests there are at most, unless [Options] say more.
const DefaultTests = 10_000

// Stats says what a search did.
type Stats struct {
	Before, After int  // operations
	Tests         int  // calls of the test
	Invalid       int  // changes that broke a rule of Tile IR
	Stopped       bool // the search was stopped: by its context, or as it had used all tests
}

// ErrBoring is the error for a module that is not interesting to begin with.
var ErrBoring = errors.New("the module is not interesting")

// Module makes a module smaller. The module that it gets stays as it is. When ctx ends, it gives the smallest that it has found.
func Module(ctx context.Context, m *tileir.Module, o Options, test Test) (*tileir.Module, Stats, error) {
	if o.Version == 0 {
		o.Version = tileir.Newest
	}
	if o.Tests == 0 {
		o.Tests = DefaultTests
	}
	if why := m.OnlyText(); why != "" {
		return nil, Stats{}, errors.New(why)
	}
	if err := tileir.Verify(m, o.Version); err != nil {
		return nil, Stats{}, err
	}
	r := &reducer{ctx: ctx, o: o, test: test, best: newTree(m), tried: map[[sha256.Size]byte]bool{}}
	r.stats.Before = r.best.count()
	ok, err := test(ctx, m)
	if err == nil && !ok {
		err = ErrBoring
	}
	if r.stats.Tests = 1; err != nil {
		return nil, r.stats, err
	}
	err = r.run()
	if errors.Is(err, errStopped) {
		r.stats.Stopped, err = true, nil
	}
	r.stats.After = r.best.count()
	return r.best.module, r.stats, err
}

// errStopped ends a search.
var errStopped = errors.New("stopped")

// reducer is a search.
type reducer struct {
	ctx   context.Context
	o     Options
	test  Test
	best  *tree // the smallest so far
	tried map[[sha256.Size]byte]bool
	stats Stats
}

// pass is a kind of change. It tries all that it has, and reports whether one was taken.
type pass struct {
	name string
	run  func(r *reducer) (bool, error)
}

// passes are tried in turn, those first that remove the most.
var passes = []pass{
	{"entries and globals", (*reducer).symbols},
	{"positions and hints", (*reducer).extras},
	{"operations", (*reducer).operations},
	{"extents", (*reducer).extents},
	{"regions", (*reducer).regions},
	{"carried values", (*reducer).carried},
	{"operands", (*reducer).operands},
	{"attributes", (*reducer).attributes},
	{"parameters", (*reducer).params},
}

// run tries all passes until none finds anything.
func (r *reducer) run() error {
	for again := true; again; {
		again = false
		for _, p := range passes {
			found, err := p.run(r)
			if err != nil {
				return err
			}
			again = again || found
		}
	}
	return nil
}

// try makes a change to a copy of the best tree, which takes its place if it is smaller, valid and interesting. change reports false
// where there is nothing to change.
func (r *reducer) try(change func(t *tree) bool) (taken bool, err error) {
	t := newTree(r.best.module)
	if !change(t) {
		return false, nil
	}
	t.sweep()
	if t.cost() >= r.best.cost() {
		return false, nil
	}
	if tileir.Verify(t.module, r.o.Version) != nil {
		r.stats.Invalid++
		return false, nil
	}
	code, err := bytecode.Write(t.module, r.o.Version, bytecode.Options{})
	if err != nil {
		return false, fmt.Errorf("BUG: reduce: a valid module cannot be written: %w", err)
	}
	key := sha256.Sum256(code)
	if r.tried[key] {
		return false, nil
	}
	r.tried[key] = true
	if r.ctx.Err() != nil || r.stats.Tests >= r.o.Tests {
		return false, errStopped
	}
	r.stats.Tests++
	switch taken, err = r.test(r.ctx, t.module); {
	case r.ctx.Err() != nil: // whatever the test says
		return false, errStopped
	case err != nil || !taken:
		return false, err
	}
	r.best = t
	if r.o.Found != nil {
		return true, r.o.Found(t.module)
	}
	return true, nil
}

// halves removes parts of a list of n things, first halves, then quarters and so on, from the end to the beginning, where later things
// depend on earlier ones. remove removes those from one up to another. n is asked again after each removal.
func (r *reducer) halves(n func() int, remove func(t *tree, from, to int) bool) (found bool, err error) {
	for size := n(); size > 0; size /= 2 {
		for to := n(); to > 0; to = min(to-size, n()) {
			taken, err := r.try(func(t *tree) bool { return remove(t, max(0, to-size), to) })
			if err != nil {
				return found, err
			}
			found = found || taken
		}
	}
	return found, nil
}

// each tries the ways of changing each of n things, from the last one to the first, and each again as long as that helps.
func (r *reducer) each(n func() int, ways int, change func(t *tree, i, way int) bool) (found bool, err error) {
	for i := n() - 1; i >= 0; i = min(i, n()) - 1 {
		for way := 0; way < ways && i < n(); way++ {
			taken, err := r.try(func(t *tree) bool { return change(t, i, way) })
			if err != nil {
				return found, err
			}
			if taken {
				found, way = true, -1
			}
		}
	}
	return found, nil
}
