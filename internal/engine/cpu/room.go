package cpu

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

const (
	maxFixed    = 64 << 20 // bytes of constants that each have a place of their own, which is set once
	sharedBytes = 64 << 10 // of a constant that shares its place with others where there are more
)

// share lets large constants share room with other values: they are then made anew each time.
func (p *planner) share() {
	for _, s := range p.stores {
		if s.constant && s.bytes >= sharedBytes {
			s.fixed = false
		}
	}
}

// roomFor checks that the memory of one block stays within the limit. The error names the largest tile.
func (c *compiler) roomFor(arena int) error {
	most := c.device.limits.BlockMemory
	total := c.blockBytes(arena)
	if total <= most {
		return nil
	}
	var largest *tileir.Op
	room := int64(-1)
	for op := range c.entry.All() {
		bytes := int64(0)
		if op.Info.Opcode == tileir.OpAlloca {
			bytes = memoryBytes(tileType(op.Results[0]).Elem, op.Int("num_elem"))
		}
		for _, v := range op.Results {
			if s := c.plan.places[v].storage; s != nil {
				bytes = max(bytes, int64(s.bytes))
			}
		}
		if bytes > room {
			largest, room = op, bytes
		}
	}
	e := &CompileError{Text: fmt.Sprintf("one block takes %d bytes for its tiles and local memory, more than %d", total, most)}
	if largest != nil {
		e.Loc = largest.Loc
		e.Text += fmt.Sprintf(": %s makes %d of them; use smaller tiles, or %s", largest.Info.Mnemonic, room, limit.Hint("BlockMemory"))
	}
	return e
}

// blockBytes is the memory of one block that runs.
func (c *compiler) blockBytes(arena int) int64 {
	total := int64(arena) + int64(c.scratch)
	for _, n := range c.locals {
		if total += n; total < 0 {
			return 1<<63 - 1
		}
	}
	return total
}

// mostFrames is how many blocks may run at the same time.
func (c *compiler) mostFrames(arena int) int {
	return int(max(1, min(1<<20, c.device.limits.BlockMemory/max(1, c.blockBytes(arena)))))
}
