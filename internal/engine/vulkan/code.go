package vulkan

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/tileir"
)

// Code is a kernel that a [Compiler] has made: a SPIR-V module with an entry point for compute, whose memory model has
// PhysicalStorageBuffer64 addresses. It has no descriptors. Its push constants, 128 bytes at most, are
//
//	offset  0  3 words   the block from which this dispatch counts: a block is WorkgroupId plus this
//	offset 12  word      the number of the kernel, for records
//	offset 16  3 words   the grid of the whole launch, in blocks
//	offset 28  word      0
//	offset 32  address   the control block of the stream
//	offset 40  address   scratch memory, Scratch bytes for each block of this dispatch, in the order of x, y, z
//	offset 48  64 bits   for each parameter, where there are no more than [InlineParams]; otherwise one address, of as many.
//	                     With Data the address of a copy of that is one parameter more, behind the others
//
// As grids may be larger than the device's, a launch may be several dispatches; NumWorkgroups is that of the dispatch, which
// scratch memory counts by.
//
// The control block is memory that the program sees while the kernel runs:
//
//	word 0     0 to run, else to stop: 1 as the program wants it, 2 after a fault
//	word 1     words of records so far, which may be more than there is room for
//	word 2     words of records that there is room for
//	word 3     0
//	word 4 …   records
//
// A kernel whose block starts while word 0 is not 0 does nothing. Each loop whose turns are not known to be few looks at the
// word and ends its block when it is not 0; the load is volatile, or compilers move it out of the loop. (Mesa removes a loop
// that has no effect, whether it ends or not.) To make a record the kernel adds its length to word 1 by an atomic operation of
// the scope Device and writes the record at the place that the old value says, only if it fits as a whole. A record is
//
//	word 0     its length in words
//	word 1     the number of the kernel
//	word 2     its site, an index of Sites
//	word 3…5   the block
//	word 6 …   what the site says
//
// A fault ends the block after its record and sets word 0 to 2 if it is 0.
type Code struct {
	Words   []uint32 // SPIR-V
	Entry   string   // the name of the entry point
	Params  int      // of the kernel
	Threads int      // invocations of a workgroup
	Shared  int      // bytes of shared memory
	Scratch int64    // bytes of scratch memory of a block, a multiple of 16; 0 for none
	// Subgroup is the size that subgroups must have; 0 leaves it to the driver. Full asks for subgroups without holes, for
	// which the workgroup's width is a multiple of the size.
	Subgroup uint32
	Full     bool
	Sites    []Site
	Length   int    // instructions, with those of a function at each of its calls; 0 if nobody has counted them
	Data     []byte // of variables, which last as long as the kernel; nil for none
}

// Site is a place of a kernel that makes records.
type Site struct {
	Fault bool       // the launch has failed; otherwise the text is printed
	Loc   tileir.Loc // of the operation
	// Text says what a record means, from its words behind the block. It may be called from any goroutine.
	Text func(words []uint32) string
}

// InlineParams is how many parameters lie in the push constants themselves.
const InlineParams = (pushBytes - pushParams) / 8

// The layout of push constants, see [Code].
const (
	pushBase    = 0
	pushKernel  = 12
	pushGrid    = 16
	pushControl = 32
	pushScratch = 40
	pushParams  = 48
	pushBytes   = 128 // which every device has
)

// Compiler makes SPIR-V of an entry of a module; [Threads] is one. What it does not take is a [*Refused] or another engine.CompileError.
type Compiler func(ctx context.Context, m *tileir.Module, entry string, c Caps) (*Code, error)

// Refused says why there is no code of a module; it implements engine.CompileError.
type Refused struct {
	Entry  string
	Loc    tileir.Loc // zero where it is not known
	Reason string
}

// Error is "kernel.go:12:3: …", or "kernel add: …" where the place is not known.
func (r *Refused) Error() string {
	if r.Loc.IsZero() {
		return "kernel " + r.Entry + ": " + r.Reason
	}
	return fmt.Sprintf("%s:%d:%d: %s", r.Loc.File, r.Loc.Line, r.Loc.Col, r.Reason)
}

// Where implements engine.CompileError.
func (r *Refused) Where() tileir.Loc { return r.Loc }

// Why implements engine.CompileError.
func (r *Refused) Why() string { return r.Reason }

// magic begins every SPIR-V module.
const magic = 0x07230203

// check refuses what the device cannot run, which drivers do not always do.
func (c *Code) check(caps *Caps) string {
	sub := caps.Subgroup
	for _, rule := range []struct {
		bad  bool
		text string
	}{
		{len(c.Words) < 5 || c.Words[0] != magic, "BUG: the compiler made no SPIR-V"},
		{c.Threads < 1 || c.Params < 0 || c.Scratch < 0 || c.Scratch%16 != 0, fmt.Sprintf("BUG: %d threads, %d parameters, %d bytes of scratch memory", c.Threads, c.Params, c.Scratch)},
		{c.Threads > int(caps.Invocations), fmt.Sprintf("it needs %d threads a block, but the device has %d at most: use smaller tiles", c.Threads, caps.Invocations)},
		{c.Shared > int(caps.Shared), fmt.Sprintf("it needs %d bytes of shared memory a block, but the device has %d: use smaller tiles", c.Shared, caps.Shared)},
		{caps.Longest > 0 && c.Length > caps.Longest, fmt.Sprintf("it has %d instructions, but the driver ends the process with more than some %d: use smaller tiles, fewer operations or another device", c.Length, caps.Longest)},
		{c.Scratch > maxScratch, fmt.Sprintf("it needs %d bytes of memory a block beyond shared memory, but %d is the bound: use smaller tiles", c.Scratch, int64(maxScratch))},
		{c.Subgroup != 0 && (!sub.CanAsk || !caps.Features.SubgroupSize), "it needs a size of subgroups, which the driver does not let one choose: update it"},
		{c.Subgroup != 0 && (c.Subgroup < sub.Min || c.Subgroup > sub.Max || c.Subgroup&(c.Subgroup-1) != 0), fmt.Sprintf("it needs subgroups of %d, but the device has %d to %d", c.Subgroup, sub.Min, sub.Max)},
		{c.Subgroup != 0 && c.Threads > int(c.Subgroup*sub.MaxPerGroup), fmt.Sprintf("it needs %d threads a block, but the device has %d subgroups of %d at most", c.Threads, sub.MaxPerGroup, c.Subgroup)},
		{c.Full && !caps.Features.FullSubgroups, "it needs full subgroups, which the driver does not promise: update it"},
	} {
		if rule.bad {
			return rule.text
		}
	}
	return ""
}
