package engine

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// guarded is a handler of the program that is not called again after it panicked: it may hold locks since then. It implements [slog.Handler].
type guarded struct {
	to     slog.Handler
	failed *logFailure
}

// logFailure is the first panic of a logger.
type logFailure struct {
	mu  sync.Mutex
	err error
}

// GuardLog gives a logger that tells another one; nil for nil. Where that panics, it is told nothing more, and [LogFailed] gives the error. The panic
// would else end the program from a goroutine of ours, or be taken for one of ours.
func GuardLog(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	return slog.New(&guarded{l.Handler(), &logFailure{}})
}

// LogFailed gives the error of a logger that [GuardLog] gave; nil for others.
func LogFailed(l *slog.Logger) error {
	if l == nil {
		return nil
	}
	if g, ok := l.Handler().(*guarded); ok {
		return g.failed.get()
	}
	return nil
}

func (f *logFailure) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// call calls f, which calls the handler.
func (g *guarded) call(f func()) {
	if g.failed.get() != nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			g.failed.mu.Lock()
			defer g.failed.mu.Unlock()
			g.failed.err = fmt.Errorf("the logger panicked, and was told nothing more: %v", r)
		}
	}()
	f()
}

// Enabled implements [slog.Handler].
func (g *guarded) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	g.call(func() { enabled = g.to.Enabled(ctx, level) })
	return enabled
}

// Handle implements [slog.Handler].
func (g *guarded) Handle(ctx context.Context, r slog.Record) (err error) {
	g.call(func() { err = g.to.Handle(ctx, r) })
	return err
}

// WithAttrs implements [slog.Handler].
func (g *guarded) WithAttrs(attrs []slog.Attr) slog.Handler {
	return g.with(func() slog.Handler { return g.to.WithAttrs(attrs) })
}

// WithGroup implements [slog.Handler].
func (g *guarded) WithGroup(name string) slog.Handler {
	return g.with(func() slog.Handler { return g.to.WithGroup(name) })
}

func (g *guarded) with(f func() slog.Handler) slog.Handler {
	out := *g
	g.call(func() { out.to = f() })
	return &out
}
