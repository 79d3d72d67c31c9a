// Package guard gives tests memory between pages that cannot be touched, so that a program which reads or writes a byte outside ends
// at once.
package guard

import (
	"fmt"
	"os"
)

// Memory is some bytes that begin right behind a page which cannot be touched, or end right before one. What is left of the
// pages on their other side has a pattern, which [Memory.Check] looks for.
type Memory struct {
	Bytes []byte
	pages []byte // all of them
	inner []byte // those between the two that cannot be touched
	at    int    // where Bytes begin in inner
}

// New makes memory of n bytes, which are zero, at the end of its pages or at their beginning.
func New(n int, atEnd bool) (*Memory, error) {
	page := os.Getpagesize()
	size := max(1, (n+page-1)/page) * page
	pages, err := reserve(size + 2*page)
	if err != nil {
		return nil, err
	}
	m := &Memory{pages: pages, inner: pages[page : page+size]}
	if atEnd {
		m.at = size - n
	}
	m.Bytes = m.inner[m.at : m.at+n : m.at+n]
	for _, r := range m.rest() {
		for i := r.from; i < r.to; i++ {
			m.inner[i] = pattern(i)
		}
	}
	for _, p := range [][]byte{pages[:page], pages[page+size:]} {
		if err := forbid(p); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func pattern(i int) byte { return byte(i*7) | 1 }

// span is a range of inner.
type span struct{ from, to int }

// rest is what belongs to no memory.
func (m *Memory) rest() [2]span { return [2]span{{0, m.at}, {m.at + len(m.Bytes), len(m.inner)}} }

// Check says where a byte beside the memory was written. The pages that cannot be touched need no check.
func (m *Memory) Check() error {
	for _, r := range m.rest() {
		for i := r.from; i < r.to; i++ {
			if m.inner[i] != pattern(i) {
				return fmt.Errorf("byte %d of memory of %d bytes was written", i-m.at, len(m.Bytes))
			}
		}
	}
	return nil
}

// Free gives the memory back.
func (m *Memory) Free() error {
	pages := m.pages
	*m = Memory{}
	return release(pages)
}
