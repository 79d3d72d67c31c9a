package ir

import "slices"

// roomy is how much shared memory a kernel takes rather than use it twice: whoever writes to memory anew has to wait for those who still
// read there, and so little does not limit how many blocks run at a time.
const roomy = 16 << 10

// Place gives the buffers places in shared memory. Where that is much, buffers that are in use at different times share it; one that a
// loop uses from turn to turn is in use while the loop runs.
func (k *Kernel) Place() {
	p := placer{used: map[*Buffer]bool{}}
	p.block(k.Body)
	total := 0
	for b := range p.used {
		total += b.Bytes + b.Align
	}
	p.apart = total <= roomy
	for _, pinned := range []bool{true, false} {
		for _, buf := range k.Buffers {
			if pinned && buf.Pinned {
				buf.first, buf.last = 0, p.now
			}
			if p.used[buf] && buf.Pinned == pinned {
				p.place(buf)
			}
		}
	}
	k.Buffers = slices.DeleteFunc(k.Buffers, func(b *Buffer) bool { return !p.used[b] })
	k.Shared = p.bytes
}

// placer numbers instructions in the order of the text.
type placer struct {
	now   int
	used  map[*Buffer]bool
	done  []*Buffer
	bytes int
	apart bool // no buffers share memory
}

func (p *placer) block(b *Block) {
	for _, in := range b.Instrs {
		p.now++
		if in.Mem != nil && in.Mem.Buffer != nil {
			p.touch(in.Mem.Buffer, in.writes())
		}
		for _, b := range in.Bufs {
			p.touch(b, in.Op == WaitGroup || in.Op == AwaitBytes || in.Op == InitCounters)
		}
		if in.Buf != nil {
			p.touch(in.Buf, true)
		}
		from := p.now
		for _, inner := range in.Body {
			p.block(inner)
		}
		if in.Op == Loop {
			p.carried(from)
		}
	}
}

func (p *placer) touch(b *Buffer, write bool) {
	if !p.used[b] {
		p.used[b] = true
		b.first, b.reads = p.now, !write
	}
	b.last = p.now
}

// carried looks at the buffers that a loop touches: what was written before the loop, or is read first in it, has to stay until the
// loop ends.
func (p *placer) carried(from int) {
	p.now++
	for b := range p.used {
		if b.last > from && (b.first <= from || b.reads) {
			b.first, b.last = min(b.first, from), p.now
		}
	}
}

// place takes the lowest place that no buffer has that is in use at the same time.
func (p *placer) place(b *Buffer) {
	at := 0
	for {
		at = (at + b.Align - 1) / b.Align * b.Align
		i := slices.IndexFunc(p.done, func(o *Buffer) bool {
			return (p.apart || o.first <= b.last && b.first <= o.last) && o.Offset < at+b.Bytes && at < o.Offset+o.Bytes
		})
		if i < 0 {
			break
		}
		at = p.done[i].Offset + p.done[i].Bytes
	}
	b.Offset = at
	p.done = append(p.done, b)
	p.bytes = max(p.bytes, at+b.Bytes)
}

// overlap reports whether two buffers have memory in common.
func (b *Buffer) overlap(c *Buffer) bool {
	return b == c || b.Tensor == c.Tensor && b.Offset < c.Offset+c.Bytes && c.Offset < b.Offset+b.Bytes
}
