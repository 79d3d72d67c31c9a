package op

// Hints guide the assembler. A field that is zero is not given.
type Hints struct {
	Latency  int        // latency of the access, 1 to 10
	NoTMA    int        // 1 forbids the tensor memory accelerator; pointers never use it
	InBounds []bool     // for each axis, a promise that the whole tile lies inside; nil promises nothing
	By       []ArchHint // hints for one architecture only
}

// ArchHint holds hints for one architecture, such as "sm_100".
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

// StoreView stores a tile at an index. Elements outside the tensor are dropped.
//
//cutile:op store_view_tko(x, v, index, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, allow_tma: not(h.NoTMA), by: h.By), inbounds: h.InBounds}
func StoreView[T any](x T, v PartitionView[T], index []int, o MemoryOrder, s Scope, h Hints, t Token) Token {
	panic(host)
}

// Offset advances pointers by a number of elements.
//
//cutile:op offset(p, i)
func Offset[P, I any](p P, i I) P { panic(host) }

// LoadPtr loads an element through each pointer where mask is true; elsewhere the result is pad.
//
//cutile:op load_ptr_tko(p, mask, pad, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, by: h.By)}
func LoadPtr[R, P, M, D any](p P, mask M, pad D, o MemoryOrder, s Scope, h Hints, t Token) (R, Token) {
	panic(host)
}

// StorePtr stores an element through each pointer where mask is true.
//
//cutile:op store_ptr_tko(p, x, mask, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, by: h.By)}
func StorePtr[P, T, M any](p P, x T, mask M, o MemoryOrder, s Scope, h Hints, t Token) Token {
	panic(host)
}

// MakeToken returns a token without predecessors.
//
//cutile:op make_token()
func MakeToken() Token { panic(host) }

// JoinTokens returns a token that depends on all tokens of t.
//
//cutile:op join_tokens(t)
func JoinTokens(t ...Token) Token { panic(host) }

// Alloca returns scratch memory for n elements, which is new for each execution of the operation. With shared, all
// threads of the block share it. align is a power of two, in bytes.
//
//cutile:op alloca() {num_elem: n, alignment: align, global: shared}
func Alloca[E any](n, align int, shared bool) Pointer[E] { panic(host) }

// GetGlobal returns memory that belongs to the module and initially holds these elements, followed by zeros up to a
// power of two. align is in bytes, with 0 for the natural alignment; constant promises that nothing is stored there.
//
//cutile:op get_global() {name: symbol(values, align, constant)}
func GetGlobal[E any](values []E, align int, constant bool) Pointer[E] { panic(host) }

// FenceAlias orders accesses to the same memory through two mappings.
//
//cutile:op memory_fence_alias_tko(t)
func FenceAlias(t Token) Token { panic(host) }
