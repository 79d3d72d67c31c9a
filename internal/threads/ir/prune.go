package ir

import "github.com/cutile-go/cutile/tileir"

// Prune drops what computes or loads values that nobody reads.
func (k *Kernel) Prune() {
	uses := make([]int32, len(k.Classes))
	k.Body.All(func(in *Instr) { in.Uses(func(v Value) { uses[v]++ }) })
	k.Body.prune(uses)
}

// prune goes backwards, so that what a dropped instruction read may be dropped, too.
func (b *Block) prune(uses []int32) {
	n := len(b.Instrs)
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		in := b.Instrs[i]
		for k := len(in.Body) - 1; k >= 0; k-- {
			in.Body[k].prune(uses)
		}
		if (in.Pure() || in.Op == Get || in.Op == Load && in.Mem.Space == Global && in.Mem.Order == tileir.MemoryWeak) && unread(in, uses) {
			in.Uses(func(v Value) { uses[v]-- })
			continue
		}
		n--
		b.Instrs[n] = in
	}
	b.Instrs = b.Instrs[n:]
}

func unread(in *Instr, uses []int32) bool {
	for _, v := range in.Dst {
		if uses[v] > 0 {
			return false
		}
	}
	return true
}
