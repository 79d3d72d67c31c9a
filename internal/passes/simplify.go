package passes

import (
	"fmt"
	"strings"

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
}

func (s *simplifier) block(b *tileir.Block, sc *scope) {
	kept := b.Ops[:0]
	for _, o := range b.Ops {
		for i, v := range o.Operands {
			if w, ok := s.same[v]; ok {
				o.Operands[i] = w
			}
		}
		for _, r := range o.Regions {
			if r != nil {
				s.block(r, &scope{outer: sc, seen: map[string][]*tileir.Value{}})
			}
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
	var b strings.Builder
	fmt.Fprintf(&b, "%d", o.Info.Opcode)
	for _, v := range o.Operands {
		fmt.Fprintf(&b, " %d", s.id(v))
	}
	fmt.Fprint(&b, o.Segments)
	for _, a := range o.Attrs {
		writeAttr(&b, a)
	}
	for _, r := range o.Results {
		b.WriteByte(' ')
		b.WriteString(r.Type.String())
	}
	return b.String()
}

func writeAttr(b *strings.Builder, a tileir.Attr) {
	switch a := a.(type) {
	case nil:
		b.WriteString(" _")
	case *tileir.Constant:
		fmt.Fprintf(b, " %x", a.Data)
	case tileir.Bounded:
		b.WriteString(" bounded")
		for _, p := range []*int64{a.Lower, a.Upper} {
			if p == nil {
				b.WriteString(" ?")
			} else {
				fmt.Fprintf(b, " %d", *p)
			}
		}
	case tileir.DivBy:
		fmt.Fprintf(b, " div_by %d", a.Divisor)
		for _, p := range []*int64{a.Every, a.Along} {
			if p != nil {
				fmt.Fprintf(b, " %d", *p)
			}
		}
	default:
		fmt.Fprintf(b, " %T%v", a, a)
	}
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
	countUses(b, n)
	return n
}

func countUses(b *tileir.Block, n map[*tileir.Value]int) {
	for _, o := range b.Ops {
		for _, v := range o.Operands {
			n[v]++
		}
		for _, r := range o.Regions {
			if r != nil {
				countUses(r, n)
			}
		}
	}
}

// sweep drops pure operations without uses, last ones first, so that what only they used goes too.
func sweep(b *tileir.Block, n map[*tileir.Value]int) {
	kept := make([]*tileir.Op, len(b.Ops))
	at := len(kept)
	for i := len(b.Ops) - 1; i >= 0; i-- {
		o := b.Ops[i]
		if o.Info.Pure && len(o.Regions) == 0 && !o.Info.Terminator && unused(o, n) {
			for _, v := range o.Operands {
				n[v]--
			}
			continue
		}
		for _, r := range o.Regions {
			if r != nil {
				sweep(r, n)
			}
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
