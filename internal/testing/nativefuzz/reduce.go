package nativefuzz

import (
	"context"

	"github.com/cutile-go/cutile/internal/toolbox/reduce"
	"github.com/cutile-go/cutile/tileir"
)

// Reduce makes a program smaller as long as fails says that it still fails.
func Reduce(p *Program, fails func(p *Program) bool) *Program {
	if q := *p; q.Grid != [3]uint32{1, 1, 1} {
		if q.Grid = [3]uint32{1, 1, 1}; fails(&q) {
			p = &q
		}
	}
	with := func(m *tileir.Module) *Program {
		q := *p
		q.Module = m
		return &q
	}
	m, _, err := reduce.Module(context.Background(), p.Module, reduce.Options{KeepParams: true}, func(_ context.Context, m *tileir.Module) (bool, error) {
		return fails(with(m)), nil
	})
	if err != nil { // it does not fail again
		return p
	}
	return with(m)
}
