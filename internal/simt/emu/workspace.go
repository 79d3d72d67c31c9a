package emu

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/simt"
)

// CUDA's drivers give each cooperative launch a workspace for grid.sync() of cooperative groups, and its address in two special registers, the
// upper half first. They are 0 in other launches, in which grid.sync() traps. The code that NVIDIA's compilers make of it counts the blocks in the
// second word, whose highest bit flips when all have come.

// workspaceBytes is its size, which the first word says.
const workspaceBytes = 8

// tellsWorkspace reports whether a special register has a part of the workspace's address.
func tellsWorkspace(name string) bool { return name == "%envreg1" || name == "%envreg2" }

// addWorkspace gives a cooperative launch a workspace beside its memory, if the kernel asks for its address.
func (r *run) addWorkspace() {
	const gap = 4096
	if !r.Cooperative || !r.fn.waits {
		return
	}
	r.workspace = gap
	for _, p := range r.Memory.maps { // by address
		if end := p.addr + uint64(len(p.data)); p.addr < r.workspace+gap && end+gap > r.workspace {
			r.workspace = (end/gap + 2) * gap
		}
	}
	with := &Memory{maps: append([]*mapping(nil), r.Memory.maps...)}
	data := make([]byte, workspaceBytes)
	putLittle(data[:4], workspaceBytes)
	with.Map(r.workspace, data, "the workspace of grid.sync()", false)
	r.Memory = with
}

// withoutWorkspace is what there is to say of a trap in a launch that cannot wait for its grid, though the kernel may want to.
func (r *run) withoutWorkspace() string {
	if r.Cooperative || !r.fn.waits {
		return ""
	}
	return ": grid.sync() needs a cooperative launch, in which all blocks run at once: set Cooperative for this launch"
}

// watches reports whether an instruction only looks at the workspace, in all lanes of the group that runs.
func (w *warp) watches(in *instr) bool {
	at := w.block.cluster.run.workspace
	if in.at == nil || at == 0 {
		return false
	}
	m := w.groups[w.g].mask & (w.p[in.guard] ^ in.flip)
	for k := m; k != 0; k &= k - 1 {
		s, addr := spaceOf(in.at.at(w, bits.TrailingZeros32(k)))
		if s != global || addr < at || addr >= at+workspaceBytes {
			return false
		}
	}
	return m != 0
}

// barrierOf names what a look waits for.
func barrierOf(look *simt.Instr) string {
	if look.Polls {
		return "GridSync"
	}
	return "grid.sync()"
}
