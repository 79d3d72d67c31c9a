package gemm

import (
	"unsafe"
)

// A packer fills panels of one size from operands of one layout.
type packer struct {
	pack
	k                int // elements
	kStride, nStride int // bytes between neighbours in k, and between neighbours across the panel
	gather           bool
	main, end        *function // whole rows or blocks of rows, and what is left; nil where there are none
}

// newPacker makes the packer for panels of width lanes, of which valid come from memory. It takes memory in the order in which it lies,
// along k or across the panel. If elements follow each other in neither, it collects them first, which is slow.
func newPacker(loader uint8, width, valid, k, kStride, nStride int) (*packer, error) {
	l := &loaders[loader]
	p := &packer{pack: pack{loader: loader, valid: valid, width: width}, k: k, kStride: kStride, nStride: nStride}
	switch {
	case nStride == l.elem || valid == 1 && (kStride != l.elem || k == 1):
	case kStride == l.elem || k == 1:
		p.transposed = true
	default:
		p.gather = true
	}
	var err error
	if p.k >= p.unit() {
		if p.main, err = p.pack.function(); err != nil {
			return nil, err
		}
	}
	if rest := p.k % p.unit(); rest > 0 {
		end := p.pack
		end.last = rest
		p.end, err = end.function()
	}
	return p, err
}

// unit is the number of elements of k that one round of the function takes.
func (p *packer) unit() int {
	l := &loaders[p.loader]
	if p.transposed {
		return l.group * l.block()
	}
	return l.group
}

// packBudget is how many elements a call may pack: they may come from memory that is slow.
const packBudget = 1 << 14

// run fills the panel at dst, whose rows lie behind each other.
func (p *packer) run(src, dst unsafe.Pointer) {
	if p.gather {
		p.collect(src, dst)
		return
	}
	p.fill(src, dst, p.k, p.kStride, p.nStride)
}

func (p *packer) fill(src, dst unsafe.Pointer, k, kStride, nStride int) {
	l := &loaders[p.loader]
	unit := p.unit()
	f := packFrame{src: src, dst: dst, srcStride: kStride, dstStride: p.width * l.lane, srcStep: unit * kStride}
	if p.transposed {
		f.srcStride = nStride
	}
	perCall := max(1, packBudget/(unit*p.valid))
	for left := k / unit; left > 0; left -= f.count {
		f.count = min(left, perCall)
		p.main.call(unsafe.Pointer(&f))
		f.src = unsafe.Add(f.src, f.count*f.srcStep)
		f.dst = unsafe.Add(f.dst, f.count*unit/l.group*f.dstStride)
	}
	if k%unit > 0 {
		f.count = 1
		p.end.call(unsafe.Pointer(&f))
	}
}

// collect copies the elements into an order that the function can take.
func (p *packer) collect(src, dst unsafe.Pointer) {
	l := &loaders[p.loader]
	rows := min(p.k, max(1, packBudget/p.valid)/l.group*l.group+l.group)
	buffer := make([]byte, rows*p.valid*l.elem)
	for k0 := 0; k0 < p.k; k0 += rows {
		n := min(rows, p.k-k0)
		at := 0
		for i := range n {
			row := unsafe.Add(src, (k0+i)*p.kStride)
			for j := range p.valid {
				copy(buffer[at:at+l.elem], unsafe.Slice((*byte)(unsafe.Add(row, j*p.nStride)), l.elem))
				at += l.elem
			}
		}
		p.fill(unsafe.Pointer(&buffer[0]), unsafe.Add(dst, k0/l.group*p.width*l.lane), n, p.valid*l.elem, l.elem)
	}
}
