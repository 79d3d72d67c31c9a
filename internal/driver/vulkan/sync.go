package vulkan

import (
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// Objects of time. Zero is none.
type (
	Semaphore uint64 // VkSemaphore that counts: a timeline
	QueryPool uint64 // VkQueryPool of timestamps
)

// CreateTimeline makes a semaphore that counts up from 0.
func (d *Device) CreateTimeline() (Semaphore, error) {
	const timeline = 1
	kind := &semaphoreTypeCreateInfo{header: header{sType: typeSemaphoreTypeCreateInfo}, typ: timeline}
	return create[Semaphore](d, fnCreateSemaphore, "VkSemaphore",
		unsafe.Pointer(&semaphoreCreateInfo{header: header{typeSemaphoreCreateInfo, unsafe.Pointer(kind)}}))
}

// DestroySemaphore gives a semaphore back; nothing that is submitted may use it.
func (d *Device) DestroySemaphore(s Semaphore) {
	d.destroy(fnDestroySemaphore, uint64(s), "VkSemaphore")
}

// counters are on the heap, as quick wants it.
var counters = sync.Pool{New: func() any { return new(uint64) }}

// Value is how far a timeline has come. It does not allocate.
func (d *Device) Value(s Semaphore) (uint64, error) {
	p := counters.Get().(*uint64)
	r := d.quick(fnGetSemaphoreCounterValue, d.handle, uintptr(s), uintptr(unsafe.Pointer(p)))
	v := *p
	counters.Put(p)
	return v, d.check(fnGetSemaphoreCounterValue, r)
}

// waiting is what a wait hands to the driver.
type waiting struct {
	info      semaphoreWaitInfo
	semaphore Semaphore
	value     uint64
}

var waitings = sync.Pool{New: func() any { return new(waiting) }}

// Wait waits until a timeline has come to a value, for as long as patience allows, and reports whether it has. It does not
// allocate.
func (d *Device) Wait(s Semaphore, value uint64, patience time.Duration) (bool, error) {
	w := waitings.Get().(*waiting)
	w.semaphore, w.value = s, value
	w.info = semaphoreWaitInfo{header: header{sType: typeSemaphoreWaitInfo}, count: 1, semaphores: &w.semaphore, values: &w.value}
	r := d.quick(fnWaitSemaphores, d.handle, uintptr(unsafe.Pointer(&w.info)), uintptr(max(0, patience)))
	waitings.Put(w)
	return r == Success, d.check(fnWaitSemaphores, r)
}

// Submission is work for a queue: a command buffer, what it waits for, and what it tells when it is done. It may be used
// again and must not be copied once it was used. A zero Commands is none.
type Submission struct {
	Commands CommandBuffer
	Waits    [2]Point // those without a semaphore are left out; they come last
	Signal   Point

	info     submitInfo
	timeline timelineSemaphoreSubmitInfo
	waits    [2]Semaphore
	values   [2]uint64
	stages   [2]uint32
}

// Point is a value of a timeline.
type Point struct {
	Semaphore Semaphore
	Value     uint64
}

// Submit queues work. It does not allocate.
func (d *Device) Submit(q Queue, s *Submission) error {
	n := 0
	for _, w := range s.Waits {
		if w.Semaphore != 0 {
			s.waits[n], s.values[n], s.stages[n] = w.Semaphore, w.Value, stageAll
			n++
		}
	}
	s.timeline = timelineSemaphoreSubmitInfo{header: header{sType: typeTimelineSemaphoreSubmitInfo},
		waitCount: uint32(n), waits: &s.values[0], signalCount: 1, signals: &s.Signal.Value}
	s.info = submitInfo{header: header{typeSubmitInfo, unsafe.Pointer(&s.timeline)},
		waitCount: uint32(n), waits: &s.waits[0], waitStages: &s.stages[0], signalCount: 1, signals: &s.Signal.Semaphore}
	if s.Commands != 0 {
		s.info.commandCount, s.info.commands = 1, &s.Commands
	}
	r := d.quick(fnQueueSubmit, uintptr(q), 1, uintptr(unsafe.Pointer(&s.info)), 0)
	runtime.KeepAlive(s)
	return d.check(fnQueueSubmit, r)
}

// CreateQueryPool makes a pool of timestamps.
func (d *Device) CreateQueryPool(count uint32) (QueryPool, error) {
	const timestamps = 2
	return create[QueryPool](d, fnCreateQueryPool, "VkQueryPool",
		unsafe.Pointer(&queryPoolCreateInfo{header: header{sType: typeQueryPoolCreateInfo}, typ: timestamps, count: count}))
}

// DestroyQueryPool gives a pool back.
func (d *Device) DestroyQueryPool(p QueryPool) {
	d.destroy(fnDestroyQueryPool, uint64(p), "VkQueryPool")
}

// CmdTimestamp takes the time when all commands before it are done.
func (d *Device) CmdTimestamp(c CommandBuffer, p QueryPool, index uint32) {
	d.quick(fnCmdResetQueryPool, uintptr(c), uintptr(p), uintptr(index), 1)
	d.quick(fnCmdWriteTimestamp, uintptr(c), stageBottom, uintptr(p), uintptr(index))
}

// Timestamp is a time that was taken, in ticks.
func (d *Device) Timestamp(p QueryPool, index uint32) (uint64, error) {
	const words64, wait = 1, 2
	var v uint64
	r := d.call(fnGetQueryPoolResults, d.handle, uintptr(p), uintptr(index), 1, 8, uintptr(unsafe.Pointer(&v)), 8, words64|wait)
	return v, d.check(fnGetQueryPoolResults, r)
}
