package tile

import "github.com/cutile-go/cutile/tile/op"

// The tokens of a view order the accesses through that view. In Tile IR, only tokens order the operations of a block.
// The functions below therefore order an operation that releases after every earlier access, and every later access
// after an operation that acquires, for all tensors.

// touched is the token of all accesses so far, in a kernel that releases.

//cutile:state
var touched = entry

// touch records an access. It is needed only in a kernel that releases.
func touch(t op.Token) {
	switch {
	case !op.Releases():
	case op.SameValue(touched, entry):
		touched = t
	default:
		touched = op.JoinTokens(touched, t)
	}
}

// before returns the token that an operation with an ordering waits for; t is the token of its view. An operation that
// releases waits for all earlier accesses.
func before(o op.MemoryOrder, t op.Token) op.Token {
	t = ready(t)
	if o != op.Release && o != op.AcqRel {
		return t
	}
	op.WillRelease()
	if op.SameValue(touched, entry) || op.SameValue(touched, t) {
		return t
	}
	return op.JoinTokens(t, touched)
}

// acquired records an operation with an ordering. If it acquires, all later accesses wait for it.
func acquired(o op.MemoryOrder, t op.Token) {
	if o == op.Acquire || o == op.AcqRel {
		gate = t
	}
}
