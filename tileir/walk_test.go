package tileir_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

const nested = `cuda_tile.module @m {
  entry @a(%arg0: tile<i1>, %arg1: tile<i32>) {
    %0 = addi %arg1, %arg1 : tile<i32>
    for %loopIdx in (%arg1 to %0, step %arg1) : tile<i32> {
      if %arg0 {
        %1 = subi %arg1, %arg1 : tile<i32>
      } else {
        %1 = muli %arg1, %arg1 : tile<i32>
      }
      if %arg0 {
        %2 = negi %arg1 : tile<i32>
      }
    }
    return
  }
  entry @b() {
    return
  }
}`

// walked is a module with operations in regions, and an else that is absent.
func walked(t *testing.T) *Module {
	t.Helper()
	m, err := text.Parse(nested, text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mnemonics(ops []*Op) string {
	var names []string
	for _, o := range ops {
		names = append(names, o.Info.Mnemonic)
	}
	return strings.Join(names, " ")
}

func wants(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// TestAll: each operation comes before those in its regions, in the order of the text.
func TestAll(t *testing.T) {
	m := walked(t)
	const a = "addi for if subi yield muli yield if negi yield continue return"
	wants(t, "entry", mnemonics(slices.Collect(m.Entries[0].All())), a)
	wants(t, "module", mnemonics(slices.Collect(m.All())), a+" return")
	loop := m.Entries[0].Body.Ops[1]
	wants(t, "operation", mnemonics(slices.Collect(loop.All())), "for if subi yield muli yield if negi yield continue")
	wants(t, "no block", mnemonics(slices.Collect((*Block)(nil).All())), "")
	for _, name := range strings.Fields(a) { // a loop may end at any operation
		last := ""
		for o := range m.All() {
			if last = o.Info.Mnemonic; last == name {
				break
			}
		}
		wants(t, "ended", last, name)
	}
}

// TestAllSeesChanges: operations that a region gets while the walk is at its operation are walked.
func TestAllSeesChanges(t *testing.T) {
	var seen []*Op
	for o := range walked(t).Entries[0].All() {
		if o.Info.Opcode == OpFor {
			o.Regions[0].Ops = o.Regions[0].Ops[2:]
		}
		seen = append(seen, o)
	}
	wants(t, "changed", mnemonics(seen), "addi for continue return")
}

// TestBlocks leaves out what is absent.
func TestBlocks(t *testing.T) {
	body := walked(t).Entries[0].Body
	inner := body.Ops[1].Regions[0].Ops
	for _, c := range []struct {
		op   *Op
		want int
	}{{body.Ops[0], 0}, {body.Ops[1], 1}, {inner[0], 2}, {inner[1], 1}, {&Op{Regions: []*Block{nil, {}}}, 0}} {
		if n := len(slices.Collect(c.op.Blocks())); n != c.want {
			t.Errorf("%v has %d blocks, want %d", c.op.Info, n, c.want)
		}
	}
	for b := range inner[0].Blocks() {
		wants(t, "first block", mnemonics(b.Ops), "subi yield")
		break
	}
}

// TestWalk: the operations around are told, outermost first, and regions can be left out.
func TestWalk(t *testing.T) {
	var seen []string
	walked(t).Entries[0].Body.Walk(func(o *Op, around []*Op) bool {
		seen = append(seen, strings.TrimSpace(mnemonics(around)+" "+o.Info.Mnemonic))
		return o.Info.Opcode != OpIf || len(seen) < 4
	})
	wants(t, "walk", strings.Join(seen, ", "), "addi, for, for if, for if subi, for if yield, for if muli, for if yield, for if, for continue, return")
}
