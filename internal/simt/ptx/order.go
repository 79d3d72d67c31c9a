package ptx

import (
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/simt"
)

// anyOrder are beginnings of opcodes behind which NVIDIA's assembler takes the modifiers in any order, as TestAnyOrder asks it. libcu++
// and inline assembly make use of that: "fence.gpu.sc", "atom.add.acquire.gpu.s32". The longest beginning decides; one
// that ends in "!" has a fixed order.
var anyOrder = []string{
	"atom", "red", "red.async!", "fence", "fence.proxy", "fence.mbarrier_init", "membar", "ld", "st", "st.async!", "prefetch",
	"vote", "shfl", "match", "redux", "bar.red", "barrier.cluster.arrive", "barrier.cluster.wait",
	"add", "sub", "mul", "mul.hi!", "mul.lo!", "mul.wide!", "fma", "div", "div.full!", "min", "max", "sqrt", "rcp", "ex2", "lg2", "setp",
}

// beginning is the entry of anyOrder that decides over an opcode, "" if none does.
func beginning(op string) string {
	best := ""
	for _, b := range anyOrder {
		if head := strings.TrimSuffix(b, "!"); len(head) >= len(best) && (op == head || strings.HasPrefix(op, head+".")) {
			best = b
		}
	}
	if strings.HasSuffix(best, "!") {
		return ""
	}
	return best
}

// sortedOp is an opcode with the modifiers behind its beginning in alphabetical order: the same for all orders.
func sortedOp(op, head string) string {
	words := strings.Split(op[len(head):], ".")
	slices.Sort(words)
	return head + strings.Join(words, ".")
}

// orders has the opcodes of the table by the modifiers that they have, "" where two differ only in the order.
var orders = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for f := range simt.Forms() {
		head := beginning(f.Op)
		if head == "" {
			continue
		}
		key := sortedOp(f.Op, head)
		if other, twice := m[key]; twice && other != f.Op {
			m[key] = ""
			continue
		}
		m[key] = f.Op
	}
	return m
})

// reorder gives an opcode with its modifiers in the table's order, "" if the table has none with these.
func reorder(op string) string {
	head := beginning(op)
	if head == "" {
		return ""
	}
	return orders()[sortedOp(op, head)]
}
