// Package tuned has the records that the functions of the kernels choose their tiles by.
package tuned

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cutile-go/cutile"
)

// inUse are the records of the process, with what was asked of them; nil for none.
var inUse atomic.Pointer[choices]

// choices are records with what they have said.
type choices struct {
	records *cutile.Records
	known   sync.Map // from question to configuration
}

// question is work on a device, which may be gone.
type question struct {
	device weak.Pointer[cutile.Device]
	work   string
}

// Use sets the records, for all devices; nil for none.
func Use(r *cutile.Records) {
	if r == nil {
		inUse.Store(nil)
		return
	}
	inUse.Store(&choices{records: r})
}

// Tensor is an argument of work, which records are for.
type Tensor interface {
	Shape() []int
	Strides() []int
	Device() *cutile.Device
}

// Choose gives the configuration that the records have for some work, or the usual one. name is that of a function, with all that its kernel depends
// on beside the tensors. search gives the search that records are made by. It is asked once for tensors of the same shapes and strides.
func Choose[C any](ctx context.Context, usual C, name string, tensors []Tensor, search func() (cutile.Search[C], error)) C {
	c := inUse.Load()
	if c == nil {
		return usual
	}
	q := question{weak.Make(tensors[0].Device()), name}
	for _, t := range tensors {
		q.work += fmt.Sprint(t.Shape(), t.Strides())
	}
	if found, ok := c.known.Load(q); ok {
		if x, ok := found.(C); ok {
			return x
		}
	}
	s, err := search()
	if err != nil {
		return usual // what is wrong with the arguments is said when they are used
	}
	s.Records = c.records
	found, err := cutile.Recall(ctx, s)
	if err != nil {
		return usual // as above, or the records cannot be read, which must not stop a program that works without them
	}
	c.known.Store(q, found)
	return found
}

// Space lists the configurations of a search: the usual one first, and those of the others that differ from it and from each other.
func Space[C comparable](usual C, others ...C) []C {
	list := []C{usual}
	seen := map[C]bool{usual: true}
	for _, c := range others {
		if !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
	}
	return list
}
