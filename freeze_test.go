package cutile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestFreeze: nothing writes a frozen tensor, nor another that shares its memory, and reading goes on.
func TestFreeze(t *testing.T) {
	ctx := t.Context()
	dev := open(t)
	x := ramp(t, dev, 16)
	must(t, cutile.Launch(ctx, dev.Grid(1), double[tile.D16], x)) // a write that is queued is waited for
	half := x.Narrow(0, 0, 8)
	must(t, half.Freeze(ctx))
	must(t, half.Freeze(ctx))
	y := zeros[float32](t, dev, 16)
	for name, err := range map[string]error{
		"Write":           x.Write(ctx, make([]float32, 16)),
		"Write of a view": x.Narrow(0, 8, 16).Write(ctx, make([]float32, 8)),
		"Fill":            x.Fill(ctx, 1),
		"Copy":            x.Copy(ctx, y),
		"InOut":           cutile.Launch(ctx, dev.Grid(1), double[tile.D16], x),
		"Out":             cutile.Launch(ctx, dev, add[tile.D16], y, y, x),
		"Ptr":             cutile.Launch(ctx, dev.Grid(1), put[tile.D16], y, x, int32(16)),
	} {
		if !errors.Is(err, cutile.ErrFrozen) || !strings.Contains(err.Error(), "frozen") {
			t.Errorf("%s: the error is %v, expected ErrFrozen", name, err)
		}
	}
	must(t, cutile.Launch(ctx, dev, add[tile.D16], x, x, y))
	must(t, cutile.Launch(ctx, dev, take[tile.D16], x, int32(16), y))
	want, err := ramp(t, dev, 16).Slice()
	must(t, err)
	for i := range want {
		want[i] *= 2
	}
	if got, err := x.Slice(); err != nil || !slices.Equal(got, want) {
		t.Errorf("the elements are %v (%v), expected %v", got, err, want)
	}
	must(t, y.Copy(ctx, x))
	must(t, y.Fill(ctx, 3))
}

// TestFreezePrepared: a launch that was prepared before is refused, too.
func TestFreezePrepared(t *testing.T) {
	dev := open(t)
	x := ramp(t, dev, 16)
	run, err := cutile.Prepare(t.Context(), dev.Grid(1), double[tile.D16], x)
	must(t, err)
	must(t, run.Launch(t.Context()))
	must(t, x.Freeze(t.Context()))
	if err := run.Launch(t.Context()); !errors.Is(err, cutile.ErrFrozen) {
		t.Errorf("the error is %v, expected ErrFrozen", err)
	}
}

// TestFreezeProducts: products with a frozen factor give the numbers of those with another, one after the other, of every place in it.
func TestFreezeProducts(t *testing.T) {
	ctx := t.Context()
	dev := open(t)
	w := make([]float32, 200*96)
	for i := range w {
		w[i] = float32(i%17) - 8
	}
	frozen, err := cutile.FromSlice(dev, w, 200, 96)
	must(t, err)
	must(t, frozen.Freeze(ctx))
	for _, rows := range []int{64, 128, 32} {
		for from := 0; from < 200; from += 40 {
			x := ramp(t, dev, rows*64).Reshape(rows, 64)
			got, want := zeros[float32](t, dev, rows, 96), zeros[float32](t, dev, rows, 96)
			part, err := cutile.FromSlice(dev, w[from*96:min(from+64, 200)*96], min(64, 200-from), 96)
			must(t, err)
			x = x.Narrow(1, 0, part.Shape()[0])
			must(t, cutile.Launch(ctx, dev, multiply[tile.D32], x, frozen.Narrow(0, from, from+part.Shape()[0]), got))
			must(t, cutile.Launch(ctx, dev, multiply[tile.D32], x, part, want))
			a, err := got.Slice()
			must(t, err)
			b, err := want.Slice()
			must(t, err)
			if !slices.Equal(a, b) {
				t.Errorf("%d rows by rows %d on: %v, expected %v", rows, from, a[:4], b[:4])
			}
		}
	}
}

// TestClosedMemory: memory that is closed when its work has been waited for is free at once, without further work.
func TestClosedMemory(t *testing.T) {
	ctx := t.Context()
	dev := open(t)
	before := dev.Stats().MemoryBytes
	x, y := ramp(t, dev, 1<<16), zeros[float32](t, dev, 1<<16)
	must(t, cutile.Launch(ctx, dev, add[tile.D256], x, x, y))
	_, err := y.Slice()
	must(t, err)
	must(t, x.Close())
	must(t, y.Close())
	if got := dev.Stats().MemoryBytes; got != before {
		t.Errorf("%d bytes are in use, expected %d", got, before)
	}
	z := ramp(t, dev, 1<<16)
	must(t, cutile.Launch(ctx, dev.Grid(1), double[tile.D256], z))
	must(t, z.Close()) // while its work is queued
	must(t, dev.Sync(ctx))
	if got := dev.Stats().MemoryBytes; got != before {
		t.Errorf("%d bytes are in use behind a wait, expected %d", got, before)
	}
}
