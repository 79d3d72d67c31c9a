// Package serve is a CPU engine for another process: the one behind `cutile serve`. It reads requests from a stream and
// writes a reply to each, in order; large memory goes through a file that both processes map.
//
// docs/serve.md describes the protocol, which has the version [Version]. What a peer sends is checked before it is used:
// a request that is wrong gets a reply that says why, and the session goes on.
package serve

import "time"

// Version is the number of the protocol. Peers of another version are refused.
const Version = 1

// Kind says what a request asks for.
type Kind byte

// The requests.
const (
	Hello  Kind = 'H' // begins a session
	Load   Kind = 'L' // reads and verifies a module
	Unload Kind = 'U' // forgets a module
	Run    Kind = 'R' // runs an entry of a module
)

// Code says what kind of error a reply is.
type Code byte

// The errors.
const (
	BadRequest   Code = 1 + iota // the request is malformed, out of limits or out of place
	BadBytecode                  // the module cannot be read
	BadModule                    // the module breaks a rule of Tile IR
	NotSupported                 // the engine lacks something that the kernel needs
	Failed                       // the kernel failed while it ran: an assertion, an access outside of memory, a false promise
	TimedOut                     // the kernel took longer than the request allows
	Internal                     // a bug of the engine
)

// The flags of a Run request.
const NoPromises = 1 // what the kernel assumes of its arguments is not tested

// The flags of a region of memory.
const (
	HoldsAddresses = 1 // eight-byte words that are addresses in regions are translated; the region is constant, too
	ConstantRegion = 2 // a kernel that changes it has failed
)

// Limits bound what a session may ask for.
type Limits struct {
	Frame   int           // bytes of a request
	Modules int           // loaded at a time
	Regions int           // of a run
	Params  int           // of a run
	Memory  int64         // bytes of the shared file, and of all regions of a run
	Time    time.Duration // of a run
}

// DefaultLimits are those of `cutile serve`.
func DefaultLimits() Limits {
	return Limits{Frame: 256 << 20, Modules: 1 << 16, Regions: 1 << 16, Params: 1 << 16, Memory: 1 << 40, Time: 24 * time.Hour}
}
