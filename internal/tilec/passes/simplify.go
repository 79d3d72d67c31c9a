package passes

import (
	"encoding/binary"
	"fmt"

	"github.com/cutile-go/cutile/internal/tilec/note"
	"github.com/cutile-go/cutile/tileir"
)

// simplify merges equal pure operations and drops those whose results nobody uses.
func simplify(e *tileir.Entry) {
	s := &simplifier{same: map[*tileir.Value]*tileir.Value{}, ids: map[*tileir.Value]int{}}
	s.block(e.Body, &scope{seen: map[string][]*tileir.Value{}})
	sweep(e.Body, uses(e.Body))
}

// scope holds the operations that a block and those around it have computed so far.
type scope struct {
	outer *scope
	seen  map[string][]*tileir.Value
}

func (sc *scope) find(key string) []*tileir.Value {
	for ; sc != nil; sc = sc.outer {
		if r, ok := sc.seen[key]; ok {
			return r
		}
	}
	return nil
}

type simplifier struct {
	same map[*tileir.Value]*tileir.Value // merged values and what stands for them
	ids  map[*tileir.Value]int
	buf  []byte
}

func (s *simplifier) block(b *tileir.Block, sc *scope) {
	kept := b.Ops[:0]
	for _, o := range b.Ops {
		for i, v := range o.Operands {
			if w, ok := s.same[v]; ok {
				o.Operands[i] = w
			}
		}
		for r := range o.Blocks() {
			s.block(r, &scope{outer: sc, seen: map[string][]*tileir.Value{}})
		}
		if !o.Info.Pure || len(o.Regions) > 0 || len(o.Results) == 0 {
			kept = append(kept, o)
			continue
		}
		key := s.key(o)
		if old := sc.find(key); old != nil {
			for i, r := range o.Results {
				s.same[r] = old[i]
			}
			continue
		}
		sc.seen[key] = o.Results
		kept = append(kept, o)
	}
	b.Ops = kept
}

// key is equal for operations that compute the same.
func (s *simplifier) key(o *tileir.Op) string {
	b := binary.AppendVarint(s.buf[:0], int64(o.Info.Opcode))
	for _, v := range o.Operands {
		b = binary.AppendVarint(b, int64(s.id(v)))
	}
	for _, n := range o.Segments {
		b = binary.AppendVarint(b, int64(n))
	}
	for _, a := range o.Attrs {
		b = appendAttr(b, a)
	}
	for _, r := range o.Results {
		b = appendType(b, r.Type)
	}
	s.buf = b
	return string(b)
}

func appendAttr(b []byte, a tileir.Attr) []byte {
	switch a := a.(type) {
	case nil:
		return append(b, '_')
	case tileir.Int:
		return binary.AppendVarint(append(b, 'i'), int64(a))
	case *tileir.Constant:
		return append(append(b, 'c'), a.Data...)
	case tileir.Bounded:
		return appendEnds(append(b, 'b'), a.Lower, a.Upper)
	case tileir.DivBy:
		return appendEnds(binary.AppendUvarint(append(b, 'd'), a.Divisor), a.Every, a.Along)
	}
	return fmt.Appendf(b, " %T%v", a, a)
}

func appendEnds(b []byte, ends ...*int64) []byte {
	for _, p := range ends {
		if p == nil {
			b = append(b, '?')
		} else {
			b = binary.AppendVarint(append(b, '='), *p)
		}
	}
	return b
}

func appendType(b []byte, t tileir.Type) []byte {
	x, ok := t.(*tileir.TileType)
	if !ok {
		return append(append(b, ' '), t.String()...)
	}
	pointer := byte('t')
	if x.Pointer {
		pointer = 'p'
	}
	b = append(b, pointer, byte(x.Elem))
	for _, d := range x.Shape {
		b = binary.AppendVarint(b, int64(d))
	}
	return b
}

func (s *simplifier) id(v *tileir.Value) int {
	id, ok := s.ids[v]
	if !ok {
		id = len(s.ids)
		s.ids[v] = id
	}
	return id
}

// uses counts how often each value is an operand.
func uses(b *tileir.Block) map[*tileir.Value]int {
	n := map[*tileir.Value]int{}
	for o := range b.All() {
		if note.Is(o) {
			continue
		}
		for _, v := range o.Operands {
			n[v]++
		}
	}
	return n
}

// sweep drops pure operations without uses, last ones first, so that what only they used goes too.
func sweep(b *tileir.Block, n map[*tileir.Value]int) {
	kept := make([]*tileir.Op, len(b.Ops))
	at := len(kept)
	for i := len(b.Ops) - 1; i >= 0; i-- {
		o := b.Ops[i]
		if o.Info.Pure && len(o.Regions) == 0 && !o.Info.Terminator && !note.Is(o) && unused(o, n) {
			for _, v := range o.Operands {
				n[v]--
			}
			continue
		}
		for r := range o.Blocks() {
			sweep(r, n)
		}
		at--
		kept[at] = o
	}
	b.Ops = kept[at:]
}

func unused(o *tileir.Op, n map[*tileir.Value]int) bool {
	for _, r := range o.Results {
		if n[r] > 0 {
			return false
		}
	}
	return true
}
