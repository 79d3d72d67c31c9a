package scaling

import (
	"fmt"
	"strings"
)

// Machine is what an extrapolation assumes: groups of GPUs with a fast link, joined by a network.
type Machine struct {
	Group   int     // GPUs of a machine
	Inside  Link    // between them
	Between Link    // between GPUs of different machines
	Flops   float64 // operations that a GPU does in a second
	Overlap float64
}

// H100 has the figures that docs/scale.md names, with their sources.
var H100 = Machine{
	Group:   8,
	Inside:  Link{Alpha: 3.4e-6, Beta: 1 / 450e9},
	Between: Link{Alpha: 9.6e-6, Beta: 1 / 50e9},
	Flops:   0.4 * 989e12,
	Overlap: 1,
}

// slowest is the link between the GPUs that are farthest from each other.
func (m Machine) slowest(p int) Link {
	if p <= m.Group {
		return m.Inside
	}
	return m.Between
}

// ring is the time of an all-reduce in a ring of p GPUs, of whose steps one for each machine leaves it. The slower link limits the bandwidth.
func (m Machine) ring(p int, n float64) float64 {
	l := m.slowest(p)
	if p > m.Group {
		steps, leaving := float64(p-1), float64(p/m.Group-1)
		l.Alpha = ((steps-leaving)*m.Inside.Alpha + leaving*m.Between.Alpha) / steps
	}
	return l.Ring(p, n)
}

// halving is the time of an all-reduce by halving.
func (m Machine) halving(p int, n float64) float64 { return m.slowest(p).Halving(p, n) }

// Network is a transformer.
type Network struct {
	Parameters, Layers, Width, KeyWidth float64 // KeyWidth is that of all keys of a token in a layer
	Tokens                              float64 // in a step, of each GPU
	Sequence                            float64 // of ring attention
}

// Eight has the extents of a network of eight billion parameters.
var Eight = Network{Parameters: 8e9, Layers: 32, Width: 4096, KeyWidth: 1024, Tokens: 8192, Sequence: 1 << 20}

const half = 2.0 // bytes of an element

// data is a step of training with a copy in each GPU, with a bucket for each layer, and what a single GPU takes.
func (n Network) data(m Machine, p int, sum func(p int, n float64) float64) (one float64, step Step) {
	one = 6 * n.Parameters * n.Tokens / m.Flops
	return one, DataParallel(one/3, one*2/3, int(n.Layers), sum(p, half*n.Parameters/n.Layers))
}

// tensor is the same step for the tokens of one GPU, with the layers divided among all: each has two pairs.
func (n Network) tensor(m Machine, p int) (one float64, step Step) {
	one = 6 * n.Parameters * n.Tokens / m.Flops
	part := one / 3 / n.Layers / 2 / float64(p)
	s := TensorParallel(part, part, part, m.slowest(p).AllReduce(p, half*n.Tokens*n.Width))
	return one, Step{2 * n.Layers * s.Serial, 2 * n.Layers * s.Best}
}

// ring is the causal attention of one layer, forward.
func (n Network) ring(m Machine, p int) (one float64, step Step) {
	one = 2 * n.Sequence * n.Sequence * n.Width / m.Flops // half of 4·S²·width
	compute := one / float64(p) / float64(p)
	return one, RingAttention(p, compute, 2*m.slowest(p).Message(half*n.KeyWidth*n.Sequence/float64(p)))
}

// sizes are the numbers of GPUs in the table.
var sizes = []int{1, 8, 64, 512, 1024}

// Table is the extrapolation as Markdown: the times of steps, and what part of the speed of as many single GPUs that is.
func Table(m Machine, n Network) string {
	var b strings.Builder
	b.WriteString("| GPUs | data parallel, all-reduce in a ring | by halving | tensor parallel | ring attention, one layer |\n|---|---|---|---|---|\n")
	for _, p := range sizes {
		one, ring := n.data(m, p, m.ring)
		_, halving := n.data(m, p, m.halving)
		alone, tensor := n.tensor(m, p)
		whole, around := n.ring(m, p)
		cell := func(ideal float64, s Step) string {
			t := s.Time(m.Overlap)
			return fmt.Sprintf("%s (%.0f %%)", duration(t), 100*ideal/t)
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", p, cell(one, ring), cell(one, halving), cell(alone/float64(p), tensor), cell(whole/float64(p), around))
	}
	return b.String()
}

// duration writes seconds with three digits.
func duration(t float64) string {
	if t < 1 {
		return fmt.Sprintf("%.3g ms", t*1e3)
	}
	return fmt.Sprintf("%.3g s", t)
}
