// Package scaling has the model of the time of a step in many processes that docs/scale.md describes: latency, bandwidth, computation, and
// what part of them overlaps. Its benchmark compares the model with steps of package dist/parallel on this machine; its test writes the
// document's table for other machines.
package scaling

import "math"

// Link is how long a message from one process to another takes: Alpha seconds, and Beta seconds for each byte. Gamma is how long it takes
// to add a byte to a sum.
type Link struct {
	Alpha, Beta, Gamma float64

	// Measured, where not empty, has the times of messages of some lengths, which ascend. Libraries send short and long messages in different ways, and
	// caches hold some of them, so that one line does not fit all (parameterised LogP: T. Kielmann et al., Fast Measurement of LogP Parameters
	// for Message Passing Platforms, 2000).
	Measured []Time
}

// Time is the time of a message.
type Time struct{ Bytes, Seconds float64 }

// Message is the time of a message of n bytes: on the line between the two lengths around it that were measured, and beyond them on the nearest such line.
func (l Link) Message(n float64) float64 {
	m := l.Measured
	if len(m) < 2 {
		return l.Alpha + n*l.Beta
	}
	i := 1
	for i < len(m)-1 && m[i].Bytes < n {
		i++
	}
	from, to := m[i-1], m[i]
	return max(0, from.Seconds+(n-from.Bytes)*(to.Seconds-from.Seconds)/(to.Bytes-from.Bytes))
}

// log is the number of rounds in which p processes can all be reached.
func log(p int) float64 { return math.Ceil(math.Log2(float64(p))) }

// share is what part of the data p processes exchange: (p-1)/p.
func share(p int) float64 { return float64(p-1) / float64(p) }

// Gather is the time of an all-gather in a ring, of n bytes together.
func (l Link) Gather(p int, n float64) float64 { return float64(p-1) * l.Message(n/float64(p)) }

// Scatter is the time of a reduce-scatter in a ring, of n bytes in each process.
func (l Link) Scatter(p int, n float64) float64 { return l.Gather(p, n) + share(p)*n*l.Gamma }

// Ring is the time of an all-reduce of n bytes in a ring: a reduce-scatter and an all-gather. It sends the least number of bytes.
func (l Link) Ring(p int, n float64) float64 { return l.Scatter(p, n) + l.Gather(p, n) }

// Halving is the time of an all-reduce that sends as many bytes, in fewer messages: halves to partners that are ever nearer, and back.
// (R. Rabenseifner, Optimization of Collective Reduction Operations, 2004.)
func (l Link) Halving(p int, n float64) float64 {
	t := share(p) * n * l.Gamma
	for part := 1; part < p; part *= 2 {
		t += 2 * l.Message(n/float64(2*part))
	}
	return t
}

// Doubling is the time of an all-reduce in which partners exchange everything, in the least number of rounds.
func (l Link) Doubling(p int, n float64) float64 {
	return log(p) * (l.Message(n) + n*l.Gamma)
}

// AllReduce is that of the fastest algorithm: libraries choose it by length and number of processes.
func (l Link) AllReduce(p int, n float64) float64 {
	return min(l.Ring(p, n), l.Halving(p, n), l.Doubling(p, n))
}

// Broadcast is the time of a broadcast of n bytes along a tree.
func (l Link) Broadcast(p int, n float64) float64 { return log(p) * l.Message(n) }

// Step is the time of a step: without any overlap, and when all overlaps that can.
type Step struct{ Serial, Best float64 }

// Time is that of a step where a part of the possible overlap happens, from 0 to 1. On a GPU, of which the copy engines and the
// network adapters send, it is near 1; where the processor that computes must also copy, near 0.
func (s Step) Time(overlap float64) float64 { return s.Serial - overlap*(s.Serial-s.Best) }

// DataParallel is a step in which each process has a copy of the network: forward, then backward, whose gradients come in buckets. A bucket is
// summed as soon as it is complete, one after the other; sum is the time of one.
func DataParallel(forward, backward float64, buckets int, sum float64) Step {
	end := 0.0
	for i := range buckets {
		end = max(end, backward*float64(i+1)/float64(buckets)) + sum
	}
	return Step{forward + backward + float64(buckets)*sum, forward + end}
}

// TensorParallel is a step of a pair of layers, parallel by columns and by rows: forward with a sum behind it, then the gradients of the
// inputs of both, and behind them a sum, which overlaps with the gradients of the weights. The times are those of a process.
func TensorParallel(forward, inputs, weights, sum float64) Step {
	return Step{forward + inputs + weights + 2*sum, forward + sum + inputs + max(sum, weights)}
}

// RingAttention is attention in p processes: each computes with p parts of the keys and values, and receives the next while it does. compute
// and transfer are the times for one part.
func RingAttention(p int, compute, transfer float64) Step {
	n := float64(p)
	return Step{n*compute + (n-1)*transfer, (n-1)*max(compute, transfer) + compute}
}

// Fit finds the Alpha and Beta with the least sum of squares of relative errors for times of messages of some lengths. Neither is negative.
func Fit(bytes, seconds []float64) Link {
	var ss, sn, nn, s, n float64 // sums of weights, of the products of both columns, and with the times; all divided by the time
	for i, t := range seconds {
		x := bytes[i]
		ss += 1 / (t * t)
		sn += x / (t * t)
		nn += x * x / (t * t)
		s += 1 / t
		n += x / t
	}
	d := ss*nn - sn*sn
	l := Link{Alpha: (s*nn - n*sn) / d, Beta: (n*ss - s*sn) / d}
	switch {
	case d == 0 || l.Beta < 0:
		return Link{Alpha: s / ss}
	case l.Alpha < 0:
		return Link{Beta: n / nn}
	}
	return l
}
