package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
)

// Case is work to measure.
type Case struct {
	Name string // in tables and plots: no two cases of a comparison have the same
	Work cutile.Work

	// Bytes is how many bytes a launch moves to and from memory, and Flops how many floating-point operations it makes. Where they are 0
	// and the work is a kernel, they are counted ([cutile.Work.Cost]); of other work they are then not known. -1 stands for not known.
	Bytes, Flops int64
	// Ops are the operations by kind and type, which the roof depends on. Where they are nil, Flops are those of matrix products of
	// float32.
	Ops []cutile.Ops

	// Outputs are the tensors that the work writes, in the same order in all cases, for [Options].Check. Before the launch whose results
	// are compared, they are filled with bytes of ones, so that work that writes too little is noticed.
	Outputs []cutile.Output
	// Reset, where not nil, does that instead: for work that reads what it writes.
	Reset func(ctx context.Context) error
}

// Options say how to measure. The zero value has usable defaults for all of them.
type Options struct {
	// Budget bounds the time that the rounds of a comparison take, beside the warming up; 0 for two seconds. There is one round in any
	// case.
	Budget time.Duration
	// Precision ends the rounds earlier, when for each case the interval of the ratio to the first case is narrower than that part of
	// the ratio, or, of a single case, that of its time; 0 for 0.01. It takes ten rounds at least. As looking again and again makes
	// intervals seem narrower than they are, it should not be larger than the differences that matter.
	Precision float64
	// Rounds bounds the number of rounds; 0 for 1000.
	Rounds int

	// Sample is how long a sample takes at least, by the number of launches in it; 0 for two milliseconds.
	Sample time.Duration
	// Warm is how long each case runs before anything counts, at least; 0 for 50 milliseconds. It goes on, up to ten times as long, while
	// the work gets faster.
	Warm time.Duration
	// Flush, where not 0, writes that many bytes of other memory before each launch, so that it finds nothing in caches. A sample
	// is then one launch, whose time has the resolution of the device's clock.
	Flush int64

	// Check compares the results of each case with those of the first, before it is measured. Floats may differ by Tolerance as in
	// [cutile.Search]. A case with other results has an error instead of times.
	Check     bool
	Tolerance float64

	// Roof, where not nil, is what results on its device are compared with.
	Roof *Roofline
	// Seed is that of the order in the rounds.
	Seed uint64
	// Title is that of the report.
	Title string
}

// The defaults of Options.
const (
	defaultBudget    = 2 * time.Second
	defaultPrecision = 0.01
	defaultRounds    = 1000
	defaultSample    = 2 * time.Millisecond
	defaultWarm      = 50 * time.Millisecond
)

// Limits of what can be asked for.
const (
	maxRounds = 1_000_000
	maxCases  = 1000
	maxFlush  = 1 << 36
)

// complete checks the options and sets the defaults.
func (o *Options) complete() error {
	switch {
	case o.Budget < 0 || o.Sample < 0 || o.Warm < 0:
		return errors.New("bench: Budget, Sample and Warm cannot be negative")
	case !(o.Precision >= 0) || math.IsInf(o.Precision, 0) || !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 0):
		return errors.New("bench: Precision and Tolerance are numbers of 0 or more")
	case o.Rounds < 0 || o.Rounds > maxRounds:
		return fmt.Errorf("bench: Rounds is %d, expected 1 to %d, or 0 for %d", o.Rounds, maxRounds, defaultRounds)
	case o.Flush < 0 || o.Flush > maxFlush:
		return fmt.Errorf("bench: Flush is %d, expected a number of bytes up to %d, or 0", o.Flush, int64(maxFlush))
	}
	set(&o.Budget, defaultBudget)
	set(&o.Precision, defaultPrecision)
	set(&o.Rounds, defaultRounds)
	set(&o.Sample, defaultSample)
	set(&o.Warm, defaultWarm)
	return nil
}

func set[T comparable](to *T, usual T) {
	if *to == *new(T) {
		*to = usual
	}
}

// checkCases looks for mistakes in a list of cases.
func checkCases(cases []Case) error {
	if len(cases) == 0 || len(cases) > maxCases {
		return fmt.Errorf("bench: %d cases, expected 1 to %d", len(cases), maxCases)
	}
	names := map[string]int{}
	for i, c := range cases {
		if c.Name == "" {
			return fmt.Errorf("bench: case #%d has no Name", i)
		}
		if first, twice := names[c.Name]; twice {
			return fmt.Errorf("bench: cases #%d and #%d are both called %q", first, i, c.Name)
		}
		names[c.Name] = i
		if stream, _ := device.Place(c.Work.On); stream == nil {
			return fmt.Errorf("bench: case %q is on a nil device or stream", c.Name)
		}
		for _, op := range c.Ops {
			if op.N < 0 {
				return fmt.Errorf("bench: case %q has %d operations", c.Name, op.N)
			}
		}
		if c.Bytes < -1 || c.Flops < -1 {
			return fmt.Errorf("bench: case %q has %d bytes and %d operations, expected numbers of 0 or more, or -1", c.Name, c.Bytes, c.Flops)
		}
	}
	return nil
}

// cost is what the case says of its bytes and operations, or what is counted; -1 for bytes that are not known, and no operations where these are not.
func (c *Case) cost(ctx context.Context) (bytes int64, ops []cutile.Ops) {
	bytes, ops = c.Bytes, c.Ops
	if ops == nil && c.Flops > 0 {
		ops = []cutile.Ops{{Kind: "matrix", Type: "f32", N: c.Flops}}
	}
	if c.Work.Kernel != nil && (bytes == 0 || ops == nil && c.Flops == 0) {
		counted, err := c.Work.Cost(ctx)
		if err != nil {
			return max(bytes, 0), ops // what cannot be counted is not known; what is wrong with the work is said when it is compiled
		}
		if bytes == 0 {
			bytes = counted.Bytes
		}
		if ops == nil && c.Flops == 0 {
			ops = counted.Ops
		}
	}
	return max(bytes, 0), ops
}
