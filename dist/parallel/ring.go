package parallel

import (
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
)

// Ring divides sequences among the processes of a group, for attention that no process could compute alone: each has some of the tokens, with
// their queries, keys and values. The keys and values go around the ring of processes, and each process computes attention of its queries to those
// that are there, while the next ones arrive. (H. Liu, M. Zaharia and P. Abbeel, Ring Attention with Blockwise Transformers, 2023.)
//
// [Ring.Positions] says which tokens a process has. Without causal these are consecutive ones. With causal the sequence has two chunks for
// each process, and rank r of P has chunk r and chunk 2P-1-r: late tokens see many keys and early ones few, so all have nearly the same work in
// each step.
type Ring struct {
	group  *dist.Group
	length int
	causal bool
}

// NewRing describes how sequences of length tokens are divided among the processes of a group. All must give the same arguments. Each process
// has one token at least, and two if causal.
func NewRing(g *dist.Group, length int, causal bool) (*Ring, error) {
	if g.Device() == nil {
		return nil, errors.New("parallel: NewRing: the group is nil: use the one that dist.Join returns")
	}
	r := &Ring{g, length, causal}
	if n := r.chunks(); length < n {
		return nil, fmt.Errorf("parallel: NewRing: a sequence of %d tokens cannot be divided among %d processes: it needs %d tokens at least", length, g.Size(), n)
	}
	return r, nil
}

// chunks is into how many chunks a sequence is divided.
func (r *Ring) chunks() int {
	if r.causal {
		return 2 * r.group.Size()
	}
	return r.group.Size()
}

// share gives the chunks of a rank: one or two.
func (r *Ring) share(rank int) []int {
	if r.causal {
		return []int{rank, r.chunks() - 1 - rank}
	}
	return []int{rank}
}

// Positions returns where in the sequence the tokens of a rank are, in the order in which the rank's tensors have them. It returns nil for
// a rank that the group does not have.
func (r *Ring) Positions(rank int) (all []int) {
	if r == nil || rank < 0 || rank >= r.group.Size() {
		return nil
	}
	for _, c := range r.share(rank) {
		from, to := Part(r.length, c, r.chunks())
		for i := from; i < to; i++ {
			all = append(all, i)
		}
	}
	return all
}

// Len returns how many tokens a rank has; 0 for a rank that the group does not have.
func (r *Ring) Len(rank int) int { return len(r.Positions(rank)) }

// early is how many tokens of a rank are in its first chunk.
func (r *Ring) early(rank int) int {
	from, to := Part(r.length, r.share(rank)[0], r.chunks())
	return to - from
}

// span is a part of the tokens of a process.
type span struct{ from, to int }

// step is what a process does while it has the keys of a rank: which of its queries see which keys, and whether each sees only those up to
// its own.
type step struct {
	owner         int
	queries, keys span
	causal        bool
}

// steps are those of this process, its own keys first. Of the keys of an earlier rank, all its queries see the first chunk, and none the second;
// all keys of a later rank are seen by the queries of its second chunk, and none by those of the first.
func (r *Ring) steps() (all []step) {
	size, own := r.group.Size(), r.group.Rank()
	for i := range size {
		owner := (own - i + size) % size
		s := step{owner, span{0, r.Len(own)}, span{0, r.Len(owner)}, r.causal && owner == own}
		switch {
		case r.causal && owner < own:
			s.keys.to = r.early(owner)
		case r.causal && owner > own:
			s.queries.from = r.early(own)
		}
		all = append(all, s)
	}
	return all
}

// rows are a part of the tokens of a tensor [batch, heads, tokens, …].
func rows[E dtype.Elem](t *device.Tensor[E], s span) *device.Tensor[E] {
	return t.Narrow(2, s.from, s.to)
}

// neighbours are the ranks to which this process sends, and from which it receives.
func (r *Ring) neighbours() (next, before int) {
	size, own := r.group.Size(), r.group.Rank()
	return (own + 1) % size, (own + size - 1) % size
}
