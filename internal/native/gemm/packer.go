package gemm

import (
	"runtime"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// A plan knows how to pack an operand, or a part of it, into panels.
type plan struct {
	packers []*packer
	panel   int // bytes of a panel
	panels  int

	// bias is a kernel for one row of C that fills the row before the lanes of each panel, or nil if there is no such row. It
	// multiplies the panel by what becomes of an A of zeros.
	bias   *function
	row, k int  // the bytes of a row of a panel, and the rows without that one
	given  int  // the rows that the packers fill; those behind become zeros
	minus  bool // the last lane is not full, and the rest of it becomes -0
}

// newPlan makes a plan for so many rows of A or columns of B, and elements of k. The strides are the bytes between neighbours
// in k and in the other dimension.
func newPlan(level host.Level, loader uint8, form form, width, extent, k, kStride, nStride int, bias *function) (*plan, error) {
	l := &loaders[loader]
	p := &plan{panels: ceil(extent, width), bias: bias, row: width * l.lane, k: form.lanes(ceil(k, l.group)), given: ceil(k, l.group),
		minus: l.minusZero && k%l.group > 0}
	if form == inTiles {
		p.given = p.k
	}
	p.panel = (p.k + p.before()) * p.row
	order := orderOf(l, extent, k, kStride, nStride)
	together := 1
	if order == byRows && form != inTiles { // read long rows of memory as a whole
		together = max(1, min(maxTogether/width, maxDistance/p.panel))
	}
	for j := 0; j < p.panels; j += together {
		pack := pack{level: level, loader: loader, tiles: form == inTiles, transposed: order == byColumns, width: width, panels: min(together, p.panels-j), panel: p.panel}
		pack.valid = min(pack.panels*width, extent-j*width)
		if pack.panels == 1 {
			pack.panel = 0
		}
		if j > 0 && p.packers[len(p.packers)-1].pack == pack {
			p.packers = append(p.packers, p.packers[len(p.packers)-1])
			continue
		}
		next, err := newPacker(pack, order, k, kStride, nStride)
		if err != nil {
			return nil, err
		}
		p.packers = append(p.packers, next)
	}
	return p, nil
}

const (
	maxTogether = 512     // columns that a function packs at once
	maxDistance = 1 << 30 // bytes that its addresses span
)

// size is the bytes of all panels.
func (p *plan) size() int { return p.panels * p.panel }

// before is the number of rows that a panel has before the lanes of the operand.
func (p *plan) before() int { return b2i(p.bias != nil) }

// lanes is where the lanes of the first panel begin.
func (p *plan) lanes(memory []byte) uintptr { return address(memory) + uintptr(p.before()*p.row) }

// fill packs what lies at src into memory that has at least size bytes, and gives the address of the first panel's lanes.
func (p *plan) fill(src unsafe.Pointer, memory []byte) uintptr {
	first := p.lanes(memory[:p.size()])
	done := 0
	for _, packer := range p.packers {
		packer.run(unsafe.Add(src, done*packer.width*packer.nStride), first+uintptr(done*p.panel))
		done += packer.panels
	}
	for j := 0; p.given < p.k && j < p.panels; j++ {
		clear(memory[j*p.panel:][(p.before()+p.given)*p.row : p.panel])
	}
	if p.minus {
		p.fillMinus(memory)
	}
	if p.bias != nil {
		p.fillBias(first)
	}
	runtime.KeepAlive(memory)
	return first
}

// fillMinus makes -0 of the second halves of the last lanes.
func (p *plan) fillMinus(memory []byte) {
	for j := range p.panels {
		last := memory[j*p.panel:][(p.before()+p.given-1)*p.row:][:p.row]
		for i := 3; i < len(last); i += 4 {
			last[i] = 0x80
		}
	}
}

// inverted is a lane of A of zeros whose highest bits are inverted.
var inverted = [4]byte{0x80, 0x80, 0x80, 0x80}

// biasBudget is how many lanes of products a call of the kernel for the bias may add.
const biasBudget = 1 << 19

func (p *plan) fillBias(lanes uintptr) {
	perCall := max(1, biasBudget/(kChunk*p.row))
	for j := 0; j < p.panels; j += perCall {
		at := lanes + uintptr(j*p.panel)
		f := frame{a: uintptr(unsafe.Pointer(&inverted)), b: at, to: part{at - uintptr(p.row), 0, p.panel}, panels: min(perCall, p.panels-j), blocks: 1, bPanel: p.panel}
		for k := 0; k < p.k; k += f.k {
			f.k = min(kChunk, p.k-k)
			f.b = at + uintptr(k*p.row)
			p.bias.call(unsafe.Pointer(&f))
			f.from, f.keep = f.to, 1
		}
	}
}

// An order says which elements follow each other in memory.
type order uint8

const (
	byRows    order = iota // those of neighbouring columns of B, or rows of A
	byColumns              // those of neighbouring k
	scattered              // none
)

func orderOf(l *loader, extent, k, kStride, nStride int) order {
	switch {
	case nStride == l.elem || extent == 1 && (kStride != l.elem || k == 1):
		return byRows
	case kStride == l.elem || k == 1:
		return byColumns
	}
	return scattered
}

// A packer fills some panels of an operand.
type packer struct {
	pack
	order            order
	k                int // elements
	kStride, nStride int
	main, end        *function // for whole rows or blocks of rows, and for what is left; nil where there are none
}

func newPacker(pack pack, order order, k, kStride, nStride int) (*packer, error) {
	p := &packer{pack: pack, order: order, k: k, kStride: kStride, nStride: nStride}
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
	switch {
	case p.tiles:
		return l.group * tileLanes
	case p.transposed:
		return l.group * p.block()
	}
	return l.group
}

// packBudget is how many elements a call may pack: they may come from memory that is slow.
const packBudget = 1 << 14

// run fills the panels at dst. It takes memory in the order in which it lies. If elements follow each other in no direction, it
// collects them first, which is slow.
func (p *packer) run(src unsafe.Pointer, dst uintptr) {
	if p.order == scattered {
		p.collect(src, dst)
		return
	}
	p.fill(uintptr(src), dst, p.k, p.kStride, p.nStride)
	runtime.KeepAlive(src)
}

func (p *packer) fill(src, dst uintptr, k, kStride, nStride int) {
	l := &loaders[p.loader]
	unit := p.unit()
	f := packFrame{srcStride: kStride, dstStride: p.width * l.lane, srcStep: unit * kStride}
	if p.transposed {
		f.srcStride = nStride
	}
	perCall := max(1, packBudget/(unit*p.valid))
	for done, units := 0, k/unit; done < units; done += f.count {
		f.count = min(units-done, perCall)
		f.src, f.dst = src+uintptr(done*f.srcStep), dst+uintptr(done*unit/l.group*f.dstStride)
		p.main.call(unsafe.Pointer(&f))
	}
	if rest := k % unit; rest > 0 {
		f.count = 1
		f.src, f.dst = src+uintptr((k-rest)*kStride), dst+uintptr((k-rest)/l.group*f.dstStride)
		p.end.call(unsafe.Pointer(&f))
	}
}

// collect copies the elements into an order that the function can take.
func (p *packer) collect(src unsafe.Pointer, dst uintptr) {
	l := &loaders[p.loader]
	unit := p.unit()
	rows := min(p.k, max(1, packBudget/p.valid)/unit*unit+unit)
	buffer := freeCells.get(rows * p.valid * l.elem) // Go may put smaller memory of its own on the stack, which moves
	defer freeCells.put(buffer)
	for k0 := 0; k0 < p.k; k0 += rows {
		n := min(rows, p.k-k0)
		at := 0
		for i := range n {
			for j := range p.valid {
				element := unsafe.Add(src, (k0+i)*p.kStride+j*p.nStride)
				copy(buffer[at:at+l.elem], unsafe.Slice((*byte)(element), l.elem))
				at += l.elem
			}
		}
		p.fill(address(buffer), dst+uintptr(k0/l.group*p.width*l.lane), n, p.valid*l.elem, l.elem)
	}
}
