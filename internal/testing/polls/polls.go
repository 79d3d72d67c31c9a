// Package polls shows that work ends where its context does: at each place where it looks at the context.
package polls

import (
	"context"
	"errors"
	"testing"
)

// ending is a context that has ended from the n-th look at it on.
type ending struct {
	context.Context
	left, looks int
}

// Err implements [context.Context].
func (e *ending) Err() error {
	if e.looks++; e.looks > e.left {
		return context.Canceled
	}
	return nil
}

// Each does the work again and again, with a context that ends at its first look at it, at its second and so on, until the
// work is done before it ends. Each time the work must give the context's error, and must have gone on no further: it does
// not look again. least is how many looks there are at least. Looks that another package takes, through the channel of the
// context, do not count.
func Each(t *testing.T, least int, work func(context.Context) error) {
	t.Helper()
	for n := 0; ; n++ {
		ctx := &ending{Context: context.Background(), left: n}
		err := work(ctx)
		if ctx.looks <= n {
			if err != nil {
				t.Errorf("with a context that does not end: %v", err)
			}
			if n < least {
				t.Errorf("the work looks at its context %d times, want %d at least", n, least)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ends at look %d gives %v", n+1, err)
		}
		if ctx.looks > n+1 {
			t.Errorf("a context that ends at look %d is looked at %d times more", n+1, ctx.looks-n-1)
		}
	}
}
