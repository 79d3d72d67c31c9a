package op

// Hints guide the assembler; a zero field is not given.
type Hints struct {
	Latency  int        // how far ahead to load, 1 to 10
	NoTMA    int        // 1 keeps the tensor memory accelerator out; pointers never use it
	InBounds []bool     // axes along which the whole tile is promised to lie inside; nil promises nothing
	By       []ArchHint // hints for one architecture only
}

// ArchHint are the hints for one architecture, such as "sm_100".
type ArchHint struct {
	Arch           string
	Latency, NoTMA int
}

// LoadView loads the tile at an index.
//
//cutile:op load_view_tko(v, index, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, allow_tma: not(h.NoTMA), by: h.By), inbounds: h.InBounds}
func LoadView[T any](v PartitionView[T], index []int, o MemoryOrder, s Scope, h Hints, t Token) (T, Token) {
	panic(host)
}

// StoreView stores a tile at an index; what lies outside the tensor is dropped.
//
//cutile:op store_view_tko(x, v, index, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, allow_tma: not(h.NoTMA), by: h.By), inbounds: h.InBounds}
func StoreView[T any](x T, v PartitionView[T], index []int, o MemoryOrder, s Scope, h Hints, t Token) Token {
	panic(host)
}

// Offset advances pointers by numbers of elements.
//
//cutile:op offset(p, i)
func Offset[P, I any](p P, i I) P { panic(host) }

// LoadPtr loads one element a pointer; where mask does not hold it gives pad.
//
//cutile:op load_ptr_tko(p, mask, pad, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, by: h.By)}
func LoadPtr[R, P, M, D any](p P, mask M, pad D, o MemoryOrder, s Scope, h Hints, t Token) (R, Token) {
	panic(host)
}

// StorePtr stores one element a pointer where mask holds.
//
//cutile:op store_ptr_tko(p, x, mask, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, by: h.By)}
func StorePtr[P, T, M any](p P, x T, mask M, o MemoryOrder, s Scope, h Hints, t Token) Token {
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

// Alloca is scratch memory for n elements, which each run of the operation gets anew; with shared every thread of the
// block sees it. align counts bytes and is a power of two.
//
//cutile:op alloca() {num_elem: n, alignment: align, global: shared}
func Alloca[E any](n, align int, shared bool) Pointer[E] { panic(host) }

// GetGlobal is memory that belongs to the module and starts with these elements; what is missing up to a power of two is
// zero. align counts bytes, 0 for the natural alignment; constant promises that nothing is stored.
//
//cutile:op get_global() {name: symbol(values, align, constant)}
func GetGlobal[E any](values []E, align int, constant bool) Pointer[E] { panic(host) }

// FenceAlias orders accesses of one memory through two mappings of it.
//
//cutile:op memory_fence_alias_tko(t)
func FenceAlias(t Token) Token { panic(host) }
