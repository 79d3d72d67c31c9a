package tuning

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cutile-go/cutile/device"
	core "github.com/cutile-go/cutile/internal/device"
)

// Outputs are tensors that work writes, whose elements are compared.
type Outputs struct {
	Of      string // whose results they are compared with, for errors
	list    []Output
	tensors []*core.Tensor
}

// NewOutputs takes contiguous tensors of a core. An error names the tensor by its number, and what it is an output of.
func NewOutputs(tensors []*core.Tensor, dev *core.Device, of string) (*Outputs, error) {
	o := &Outputs{Of: "the default"}
	for i, x := range tensors {
		switch {
		case x == nil || x.Memory == nil:
			return nil, fmt.Errorf("output #%d of %s is no tensor with memory", i, of)
		case x.Memory.Device() != dev || !x.View.IsRowMajor():
			return nil, fmt.Errorf("output #%d of %s has to be contiguous, and on the device of the launches", i, of)
		}
		o.list, o.tensors = append(o.list, Output{Elem: x.Elem, Shape: x.View.Shape}), append(o.tensors, x)
	}
	return o, nil
}

// place is where the elements of a contiguous tensor are in its memory.
func place(x *core.Tensor) (offset, size int64) {
	size = int64(x.Elem.Size())
	for _, n := range x.View.Shape {
		size *= int64(n)
	}
	return int64(x.View.Offset) * int64(x.Elem.Size()), size
}

// Fill sets all bytes to ones (NaN, or -1), so that work that writes too little is noticed.
func (o *Outputs) Fill() error { return o.fill(ones) }

// What elements are filled with: two values, as the work may write either of them.
const (
	ones  = 0xff
	other = 0x55
)

func (o *Outputs) fill(with byte) error {
	for _, x := range o.tensors {
		offset, size := place(x)
		if err := x.Memory.Write(bytes.Repeat([]byte{with}, int(size)), offset); err != nil {
			return err
		}
	}
	return nil
}

// Read waits for the work on the tensors and gives their bytes.
func (o *Outputs) Read(ctx context.Context) (all [][]byte, err error) {
	for _, x := range o.tensors {
		offset, size := place(x)
		data := make([]byte, size)
		if err := x.Memory.Read(ctx, data, offset); err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

// Written finds elements that a launch after [Outputs.Fill], which wrote what is given, has left as they were. If there may be some, it launches
// once more, over other bytes.
func (o *Outputs) Written(ctx context.Context, launch func() error, wrote [][]byte) error {
	if !slices.ContainsFunc(wrote, func(data []byte) bool { return bytes.IndexByte(data, ones) >= 0 }) {
		return nil
	}
	if err := o.fill(other); err != nil {
		return err
	}
	if err := launch(); err != nil {
		return err
	}
	again, err := o.Read(ctx)
	if err != nil {
		return err
	}
	for i, x := range o.list {
		size := x.Elem.Size()
		left, first := 0, -1
		for at := 0; at < len(wrote[i]); at += size {
			if all(wrote[i][at:at+size], ones) && all(again[i][at:at+size], other) {
				if left++; first < 0 {
					first = at / size
				}
			}
		}
		if left > 0 {
			return fmt.Errorf("it leaves %d of %d elements of output #%d as they were, the first at %v: an output is a tensor of which the work writes all, "+
				"unless Reset makes it ready", left, len(wrote[i])/size, i, x.index(first))
		}
	}
	return nil
}

// all reports whether all bytes are b.
func all(data []byte, b byte) bool { return bytes.Count(data, []byte{b}) == len(data) }

// Same compares what was read, as function [Same] does.
func (o *Outputs) Same(tolerance float64, got, want [][]byte) error {
	return same(o.Of, o.list, tolerance, got, want)
}

// Like reports how the outputs differ from others in number, type or shape, so that they cannot be compared: nil if they do not.
func (o *Outputs) Like(other *Outputs) error {
	if len(o.list) != len(other.list) {
		return fmt.Errorf("it has %d outputs, where %s has %d", len(o.list), o.Of, len(other.list))
	}
	for i, x := range o.list {
		if y := other.list[i]; x.Elem != y.Elem || fmt.Sprint(x.Shape) != fmt.Sprint(y.Shape) {
			return fmt.Errorf("output #%d is %v%v, where that of %s is %v%v", i, x.Elem, x.Shape, o.Of, y.Elem, y.Shape)
		}
	}
	return nil
}

// Timed is the time that a device takes for n launches, by its events. Where before is not nil, it is queued before each launch, and its time
// does not count.
func Timed(ctx context.Context, on *device.Stream, launch func() error, n int, before func() error) (time.Duration, error) {
	if before == nil {
		return span(ctx, on, n, launch)
	}
	var sum time.Duration
	for range n {
		if err := before(); err != nil {
			return 0, err
		}
		took, err := span(ctx, on, 1, launch)
		if err != nil {
			return 0, err
		}
		sum += took
	}
	return sum, nil
}

// span is the time from before the first of n launches to after the last.
func span(ctx context.Context, on *device.Stream, n int, launch func() error) (time.Duration, error) {
	start, err := on.Record()
	if err != nil {
		return 0, err
	}
	defer start.Close()
	for range n {
		if err := launch(); err != nil {
			return 0, err
		}
	}
	end, err := on.Record()
	if err != nil {
		return 0, err
	}
	defer end.Close()
	if err := on.Sync(ctx); err != nil {
		return 0, err
	}
	return end.Elapsed(start)
}
