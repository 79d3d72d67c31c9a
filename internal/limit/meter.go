package limit

import (
	"context"
	"fmt"
)

// Kind is what a compilation spends.
type Kind uint8

// What a compilation spends.
const (
	Operations Kind = iota
	Calls
	Memory
	kinds
)

// kindTexts has, for each kind, the limit's name and what it counts.
var kindTexts = [kinds]struct{ name, text string }{
	Operations: {"Operations", "operations"},
	Calls:      {"Calls", "inlined calls"},
	Memory:     {"CompileMemory", "bytes of the compiler's memory"},
}

// Meter counts what one compilation spends. Attempts that the compiler gives up count, too, so that the count bounds
// the time. It is used by one goroutine.
type Meter struct {
	ctx   context.Context
	max   [kinds]int64
	spent [kinds]int64
	ticks uint

	// Turns and Unrolled are the limits of those names.
	Turns, Unrolled int
}

// NewMeter makes a Meter for a compilation that ends with ctx.
func NewMeter(ctx context.Context, l Limits) *Meter {
	l = l.Or(Default)
	return &Meter{ctx: ctx, Turns: l.Turns, Unrolled: l.Unrolled,
		max: [kinds]int64{Operations: int64(l.Operations), Calls: int64(l.Calls), Memory: l.CompileMemory}}
}

// OrDefault is the meter, or where it is nil one with the default limits.
func (m *Meter) OrDefault() *Meter {
	if m != nil {
		return m
	}
	return NewMeter(context.Background(), Limits{})
}

// pollEvery is how often Spend looks at the context: the work in between takes far less than a millisecond.
const pollEvery = 64

// Spend counts. Its error is an [*Exceeded], or that of the context.
func (m *Meter) Spend(k Kind, n int64) error {
	if m.spent[k] += n; m.spent[k] > m.max[k] || m.spent[k] < 0 {
		return &Exceeded{k, m.max[k]}
	}
	if m.ticks++; m.ticks%pollEvery == 0 {
		return m.ctx.Err()
	}
	return nil
}

// Err is the error of the context.
func (m *Meter) Err() error { return m.ctx.Err() }

// Exceeded is the error of a compilation that spent more than it may.
type Exceeded struct {
	Kind Kind
	Max  int64
}

// Error is "more than 1048576 inlined calls: raise Limits.Calls, …".
func (e *Exceeded) Error() string {
	t := kindTexts[e.Kind]
	return fmt.Sprintf("more than %d %s: %s", e.Max, t.text, Hint(t.name))
}
