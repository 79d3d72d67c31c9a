package bytecode_test

import (
	"fmt"
	"math"
	"slices"

	. "github.com/cutile-go/cutile/tileir"
)

// anyEntry chooses an entry.
func (u *mutant) anyEntry() (*Entry, bool) {
	if len(u.m.Entries) == 0 {
		return nil, false
	}
	return pick(u.rnd, u.m.Entries), true
}

// changeEntry adds or drops an entry, or changes its name or visibility.
func changeEntry(u *mutant) string {
	e, ok := u.anyEntry()
	if !ok {
		return ""
	}
	switch u.rnd.IntN(5) {
	case 0:
		name := pick(u.rnd, []string{"k", e.Name, "other", "", "g"})
		other := kernel(func(b *builder) { b.value(i32s) }).Entries[0]
		other.Name = name
		u.m.Entries = append(u.m.Entries, other)
		return fmt.Sprintf("added %q", name)
	case 1:
		u.m.Entries = slices.DeleteFunc(u.m.Entries, func(x *Entry) bool { return x == e })
		return "dropped " + e.Name
	case 2:
		e.Private = !e.Private
		return fmt.Sprintf("private: %v", e.Private)
	case 3:
		if len(u.m.Globals) == 0 {
			return ""
		}
		e.Name = u.m.Globals[0].Name
		return "named as a global"
	}
	old := e.Name
	e.Name = pick(u.rnd, []string{"", "a b", "é", "k\x00", "x.y$z", "9"})
	return fmt.Sprintf("%q became %q", old, e.Name)
}

func changeParameters(u *mutant) string {
	e, ok := u.anyEntry()
	if !ok {
		return ""
	}
	n := len(e.Params)
	switch {
	case n > 0 && u.rnd.IntN(3) == 0:
		i := u.rnd.IntN(n)
		e.Params = slices.Delete(slices.Clone(e.Params), i, i+1)
		return fmt.Sprintf("dropped %d", i)
	case n > 0 && u.rnd.IntN(2) == 0:
		i := u.rnd.IntN(n)
		old := e.Params[i].Type
		e.Params[i].Type = typeNear(u.rnd, old)
		return fmt.Sprintf("%v became %v", old, e.Params[i].Type)
	}
	t := pick(u.rnd, append(typesOf(u.version), i32s, PointerTile(F32), ScalarType{Elem: I32}, ScalarType{Elem: F16, Pointer: true}))
	e.Params = append(slices.Clone(e.Params), &Value{Type: t})
	return fmt.Sprintf("added %v", t)
}

// changeGlobal adds a global or changes one.
func changeGlobal(u *mutant) string {
	rnd := u.rnd
	if len(u.m.Globals) == 0 || rnd.IntN(3) == 0 {
		t := Tile(pick(rnd, []Elem{I1, I8, I32, F16, F64, TF32, F8E4M3FN, I4, F4E2M1FN}), pick(rnd, []int{1, 2, 16, 64}))
		g := &Global{Name: pick(rnd, []string{"g", "h", "a b", "", "k"}), Align: pick(rnd, []int64{0, 1, 8, 64, 3, -1}),
			Value: refit(&Constant{Type: Tile(NoElem)}, t)}
		u.m.Globals = append(u.m.Globals, g)
		return fmt.Sprintf("added %q of %v, alignment %d", g.Name, t, g.Align)
	}
	g := pick(rnd, u.m.Globals)
	switch rnd.IntN(7) {
	case 0:
		g.Align = pick(rnd, []int64{0, 1, 2, 3, 128, 1 << 20, 1 << 40, -8, math.MaxInt64})
		return fmt.Sprintf("alignment %d", g.Align)
	case 1:
		g.Private = !g.Private
		return fmt.Sprintf("private %v", g.Private)
	case 2:
		g.Constant = !g.Constant
		return fmt.Sprintf("constant %v", g.Constant)
	case 3:
		u.m.Globals = slices.DeleteFunc(u.m.Globals, func(x *Global) bool { return x == g })
		return "dropped " + g.Name
	case 4:
		g.Name = pick(rnd, []string{"", "x", "a b", "k"})
		return fmt.Sprintf("named %q", g.Name)
	case 5:
		g.Value = &Constant{Type: g.Value.Type, Data: make([]byte, rnd.IntN(9))}
		return fmt.Sprintf("%d bytes", len(g.Value.Data))
	}
	t, ok := tileNear(rnd, g.Value.Type).(*TileType)
	if !ok {
		return ""
	}
	g.Value = refit(g.Value, t)
	return fmt.Sprintf("type %v", t)
}

func entryHint(u *mutant) string {
	e, ok := u.anyEntry()
	if !ok {
		return ""
	}
	e.Hints = u.someHints([]string{"occupancy", "num_cta_in_cga", "num_worker_warps_per_cta", "latency", "ocupancy"})
	return fmt.Sprint(e.Hints)
}

func otherVersion(u *mutant) string {
	old := u.version
	if u.version = pick(u.rnd, Versions()); u.version == old {
		return ""
	}
	return fmt.Sprintf("%v became %v", old, u.version)
}
