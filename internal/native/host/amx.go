package host

import "sync"

// RequestAMX asks the system to let this process use the AMX registers. It asks once; later calls give the same answer. It
// is called only before code with AMX runs, since from then on the system saves 8 KiB more for each thread.
//
// The registers belong to a thread, and a goroutine may move to another one between calls. Code therefore configures the
// tiles, uses them and releases them within one call.
var RequestAMX = sync.OnceValue(requestAMX)
