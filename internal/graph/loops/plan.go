package loops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Plan is what computes a graph's results: steps in order, each behind those that make what it reads.
type Plan struct {
	Results []*ir.Node
	Steps   []Step
	Buffers map[*ir.Node]*Buffer // of the nodes that have memory: parameters, constants, and what steps compute
}

// Step is a kernel, or a node that decides what is computed.
type Step struct {
	*Kernel
	Control *ir.Node
}

// Arrays returns the memory that a step uses, what it writes first; a control step writes its parts.
func (s *Step) Arrays(p *Plan) []*Buffer {
	if s.Control == nil {
		return append([]*Buffer{s.Into}, s.Reads...)
	}
	var all []*Buffer
	for _, x := range s.Control.In {
		all = append(all, p.Buffers[x])
	}
	return all
}

// New plans the computation of nodes. Attention to at least so many keys is one kernel. ctx ends the planning, which takes long for graphs
// of many nodes.
func New(ctx context.Context, results []*ir.Node, keys int) (*Plan, error) {
	p := &planner{results: results, keys: keys, orders: map[*ir.Node][]int{}, memory: map[*ir.Node]bool{}, made: map[*ir.Node][]*Kernel{}, kept: map[*ir.Node]*Buffer{}}
	p.find()
	for {
		again, err := p.round(ctx)
		if err != nil {
			return nil, err
		}
		if !again {
			return p.plan(), nil
		}
	}
}

type planner struct {
	results []*ir.Node
	keys    int
	order   []*ir.Node // the nodes that the results depend on, each behind its operands
	users   map[*ir.Node][]*ir.Node
	fixed   map[*ir.Node]bool  // nodes that depend on constants alone
	orders  map[*ir.Node][]int // in which nodes have their axes in memory, if they are to have it; none for row-major order
	memory  map[*ir.Node]bool
	made    map[*ir.Node][]*Kernel // of the nodes that have them, none of which computes a node that has memory
	kept    map[*ir.Node]*Buffer   // the same in every round
}

// find lists the nodes and their users, and those that need memory whatever uses them.
func (p *planner) find() {
	p.users, p.fixed = map[*ir.Node][]*ir.Node{}, map[*ir.Node]bool{}
	seen := map[*ir.Node]bool{}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		fixed := n.Op != ir.Parameter && !n.IsControl() && n.Op != ir.Part
		for _, x := range n.In {
			visit(x)
			p.users[x] = append(p.users[x], n)
			fixed = fixed && p.fixed[x]
		}
		p.fixed[n] = fixed
		p.order = append(p.order, n)
	}
	for _, n := range p.results {
		visit(n)
	}
	for _, n := range p.order {
		if n.Order != nil {
			p.orders[n] = n.Order
		}
	}
	for _, n := range p.order {
		switch n.Op {
		case ir.Parameter, ir.Copy, ir.Concat, ir.ArgSort, ir.Scatter, ir.Scan, ir.Part:
			p.memory[n] = true
		case ir.Pad:
			p.memory[n] = stored(n)
		case ir.While, ir.If:
			for _, x := range n.In {
				p.memory[x] = true
				delete(p.orders, x)
			}
		case ir.Constant:
			_, splat := n.Attr.(ir.ConstantAttr).Bits(n.Elem)
			p.memory[n] = !splat
		}
	}
	for _, n := range p.results {
		p.memory[n] = true
		delete(p.orders, n)
	}
}

// round decides which nodes have memory, and tries to make the kernels of those. It reports whether another round is needed.
func (p *planner) round(ctx context.Context) (again bool, err error) {
	if err := p.share(ctx); err != nil {
		return false, err
	}
	buffers := p.buffers()
	for _, n := range p.order {
		if _, made := p.made[n]; made || !p.computed(n) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		ks, err := p.kernels(n, buffers)
		needs := needed(err)
		switch {
		case needs != nil:
			if err := p.give(needs, buffers); err != nil {
				return false, err
			}
			again = true
		case err != nil:
			return false, err
		default:
			p.made[n] = ks
		}
	}
	return again, nil
}

// needed lists the nodes that apart errors name: none for another error.
func needed(err error) []*ir.Node {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var nodes []*ir.Node
		for _, e := range all.Unwrap() {
			nodes = append(nodes, needed(e)...)
		}
		return nodes
	}
	if a, ok := errors.AsType[apart](err); ok {
		return []*ir.Node{a.node}
	}
	return nil
}

// give gives memory to nodes without which a kernel cannot be.
func (p *planner) give(needs []*ir.Node, buffers map[*ir.Node]*Buffer) error {
	given := map[*ir.Node]bool{}
	for _, n := range needs {
		m := p.behind(n)
		switch {
		case given[m]:
		case p.memory[m]:
			return fmt.Errorf("BUG: no kernel computes %v", m)
		default:
			p.remember(m)
			buffers[m], given[m] = p.buffer(m), true
		}
	}
	return nil
}

