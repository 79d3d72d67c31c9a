package ir_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/native/vec"
	. "github.com/cutile-go/cutile/internal/threads/ir"
)

// sums is a kernel that loads sums from tensor memory, so many at a time, makes numbers of all of them, and then stores these one by one.
func sums(parts, each int) *Builder {
	b := NewBuilder("k", 128, []vec.Type{vec.I64})
	columns, unit := b.NewColumns("sums", 0, 512), &Unit{Kind: TensorMem}
	var all []Value
	for range parts {
		all = append(all, b.TensorLoad(unit, columns, b.Int(0), each)...)
	}
	for i, v := range all {
		all[i] = b.Do(vec.FMul, vec.F32, b.Do(vec.FAdd, vec.F32, v, v), v)
	}
	for i, v := range all {
		b.Store(vec.F32, Access{At: b.Param(0), Disp: int64(4 * i)}, v)
	}
	return b
}

// words are the instructions of a block by their names, without parameters.
func words(b *Block) string {
	var list []string
	for _, in := range b.Instrs {
		if in.Op == Param {
			continue
		}
		word := in.Op.String()
		if in.Op == Elem {
			word = in.Do.String()
		}
		list = append(list, word)
	}
	return strings.Join(list, " ")
}

// TestLate: each part of the sums is loaded where its first number is stored, and numbers are made where they are stored.
func TestLate(t *testing.T) {
	b := sums(2, 2)
	b.Late()
	const number = "fadd fmul store"
	const part = " tensor_load " + number + " " + number
	if got := words(b.Body); !strings.HasSuffix(got, part+part) {
		t.Errorf("%s, which does not end with %s", got, part+part)
	}
}

// TestLateStops: nothing passes barriers and control flow, no load of sums what changes them, and what nobody uses stays.
func TestLateStops(t *testing.T) {
	unit, columns := &Unit{Kind: TensorMem}, (&Builder{}).NewColumns("sums", 0, 32)
	use := func(b *Builder, v Value) { b.Store(vec.F32, Access{At: b.Param(0)}, v) }
	for name, c := range map[string]struct {
		between func(b *Builder, v Value)
		want    string
	}{
		"nothing":         {func(b *Builder, v Value) { b.FenceAsync() }, "fence_async tensor_load store"},
		"a barrier":       {func(b *Builder, v Value) { b.FenceAsync(); b.Barrier() }, "fence_async tensor_load barrier store"},
		"other sums":      {func(b *Builder, v Value) { b.TensorStore(unit, columns, b.Int(0), []Value{v}) }, "tensor_load tensor_store store"},
		"the end":         {func(b *Builder, v Value) { b.FenceAsync(); b.TensorFree(b.Int(0), columns) }, "fence_async tensor_load tensor_free store"},
		"a number before": {func(b *Builder, v Value) { use(b, b.Do(vec.FAdd, vec.F32, v, v)); b.FenceAsync() }, "tensor_load fadd store fence_async store"},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBuilder("k", 128, []vec.Type{vec.I64})
			b.TensorLoad(unit, columns, b.Int(0), 1)
			b.Barrier()
			v := b.TensorLoad(unit, columns, b.Int(0), 1)[0]
			c.between(b, v)
			use(b, v)
			b.Late()
			if got := words(b.Body); !strings.HasSuffix(got, "tensor_load barrier "+c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// BenchmarkLate shows how many times as long a block takes that is four times as long.
func BenchmarkLate(b *testing.B) {
	took := func(parts int) time.Duration {
		k := sums(parts, 32)
		instrs, least := k.Body.Instrs, time.Duration(1<<62)
		for range 5 {
			k.Body.Instrs = slices.Clone(instrs)
			begin := time.Now()
			k.Late()
			least = min(least, time.Since(begin))
		}
		return least
	}
	for _, parts := range []int{8, 32, 128} {
		b.Run(fmt.Sprint(parts*32), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(took(4*parts))/float64(took(parts)), "times/4")
			}
		})
	}
}
