package tile

import "github.com/cutile-go/cutile/tile/op"

// The tokens of a view order what goes through that view. The functions below order an operation that releases after
// everything before it, and everything after one that acquires, whatever the tensor: in Tile IR nothing but tokens orders
// the operations of a block.

// touched is the token of every access so far, in a kernel that releases.

//cutile:state
var touched = entry

// touch notes an access. A kernel that releases nowhere has no use for it.
func touch(t op.Token) {
	switch {
	case !op.Releases():
	case op.SameValue(touched, entry):
		touched = t
	default:
		touched = op.JoinTokens(touched, t)
	}
}

// before is what an operation of an order waits for where t is the token of its view: everything so far, if it releases.
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

// acquired notes an operation of an order: everything later waits for it, if it acquires.
func acquired(o op.MemoryOrder, t op.Token) {
	if o == op.Acquire || o == op.AcqRel {
		gate = t
	}
}
