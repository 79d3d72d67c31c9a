package emu

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// counter is an instruction that counts what it does. It stands in the place of the instruction without the guard, so that it
// also sees the executions in which no lane is active.
type counter struct {
	instr
	pc     int
	look   look       // nil if it does not access memory
	matrix matrixWork // of a matrix instruction
}

// look adds what an instruction is about to do in memory for the lanes of a mask.
type look func(w *warp, m uint32, c *Count)

// matrixWork is what a matrix instruction does for each warp that executes it.
type matrixWork struct {
	multiplyAdds int64
	operand      int64 // bytes that it reads from shared memory
	async        bool  // it goes on until a wait
	wait         bool  // no product, but the wait for such ones
}

// count runs the instruction for the lanes of m whose guard is true.
func (k *counter) count(w *warp, m uint32) {
	t := w.block.cluster.tally
	active := m & (w.p[k.guard] ^ k.flip)
	if active == 0 {
		w.count-- // it is not an instruction of the clock's
		w.visit(k.pc)
		t.counts[k.pc].Executed++
		t.counts[k.pc].Idle++
		return
	}
	var c Count
	if k.look != nil {
		if k.look(w, active, &c); w.event == failed {
			return
		}
	}
	if k.matrix.wait {
		w.meet(t)
	}
	if k.run(w, active); !w.done(k, &active) {
		return
	}
	w.visit(k.pc)
	c.Executed, c.Lanes = 1, int64(bits.OnesCount32(active))
	if w.event == branched && active != m {
		c.Diverged = 1
	}
	work := k.matrix
	if w.multiplied.multiplyAdds > 0 {
		work, w.multiplied = w.multiplied, matrixWork{}
	}
	if work.multiplyAdds > 0 {
		w.overlap(k.pc, &work, &c)
	}
	t.counts[k.pc].Add(&c)
}

// done reports whether an instruction has been executed, and for which lanes: where it waits for lanes of its warp or for the
// end of something that it asks about, it will be executed again.
func (w *warp) done(k *counter, m *uint32) bool {
	switch w.event {
	case failed:
		return false
	case blocked:
		if w.wait.retry || w.wait.ready == nil && !isBarWarp(k.src.Op) {
			return false
		}
		*m = w.taken
	case gathered:
		*m = w.groups[w.g].mask
	}
	return true
}

// visit notes that the warp has executed an instruction.
func (w *warp) visit(pc int) {
	if !w.visited[pc] {
		w.visited[pc] = true
		w.block.cluster.tally.counts[pc].Warps++
	}
}

// overlap notes the copies to shared memory that are under way while a product is computed.
func (w *warp) overlap(pc int, work *matrixWork, c *Count) {
	c.MultiplyAdds, c.Operand, c.InFlight = work.multiplyAdds, work.operand, w.flying+w.block.flying
	switch {
	case c.InFlight > 0:
		c.Overlapped = 1
	case work.async:
		w.alone = append(w.alone, pc)
	}
}

// meet notes that products which began without copies beside them go on while there are some.
func (w *warp) meet(t *tally) {
	if n := w.flying + w.block.flying; n > 0 {
		for _, pc := range w.alone {
			t.counts[pc].Overlapped++
			t.counts[pc].InFlight += n
		}
	}
	w.alone = w.alone[:0]
}

// matrixWorkOf reads the shape and the types of a matrix instruction. Those of wgmma are done by four warps.
func matrixWorkOf(in *simt.Instr) (p matrixWork) {
	words := strings.Split(in.Op, ".")
	switch words[0] {
	case "wgmma":
		p.async, p.wait = words[1] == "mma_async", words[1] == "wait_group"
	case "mma":
	default:
		return p
	}
	for i, word := range words {
		m, n, k, ok := shapeOf(word)
		if !ok || i+3 >= len(words) {
			continue
		}
		if p.multiplyAdds = m * n * k; !p.async {
			return p
		}
		p.multiplyAdds /= 4
		if b := elements[words[i+3]]; b != nil {
			p.operand += n * k * int64(b.bits) / 8 / 4
		}
		if a := elements[words[i+2]]; a != nil && len(in.Src) > 0 && in.Src[0].Kind != simt.Vector {
			p.operand += m / 4 * k * int64(a.bits) / 8
		}
	}
	return p
}

// shapeOf reads a shape such as m16n8k16.
func shapeOf(word string) (m, n, k int64, ok bool) {
	rest, ok := strings.CutPrefix(word, "m")
	mText, rest, ok1 := strings.Cut(rest, "n")
	nText, kText, ok2 := strings.Cut(rest, "k")
	m, err1 := strconv.ParseInt(mText, 10, 16)
	n, err2 := strconv.ParseInt(nText, 10, 16)
	k, err3 := strconv.ParseInt(kText, 10, 16)
	return m, n, k, ok && ok1 && ok2 && err1 == nil && err2 == nil && err3 == nil
}
