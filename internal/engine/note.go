package engine

import "context"

// noteKey finds the function of [Noting] in a context.
type noteKey struct{}

// Noting returns a context in which an engine says what it did, as by [Note]. f may be called from another goroutine.
func Noting(ctx context.Context, f func(what, value string)) context.Context {
	return context.WithValue(ctx, noteKey{}, f)
}

// Note tells who asked for it by [Noting] what was done, such as that code was found on disk.
func Note(ctx context.Context, what, value string) {
	if f, ok := ctx.Value(noteKey{}).(func(what, value string)); ok {
		f(what, value)
	}
}
