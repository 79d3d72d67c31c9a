package cpu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// errUnwritten is the error of a print that was given up because its launch is to end.
var errUnwritten = errors.New("the writer for the output of kernels did not accept the text")

// stopLook is how often a print whose writer has not returned checks whether its launch is to end.
const stopLook = 10 * time.Millisecond

// print writes a text as one piece. The writer is the caller's: it may block for ever, or wait for the very launch that prints.
// So the print stops waiting for it when stopped says so; the writer may still take the text later.
func (d *Device) print(text []byte, stopped func() bool) error {
	done := make(chan error, 1)
	text = bytes.Clone(text)
	go func() { done <- d.write(text) }()
	look := time.NewTicker(stopLook)
	defer look.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-look.C:
			if stopped() {
				return errUnwritten
			}
		}
	}
}

// write calls the writer, for one text at a time. A panic of it is an error.
func (d *Device) write(text []byte) (err error) {
	d.outMu.Lock()
	defer d.outMu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the writer for the output of kernels panicked: %v", r)
		}
	}()
	_, err = d.out.Write(text)
	return err
}

// Output implements [engine.SIMT]: whole pieces, one at a time.
func (d *Device) Output() io.Writer { return &output{device: d, stopped: func() bool { return false }} }

// output is where one launch of the SIMT level prints.
type output struct {
	device  *Device
	stopped func() bool
	gaveUp  atomic.Bool // a print was given up
}

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	err := o.device.print(b, o.stopped)
	if err != nil {
		o.gaveUp.CompareAndSwap(false, err == errUnwritten)
		return 0, err
	}
	return len(b), nil
}
