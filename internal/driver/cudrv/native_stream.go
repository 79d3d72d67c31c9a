//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import "unsafe"

const (
	streamNonBlocking = 1 // CU_STREAM_NON_BLOCKING
	eventDefault      = 0 // CU_EVENT_DEFAULT: takes the time
)

func (d *native) StreamCreate() (Stream, error) {
	var s Stream
	r := d.call(fnStreamCreate, uintptr(unsafe.Pointer(&s)), streamNonBlocking)
	return s, d.check(fnStreamCreate, r)
}

func (d *native) StreamDestroy(s Stream) error {
	return d.check(fnStreamDestroy, d.result(fnStreamDestroy, uintptr(s)))
}

func (d *native) StreamSynchronize(s Stream) error {
	return d.check(fnStreamSynchronize, d.result(fnStreamSynchronize, uintptr(s)))
}

func (d *native) StreamQuery(s Stream) (bool, error) {
	return d.answer(fnStreamQuery, d.result(fnStreamQuery, uintptr(s)))
}

// answer turns the result of a query into a truth value: "not ready" is not an error.
func (d *native) answer(f fn, r Result) (bool, error) {
	if r == NotReady {
		return false, nil
	}
	return r == Success, d.check(f, r)
}

func (d *native) StreamWaitEvent(s Stream, e Event) error {
	return d.check(fnStreamWaitEvent, d.result(fnStreamWaitEvent, uintptr(s), uintptr(e), 0))
}

func (d *native) EventCreate() (Event, error) {
	var e Event
	r := d.call(fnEventCreate, uintptr(unsafe.Pointer(&e)), eventDefault)
	return e, d.check(fnEventCreate, r)
}

func (d *native) EventDestroy(e Event) error {
	return d.check(fnEventDestroy, d.result(fnEventDestroy, uintptr(e)))
}

func (d *native) EventRecord(e Event, s Stream) error {
	return d.check(fnEventRecord, d.result(fnEventRecord, uintptr(e), uintptr(s)))
}

func (d *native) EventSynchronize(e Event) error {
	return d.check(fnEventSynchronize, d.result(fnEventSynchronize, uintptr(e)))
}

func (d *native) EventQuery(e Event) (bool, error) {
	return d.answer(fnEventQuery, d.result(fnEventQuery, uintptr(e)))
}

func (d *native) EventElapsedTime(from, to Event) (float32, error) {
	var ms float32
	r := d.call(fnEventElapsedTime, uintptr(unsafe.Pointer(&ms)), uintptr(from), uintptr(to))
	return ms, d.check(fnEventElapsedTime, r)
}
