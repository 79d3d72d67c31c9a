package spirv

import "slices"

// graph is the control flow of a function, with blocks by number from 0, the first block.
type graph struct {
	succ, pred [][]int
	order      []int // reverse postorder of the blocks that can be reached
	rank       []int // the place in order; -1 for a block that cannot be reached
	idom       []int // the closest dominator
	enter      []int // the dominator tree in depth first order: a block dominates those between enter and leave
	leave      []int
	tree       []int    // the blocks in that order
	back       [][2]int // edges to a block that is on the way to their beginning
}

// newGraph makes a graph of the blocks' successors.
func newGraph(succ [][]int) *graph {
	n := len(succ)
	g := &graph{succ: succ, pred: make([][]int, n), rank: make([]int, n), idom: make([]int, n), enter: make([]int, n), leave: make([]int, n)}
	for from, list := range succ {
		for _, to := range list {
			g.pred[to] = append(g.pred[to], from)
		}
	}
	g.walk()
	g.dominators()
	g.number()
	return g
}

// walk finds the order, and the back edges also among blocks that cannot be reached.
func (g *graph) walk() {
	w := &walk{graph: g, state: make([]int, len(g.succ)), next: make([]int, len(g.succ))}
	g.order = w.from(0)
	slices.Reverse(g.order)
	for i := range g.rank {
		g.rank[i] = -1
	}
	for i, b := range g.order {
		g.rank[b] = i
	}
	for b, s := range w.state {
		if s == fresh {
			w.from(b)
		}
	}
}

// walk is a walk through a graph, first to what is farther.
type walk struct {
	*graph
	state []int
	next  []int // the successor that is looked at next
}

// The states of blocks.
const (
	fresh = iota
	open  // on the way from the beginning
	done
)

// from walks from a block, and gives what it reaches in postorder. It does not recurse: a function may have many blocks.
func (w *walk) from(root int) (order []int) {
	stack := []int{root}
	w.state[root] = open
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		if w.next[at] == len(w.succ[at]) {
			w.state[at] = done
			order = append(order, at)
			stack = stack[:len(stack)-1]
			continue
		}
		to := w.succ[at][w.next[at]]
		w.next[at]++
		switch w.state[to] {
		case fresh:
			w.state[to] = open
			stack = append(stack, to)
		case open:
			w.back = append(w.back, [2]int{at, to})
		}
	}
	return order
}

// dominators finds the closest dominators, as Cooper, Harvey and Kennedy's "A Simple, Fast Dominance Algorithm" does.
func (g *graph) dominators() {
	for i := range g.idom {
		g.idom[i] = -1
	}
	g.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for _, b := range g.order[1:] {
			best := -1
			for _, p := range g.pred[b] {
				if g.rank[p] < 0 || g.idom[p] < 0 {
					continue
				}
				if best < 0 {
					best = p
				} else {
					best = g.common(best, p)
				}
			}
			if best != g.idom[b] {
				g.idom[b], changed = best, true
			}
		}
	}
}

// common gives the closest block that dominates both.
func (g *graph) common(a, b int) int {
	for a != b {
		for g.rank[a] > g.rank[b] {
			a = g.idom[a]
		}
		for g.rank[b] > g.rank[a] {
			b = g.idom[b]
		}
	}
	return a
}

// number numbers the dominator tree.
func (g *graph) number() {
	children := make([][]int, len(g.succ))
	for _, b := range g.order[1:] {
		children[g.idom[b]] = append(children[g.idom[b]], b)
	}
	clock := 0
	stack := []int{0}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		if g.enter[at] == 0 {
			clock++
			g.enter[at] = clock
			g.tree = append(g.tree, at)
		}
		if len(children[at]) == 0 {
			g.leave[at] = clock
			stack = stack[:len(stack)-1]
			continue
		}
		stack = append(stack, children[at][0])
		children[at] = children[at][1:]
	}
}

// reached reports whether a block can be reached.
func (g *graph) reached(b int) bool { return g.rank[b] >= 0 }

// dominates reports whether every way to b goes through a. Both can be reached.
func (g *graph) dominates(a, b int) bool { return g.enter[a] <= g.enter[b] && g.leave[b] <= g.leave[a] }

// below calls f with the blocks that a dominates and that none of the others do. The others are dominated by a.
func (g *graph) below(a int, f func(b int), others ...int) {
	for at := g.enter[a] - 1; at < g.leave[a]; at++ {
		b := g.tree[at]
		if contains(others, b) {
			at = g.leave[b] - 1
			continue
		}
		f(b)
	}
}