// remember gives a node memory, and drops the kernels that compute it for others.
func (p *planner) remember(n *ir.Node) {
	p.memory[n] = true
	for root, made := range p.made {
		if root != n && slices.ContainsFunc(made, func(k *Kernel) bool { return slices.Contains(k.Nodes, n) }) {
			delete(p.made, root)
		}
	}
}

// behind gives the node that should have memory so that one has that must: of a matrix product, what is computed of its elements
// alone and of what has memory, as long as nothing else needs the elements before.
func (p *planner) behind(n *ir.Node) *ir.Node {
	if n.Op != ir.Dot {
		return n
	}
	for len(p.users[n]) == 1 {
		u := p.users[n][0]
		if p.memory[u] || u.Op != ir.Pointwise && u.Op != ir.Convert {
			break
		}
		for _, x := range u.In {
			if x != n && !p.moved(x) {
				return n
			}
		}
		n = u
	}
	return n
}

// moved reports whether a node only moves elements of memory.
func (p *planner) moved(n *ir.Node) bool {
	for !p.memory[n] {
		if costs(n) {
			return false
		}
		if len(n.In) == 0 {
			return true
		}
		n = n.In[0]
	}
	return true
}

// computed reports whether kernels compute the node into memory.
func (p *planner) computed(n *ir.Node) bool {
	if n.Op == ir.Constant {
		_, splat := n.Attr.(ir.ConstantAttr).Bits(n.Elem)
		return p.memory[n] && splat && n.Len() > 1 // the device is given a single element
	}
	return p.memory[n] && n.Op != ir.Parameter && n.Op != ir.Part && n.Len() > 0
}

// share gives memory to nodes that several kernels would compute at some cost.
func (p *planner) share(ctx context.Context) error {
	in := map[*ir.Node]map[*ir.Node]bool{} // the kernels that compute a node, by the nodes with memory that they make
	for i := len(p.order) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := p.order[i]
		of := map[*ir.Node]bool{}
		for _, u := range p.users[n] {
			if p.memory[u] {
				of[u] = true
				continue
			}
			for root := range in[u] {
				of[root] = true
			}
		}
		in[n] = of
		if !p.memory[n] && !n.IsControl() && (len(of) > 1 && costs(n) || p.repeated(n)) {
			p.remember(n)
		}
	}
	return nil
}

// costs reports whether a node should be computed once: everything but what only moves elements, or is made of nothing.
func costs(n *ir.Node) bool {
	switch n.Op {
	case ir.Constant, ir.Iota, ir.Broadcast, ir.Reshape, ir.Order, ir.Transpose, ir.Slice, ir.Reverse, ir.Window:
		return false
	}
	return true
}

// repeated reports whether a node's elements would be computed many times by a user that takes each element more than once.
func (p *planner) repeated(n *ir.Node) bool {
	return (n.Op == ir.Pointwise || n.Op == ir.Reduce || n.Op == ir.ArgReduce) && p.overlaps(n)
}

// overlaps reports whether a user of a node, or of what moves its elements, takes elements more than once.
func (p *planner) overlaps(n *ir.Node) bool {
	for _, u := range p.users[n] {
		switch {
		case u.Op == ir.Window || u.Op == ir.Gather && u.In[0] == n && u.Len() > n.Len():
			return true
		case !p.memory[u] && (movers[u.Op] != nil || u.Op == ir.Pad) && p.overlaps(u):
			return true
		}
	}
	return false
}

func (p *planner) buffers() map[*ir.Node]*Buffer {
	buffers := map[*ir.Node]*Buffer{}
	for _, n := range p.order {
		if p.memory[n] {
			buffers[n] = p.buffer(n)
		}
	}
	return buffers
}

func (p *planner) buffer(n *ir.Node) *Buffer {
	if p.kept[n] == nil {
		p.kept[n] = &Buffer{n, p.orders[n]}
	}
	return p.kept[n]
}

func (p *planner) plan() *Plan {
	out := &Plan{Results: p.results, Buffers: p.buffers()}
	for _, n := range p.order {
		if n.IsControl() {
			out.Steps = append(out.Steps, Step{Control: n})
		}
		for _, k := range p.made[n] {
			out.Steps = append(out.Steps, Step{Kernel: k})
		}
	}
	return out
}

// Fused lists the nodes that a kernel computes, or stands for: of attention also those of the softmax, which have no expression.
func (p *Plan) Fused(k *Kernel) []*ir.Node {
	all := slices.Clone(k.Nodes)
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		for _, x := range n.In {
			if p.Buffers[x] == nil && !slices.Contains(all, x) {
				all = append(all, x)
				visit(x)
			}
		}
	}
	if k.Attention != nil {
		visit(k.Attention.Node)
	}
	slices.SortFunc(all, func(a, b *ir.Node) int { return a.ID - b.ID })
	return all
}

// String returns the plan as a dump shows it.
func (p *Plan) String() string {
	var b strings.Builder
	for _, s := range p.Steps {
		if s.Control != nil {
			fmt.Fprintln(&b, s.Control)
			continue
		}
		b.WriteString(s.Kernel.String())
	}
	return b.String()
}
