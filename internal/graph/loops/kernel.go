package loops

import (
	"fmt"
	"sort"
	"strings"

	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Role is what a kernel does with an axis.
type Role uint8

// The roles of axes.
const (
	Grid     Role = iota // blocks divide it
	Row                  // each block has all of it: it is folded, and results are stored along it
	Inner                // it is only folded
	DotLeft              // of the left factor of a matrix product and the result
	DotRight             // of the right factor and the result
	DotSum               // the products are added along it
	Key                  // of attention: blocks go along it
	Serial               // each block has all of it, and stores one position after the other
)

var roleNames = [...]string{"grid", "row", "inner", "left", "right", "sum", "key", "serial"}

// String returns the role's name.
func (r Role) String() string { return roleNames[r] }

// Axis is an axis of a kernel.
type Axis struct {
	Extent int
	Role   Role
}

// Kernel computes one array, or a part of it.
type Kernel struct {
	Axes  []Axis
	Into  *Buffer
	At    index.Expr // where the result lies in Into: multiples of axes, unless the kernel is a scatter
	Value *Expr

	Scatter bool         // it changes elements of Into, one position along its serial axes after the other
	Where   []index.Cond // those for which these hold
	Fold    *ir.Fold     // how the value is joined with what is there; nil to replace that

	Nodes     []*ir.Node // that it computes
	Reads     []*Buffer
	Dot       *Expr // the matrix product in Value, or nil
	Attention *Expr // in Value, or nil

	of    *ir.Node // whose expression is being made
	exprs map[string]*Expr
	inner map[string][]int // axes that are only folded, by their extents
}

// Name returns a text of the nodes' names, for profiles: the functions that it computes in their order.
func (k *Kernel) Name() string {
	var parts []string
	for _, n := range k.Nodes {
		switch n.Op {
		case ir.Constant, ir.Broadcast, ir.Reshape, ir.Order, ir.Transpose, ir.Slice, ir.Convert, ir.Iota:
			continue
		}
		if len(parts) == 6 {
			parts = append(parts, "etc")
			break
		}
		parts = append(parts, n.Name())
	}
	if len(parts) == 0 {
		return "copy"
	}
	return strings.Join(parts, "_")
}

// expr gives the kernel's expression that is written like e.
func (k *Kernel) expr(e Expr) *Expr {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %x %v %v %v %v", e.Kind, e.Elem, e.Bits, e.Buffer, e.At, e.Along, e.First)
	if e.Func != nil {
		b.WriteString(e.Func.Name)
	}
	if e.Fold != nil {
		b.WriteString(e.Fold.Name)
	}
	for _, a := range e.Args {
		fmt.Fprintf(&b, " #%d", a.ID)
		e.Uses |= a.Uses
	}
	e.Uses |= usesOf(e.At)
	for _, c := range e.Where {
		fmt.Fprintf(&b, " %v<%d", c.Index, c.N)
		e.Uses |= usesOf(c.Index)
	}
	switch e.Kind {
	case Reduce, ArgReduce, Dot, Attention:
		e.Uses &^= axesOf(e.Along)
	}
	key := b.String()
	if old := k.exprs[key]; old != nil {
		return old
	}
	e.ID = len(k.exprs)
	if e.Node == nil {
		e.Node = k.of
	}
	k.exprs[key] = &e
	return &e
}

// finish lists what the kernel reads.
func (k *Kernel) finish() {
	seen := map[*Buffer]bool{}
	k.Walk(func(e *Expr) {
		if e.Kind == Load && !seen[e.Buffer] {
			seen[e.Buffer] = true
			k.Reads = append(k.Reads, e.Buffer)
		}
		switch e.Kind {
		case Dot:
			k.Dot = e
		case Attention:
			k.Attention = e
		}
	})
	sort.Slice(k.Nodes, func(i, j int) bool { return k.Nodes[i].ID < k.Nodes[j].ID })
}

// Walk calls f once for each expression, also those that tell where elements lie, operands first.
func (k *Kernel) Walk(f func(*Expr)) {
	seen := map[*Expr]bool{}
	var walk func(*Expr)
	at := func(x index.Expr) {
		x.Atoms(func(a *index.Atom) {
			if a.Kind == index.ValueAtom {
				walk(a.Value.(*Expr))
			}
		})
	}
	walk = func(e *Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		at(e.At)
		for _, c := range e.Where {
			at(c.Index)
		}
		for _, a := range e.Args {
			walk(a)
		}
		f(e)
	}
	at(k.At)
	for _, c := range k.Where {
		at(c.Index)
	}
	walk(k.Value)
}
