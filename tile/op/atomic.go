package op

// AtomicRMW changes memory atomically where mask is true and returns the old values.
//
//cutile:op atomic_rmw_tko(p, x, mask, t) {memory_ordering_semantics: o, memory_scope: s, mode: m}
func AtomicRMW[P, T, M any](p P, x T, mask M, m RMW, o MemoryOrder, s Scope, t Token) (T, Token) {
	panic(host)
}

// AtomicCAS atomically stores x where memory equals old and mask is true, and returns the old values of memory.
//
//cutile:op atomic_cas_tko(p, old, x, mask, t) {memory_ordering_semantics: o, memory_scope: s}
func AtomicCAS[P, T, M any](p P, old, x T, mask M, o MemoryOrder, s Scope, t Token) (T, Token) {
	panic(host)
}

// RedView combines a tile with memory atomically. Elements outside the tensor are dropped.
//
//cutile:op atomic_red_view_tko(v, index, x, t) {memory_ordering_semantics: o, memory_scope: s, mode: m}
func RedView[T any](v PartitionView[T], index []int, x T, m RMW, o MemoryOrder, s Scope, t Token) Token {
	panic(host)
}

// RedStrided combines a tile with memory atomically. Elements outside the tensor are dropped.
//
//cutile:op atomic_red_view_tko(v, index, x, t) {memory_ordering_semantics: o, memory_scope: s, mode: m}
func RedStrided[T any](v StridedView[T], index []int, x T, m RMW, o MemoryOrder, s Scope, t Token) Token {
	panic(host)
}
