package cpu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// passToken are the operations that take tokens and give one: what waits for the result waits for the operands.
var passToken = map[string]func(k *kernel, t *tileir.Value) *tileir.Value{
	"make_token": func(_ *kernel, t *tileir.Value) *tileir.Value { return t }, // the first store waits for it
	"join_tokens": func(k *kernel, t *tileir.Value) *tileir.Value {
		other := k.one("make_token", nil, nil, tileir.Token)
		return k.opGroups("join_tokens", []vals{{other, t}}, nil, nil, tileir.Token)[0]
	},
	"memory_fence_alias_tko":    passOne("memory_fence_alias_tko"),
	"gdc_wait_tko":              passOne("gdc_wait_tko"),
	"gdc_launch_dependents_tko": passOne("gdc_launch_dependents_tko"),
}

func passOne(op string) func(k *kernel, t *tileir.Value) *tileir.Value {
	return func(k *kernel, t *tileir.Value) *tileir.Value { return k.one(op, vals{t}, nil, tileir.Token) }
}

// stored5 stores 5, loads it and stores what it read plus one. pass makes the token of the load from that of the store.
func stored5(t *testing.T, pass func(k *kernel, t *tileir.Value) *tileir.Value) *kernel {
	k := newKernel(t, tileir.PointerTile(tileir.I32))
	at, s := k.entry.Params[0], tileir.Tile(tileir.I32)
	weak := attrs{"memory_ordering_semantics": tileir.MemoryWeak}
	store := func(v, after *tileir.Value) *tileir.Value {
		return k.opGroups("store_ptr_tko", []vals{{at}, {v}, nil, {after}}, weak, nil, tileir.Token)[0]
	}
	first := store(k.i32(5), k.one("make_token", nil, nil, tileir.Token))
	read := k.opGroups("load_ptr_tko", []vals{{at}, nil, nil, {pass(k, first)}}, weak, nil, s, tileir.Token)
	store(k.one("addi", vals{read[0], k.i32(1)}, nil, s), read[1])
	k.ret()
	return k
}

// TestTokens runs the operations on tokens with the operations of the kernel shuffled: the order that they ask for is
// kept, and without them some shuffle gives another result.
func TestTokens(t *testing.T) {
	run := func(t *testing.T, seed uint64, pass func(k *kernel, t *tileir.Value) *tileir.Value) int32 {
		d := newDevice(t, cpu.Options{Workers: 1, Reorder: seed})
		buf := upload(t, d, make([]int32, 1))
		if err := launch(t, d, stored5(t, pass).compile(d), [3]uint32{1, 1, 1}, buf.Address()); err != nil {
			t.Fatal(err)
		}
		return elems[int32](buf)[0]
	}
	const seeds = 30
	for op, pass := range passToken {
		t.Run(op, func(t *testing.T) {
			for seed := range uint64(seeds) {
				if got := run(t, seed, pass); got != 6 {
					t.Fatalf("seed %d: %d, want 6", seed, got)
				}
			}
		})
	}
	lost := func(k *kernel, _ *tileir.Value) *tileir.Value { return k.one("make_token", nil, nil, tileir.Token) }
	caught := 0
	for seed := range uint64(seeds) {
		if run(t, seed, lost) != 6 {
			caught++
		}
	}
	if caught == 0 {
		t.Errorf("none of %d seeds shows that a token is lost", seeds)
	}
}
