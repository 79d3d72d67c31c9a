// Package shadow is an engine around another one that repeats each launch on the CPU and compares what the two leave in memory.
//
// Before a launch, the memory that its arguments point to is copied to the host. The launch then runs on the device, and on the CPU with
// its copies, one after the other: the CPU engine runs kernels of Tile IR, the emulator those of the SIMT level. Where the device is the CPU
// itself, the interpreter repeats what machine code did. Bytes that differ are compared as elements, floats within a tolerance. For the first
// element that differs, the launch is repeated again on a device with checks, which notes the block and the line that stored it, finds races,
// and runs the blocks in several orders: results that depend on the order are no differences.
//
// Programs go on with the results of the device. So the CPU always begins with what the device has, and a difference is reported once.
//
// A stream is a goroutine with a queue: it does the work of a launch while the program goes on, and launches that wait for each other do so
// here. Work on one stream happens in order, and an event has happened when the comparisons before it have ended.
package shadow
