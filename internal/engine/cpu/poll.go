package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
)

// pollElems is how many elements a large operation handles between two looks at whether the launch is to end: at most
// some milliseconds.
const pollElems = 1 << 15

// halted is the panic that leaves an operation when the launch is to end.
type halted struct{}

// poll leaves the running operation by a panic if the launch is to end. A caller that holds a lock must release it in a defer.
func (f *frame) poll() {
	f.looks++
	if f.stop.Load() {
		panic(halted{})
	}
}

// stoppedFault is the end of a block that was halted.
func (f *frame) stoppedFault() *engine.Fault {
	return &engine.Fault{Kernel: f.kernel.name, Block: f.block, Known: true, Text: stopped}
}

// inParts runs a loop over n elements in parts, with a look between them. steps are the bytes from one element to the next.
func (f *frame) inParts(run kernel, d, a, b, c ptr, n int, steps [4]int) {
	for lo := 0; lo < n; lo += pollElems {
		f.poll()
		run(unsafe.Add(d, lo*steps[0]), unsafe.Add(a, lo*steps[1]), unsafe.Add(b, lo*steps[2]), unsafe.Add(c, lo*steps[3]), min(pollElems, n-lo))
	}
}

// convert is inParts for a conversion.
func (f *frame) convert(run kernel, d, s ptr, n, dSize, sSize int) {
	if n <= pollElems {
		run(d, s, nil, nil, n)
		return
	}
	for lo := 0; lo < n; lo += pollElems {
		f.poll()
		run(unsafe.Add(d, lo*dSize), unsafe.Add(s, lo*sSize), nil, nil, min(pollElems, n-lo))
	}
}

// copyLayout copies as a layout says, a large one in parts.
func (f *frame) copyLayout(l layout, d, s ptr, size int) {
	n := 1
	for _, k := range l.shape {
		n *= k
	}
	if n <= pollElems {
		l.copy(d, s, size)
		return
	}
	f.poll()
	rest, step := n/l.shape[0], 1
	if rest < pollElems {
		step = max(1, pollElems/max(1, rest))
	}
	part := layout{append([]int{step}, l.shape[1:]...), l.dst, l.src}
	for i := 0; i < l.shape[0]; i += step {
		f.poll()
		to, from := unsafe.Add(d, i*l.dst[0]*size), unsafe.Add(s, i*l.src[0]*size)
		if step == 1 && len(l.shape) > 1 {
			f.copyLayout(layout{l.shape[1:], l.dst[1:], l.src[1:]}, to, from, size)
			continue
		}
		part.shape[0] = min(step, l.shape[0]-i)
		part.copy(to, from, size)
	}
}

// copyInParts copies bytes, many of them in parts.
func (f *frame) copyInParts(dst, src ptr, bytes int) {
	for bytes > 8*pollElems {
		copyBytes(dst, src, 8*pollElems)
		f.poll()
		dst, src, bytes = unsafe.Add(dst, 8*pollElems), unsafe.Add(src, 8*pollElems), bytes-8*pollElems
	}
	copyBytes(dst, src, bytes)
}

// fillInParts fills n elements of a size with one, many of them in parts.
func (f *frame) fillInParts(dst, src ptr, size, n int) {
	for ; n > pollElems; n -= pollElems {
		fillBytes(dst, src, size, pollElems)
		f.poll()
		dst = unsafe.Add(dst, pollElems*size)
	}
	fillBytes(dst, src, size, n)
}

// eachPart calls do for parts of n elements, with a look before each but the first, until it gives false.
func (f *frame) eachPart(n int, do func(lo, n int) bool) bool {
	for lo := 0; lo < n; lo += pollElems {
		if lo > 0 {
			f.poll()
		}
		if !do(lo, min(pollElems, n-lo)) {
			return false
		}
	}
	return true
}

// clearInParts makes memory zero.
func (f *frame) clearInParts(b []byte) {
	for len(b) > 0 {
		f.poll()
		n := min(len(b), 8*pollElems)
		clear(b[:n])
		b = b[n:]
	}
}

// pollStep is a step that looks whether the launch is to end.
func pollStep(f *frame) signal {
	f.poll()
	return sigNext
}
