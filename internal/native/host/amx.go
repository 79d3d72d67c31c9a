package host

import "sync"

// RequestAMX asks the system to let this process use the AMX registers, once; later calls give the same answer. Only who is
// about to run code with AMX calls it: from then on the system saves 8 KiB more for each thread.
//
// The contents of the registers are lost whenever a goroutine moves to another thread: code configures the tiles, uses them
// and releases them within one call.
var RequestAMX = sync.OnceValue(requestAMX)
