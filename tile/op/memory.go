package op

// Hints guide the assembler; a zero field is not given.
type Hints struct {
	Latency int // how far ahead to load, 1 to 10
	NoTMA   int // 1 keeps the tensor memory accelerator out
}

// LoadView loads the tile at an index.
//
//cutile:op load_view_tko(v, index, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, allow_tma: not(h.NoTMA))}
func LoadView[T any](v PartitionView[T], index []int, o MemoryOrder, s Scope, h Hints, t Token) (T, Token) {
	panic(host)
}

// StoreView stores a tile at an index; what lies outside the tensor is dropped.
//
//cutile:op store_view_tko(x, v, index, t) {memory_ordering_semantics: o, memory_scope: s}
func StoreView[T any](x T, v PartitionView[T], index []int, o MemoryOrder, s Scope, t Token) Token {
	panic(host)
}

// Offset advances pointers by numbers of elements.
//
//cutile:op offset(p, i)
func Offset[P, I any](p P, i I) P { panic(host) }

// LoadPtr loads one element a pointer; where mask does not hold it gives pad.
//
//cutile:op load_ptr_tko(p, mask, pad, t) {memory_ordering_semantics: o, memory_scope: s}
func LoadPtr[R, P, M, D any](p P, mask M, pad D, o MemoryOrder, s Scope, t Token) (R, Token) {
	panic(host)
}

// StorePtr stores one element a pointer where mask holds.
//
//cutile:op store_ptr_tko(p, x, mask, t) {memory_ordering_semantics: o, memory_scope: s}
func StorePtr[P, T, M any](p P, x T, mask M, o MemoryOrder, s Scope, t Token) Token { panic(host) }

// AtomicRMW changes memory atomically where mask holds and gives the old values.
//
//cutile:op atomic_rmw_tko(p, x, mask, t) {memory_ordering_semantics: o, memory_scope: s, mode: m}
func AtomicRMW[P, T, M any](p P, x T, mask M, m RMW, o MemoryOrder, s Scope, t Token) (T, Token) {
	panic(host)
}

// MakeToken is a token without predecessors.
//
//cutile:op make_token()
func MakeToken() Token { panic(host) }

// JoinTokens depends on all its tokens.
//
//cutile:op join_tokens(t)
func JoinTokens(t ...Token) Token { panic(host) }

// Print writes formatted text; the verbs are those of C's printf.
//
//cutile:op print_tko(args, t) {str: s}
func Print(s string, t Token, args ...any) Token { panic(host) }

// Assert stops the kernel with a message where an element of c does not hold.
//
//cutile:op assert(c) {message: s}
func Assert[B any](c B, s string) { panic(host) }
