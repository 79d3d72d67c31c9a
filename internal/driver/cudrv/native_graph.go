//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import "unsafe"

const captureRelaxed = 2 // CU_STREAM_CAPTURE_MODE_RELAXED

func (d *native) StreamBeginCapture(s Stream) error {
	for _, f := range []fn{fnStreamEndCapture, fnGraphDestroy, fnGraphInstantiate, fnGraphLaunch, fnGraphExecDestroy} {
		if d.addr[f] == 0 { // a stream that captures could not be made use of
			return d.fail(f, NotFound)
		}
	}
	return d.check(fnStreamBeginCapture, d.result(fnStreamBeginCapture, uintptr(s), captureRelaxed))
}

func (d *native) StreamEndCapture(s Stream) (Graph, error) {
	var g Graph
	r := d.call(fnStreamEndCapture, uintptr(s), uintptr(unsafe.Pointer(&g)))
	return g, d.check(fnStreamEndCapture, r)
}

func (d *native) GraphDestroy(g Graph) error {
	return d.check(fnGraphDestroy, d.result(fnGraphDestroy, uintptr(g)))
}

func (d *native) GraphInstantiate(g Graph) (Exec, error) {
	var e Exec
	r := d.call(fnGraphInstantiate, uintptr(unsafe.Pointer(&e)), uintptr(g), 0)
	return e, d.check(fnGraphInstantiate, r)
}

// updateResult is CUgraphExecUpdateResultInfo.
type updateResult struct {
	code            int32
	node, otherNode uintptr
}

func (d *native) GraphExecUpdate(e Exec, g Graph) error {
	var why updateResult
	r := d.call(fnGraphExecUpdate, uintptr(e), uintptr(g), uintptr(unsafe.Pointer(&why)))
	return d.check(fnGraphExecUpdate, r)
}

func (d *native) GraphLaunch(e Exec, s Stream) error {
	return d.check(fnGraphLaunch, d.result(fnGraphLaunch, uintptr(e), uintptr(s)))
}

func (d *native) GraphExecDestroy(e Exec) error {
	return d.check(fnGraphExecDestroy, d.result(fnGraphExecDestroy, uintptr(e)))
}
