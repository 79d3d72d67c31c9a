package compile_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestReleaseAndAcquireRun runs a kernel whose blocks hand a message on, with all operations shuffled that neither values
// nor tokens order. With the tokens that the language gives, no shuffle changes the result. With each tensor's tokens alone,
// which is what a release or acquire had to go by once, some store announces the message too early, and some load takes it
// before it is announced.
func TestReleaseAndAcquireRun(t *testing.T) {
	if underRace {
		t.Skip("its kernels race on purpose")
	}
	early := func(seeds uint64, change func(w *walker)) bool {
		for seed := range seeds {
			w := walkerOf(t, message)
			if change != nil {
				change(w)
				if err := tileir.Verify(w.module, tileir.Newest); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := w.send(t, seed+1); !slices.Equal(got, want) {
				for i := range got { // a part of the message may be there already
					if got[i] != want[i] && got[i] != 0 {
						t.Fatalf("seed %d: element %d of the message is %d, want %d, or 0 where it is too early", seed, i, got[i], want[i])
					}
				}
				return true
			}
		}
		return false
	}
	if early(24, nil) {
		t.Error("block 1 takes the message too early")
	}
	for name, change := range map[string]func(w *walker){
		"neither": func(w *walker) { w.perTensor(t, func(*tileir.Op) bool { return true }) },
		"release": func(w *walker) { w.perTensor(t, releases) },
		"acquire": func(w *walker) { w.perTensor(t, func(op *tileir.Op) bool { return !releases(op) }) },
	} {
		if !early(1000, change) { // some ten are enough on an idle machine
			t.Errorf("%s: no seed shows that tokens are lost", name)
		}
	}
}

// send runs message under a seed, and gives what block 1 has got and what block 0 has sent.
func (w *walker) send(t *testing.T, seed uint64) (got, want []int32) {
	t.Helper()
	const n, turns = 1024, 8000
	d := cpu.New(cpu.Options{Workers: 2, Reorder: seed})
	defer d.Close()
	k, err := d.Compile(t.Context(), w.module, w.module.Entries[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	var args []uint64
	var memory [3][]int32
	for i := range memory {
		b, err := d.Alloc(n * 4)
		if err != nil {
			t.Fatal(err)
		}
		args, memory[i] = append(args, b.Address()), unsafe.Slice((*int32)(unsafe.Pointer(&b.Host()[0])), n)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Launch(k, [3]uint32{2, 1, 1}, append(args, turns)); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range int32(n) {
		for range turns {
			i = i*3 + 1
		}
		want = append(want, i|1)
	}
	return memory[2], want
}

// perTensor leaves each access of those that are meant with the tokens of its own tensor's accesses.
func (w *walker) perTensor(t *testing.T, meant func(op *tileir.Op) bool) {
	t.Helper()
	start := w.module.Entries[0].Body.Ops[slices.IndexFunc(w.module.Entries[0].Body.Ops, func(op *tileir.Op) bool { return op.Info.Mnemonic == "make_token" })].Results[0]
	changed := false
	for _, a := range w.accesses {
		if !meant(a) {
			continue
		}
		for i, v := range a.Operands {
			if v.Type != tileir.Token {
				continue
			}
			own := w.own(v, tensorOf(a))
			switch len(own) {
			case 0:
				own = append(own, start)
			case 1:
			default:
				t.Fatalf("%s waits for %d tokens of its own tensor, and the test knows no way to join them", w.text(a), len(own))
			}
			changed = changed || own[0] != v
			a.Operands[i] = own[0]
		}
	}
	if !changed {
		t.Fatal("no access waits for another tensor's")
	}
}

// own gives the parts of a token that come after accesses of one tensor alone.
func (w *walker) own(v *tileir.Value, tensor *tileir.Value) (out []*tileir.Value) {
	if v.Def != nil && v.Def.Info.Mnemonic == "join_tokens" {
		for _, o := range v.Def.Operands {
			out = append(out, w.own(o, tensor)...)
		}
		return out
	}
	after := slices.DeleteFunc(slices.Clone(w.accesses), func(a *tileir.Op) bool { return !w.reaches(v, a, map[*tileir.Value]bool{}) })
	if len(after) == 0 || slices.ContainsFunc(after, func(a *tileir.Op) bool { return tensorOf(a) != tensor }) {
		return nil
	}
	return []*tileir.Value{v}
}

// tensorOf is the parameter that the pointers of an access come from.
func tensorOf(op *tileir.Op) *tileir.Value {
	v := op.Operands[0]
	for v.Def != nil {
		v = v.Def.Operands[0]
	}
	return v
}

// underRace says that the race detector is on.
var underRace bool
