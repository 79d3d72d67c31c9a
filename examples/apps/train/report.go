package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// reporter shows how far training is: a bar on a terminal, else a line now and then.
type reporter struct {
	out     io.Writer
	bar     *progressbar.ProgressBar // nil if out is no terminal
	every   int
	tokens  int // of a step
	started time.Time
	first   int // the step at the start
}

func newReporter(out io.Writer, p plan, done, last int) *reporter {
	r := &reporter{out: out, every: max(p.Steps/20, 1), tokens: p.Windows * p.Span, started: time.Now(), first: done}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			r.bar = progressbar.NewOptions(last, progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(30),
				progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
			r.bar.Set(done)
		}
	}
	return r
}

// step tells of a step.
func (r *reporter) step(step int, loss float64) {
	speed := float64((step-r.first)*r.tokens) / time.Since(r.started).Seconds()
	if r.bar != nil {
		r.bar.Describe(fmt.Sprintf("loss %.3f, %.0f tokens/s", loss, speed))
		r.bar.Set(step)
	} else if step%r.every == 0 {
		fmt.Fprintf(r.out, "step %d: loss %.3f, %.0f tokens/s\n", step, loss, speed)
	}
}

// print writes a line above the bar.
func (r *reporter) print(format string, args ...any) {
	if r.bar != nil {
		r.bar.Clear()
	}
	fmt.Fprintf(r.out, format+"\n", args...)
}
