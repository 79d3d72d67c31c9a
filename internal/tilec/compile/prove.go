package compile

import (
	"encoding/binary"
	"go/ast"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// proofs keeps the proofs of the last launches, as most launches have shapes that were there before.
type proofs struct {
	mu     sync.Mutex
	known  map[string]Proof
	params []int // of the entry: the integers
	ready  bool
}

// maxProofs bounds what is kept for one kernel.
const maxProofs = 256

// Prove proves for a launch which accesses of the code stay inside their tensors. bits are those of the entry's parameters.
// The proof belongs into the facts for code that relies on it. It does not allocate for a launch whose grid and integers
// were there before.
func (c *Code) Prove(grid [3]uint32, bits []uint64) Proof {
	e := c.Module.Entries[0]
	p := &c.proofs
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ready {
		p.prepare(e)
	}
	if p.known == nil {
		return ""
	}
	var buf [256]byte
	key := buf[:0]
	for _, n := range grid {
		key = binary.LittleEndian.AppendUint32(key, n)
	}
	for _, i := range p.params {
		key = binary.LittleEndian.AppendUint64(key, bits[i])
	}
	if proof, ok := p.known[string(key)]; ok {
		return proof
	}
	if len(p.known) >= maxProofs {
		clear(p.known)
	}
	proof := passes.Prove(e, ranges.Launch{Grid: grid, Bits: slices.Clone(bits)})
	p.known[string(key)] = proof
	return proof
}

// prepare finds the parameters that proofs depend on. A kernel without accesses through views has nothing to prove.
func (p *proofs) prepare(e *tileir.Entry) {
	p.ready = true
	if len(passes.Accesses(e)) == 0 {
		return
	}
	p.known = map[string]Proof{}
	for i, v := range e.Params {
		if t, ok := v.Type.(*tileir.TileType); ok && !t.Pointer && t.Elem.IsInt() {
			p.params = append(p.params, i)
		}
	}
}

// Explain is Prove with an explanation for each dimension of each access.
func (c *Code) Explain(grid [3]uint32, bits []uint64) []Check {
	return passes.Explain(c.Module.Entries[0], ranges.Launch{Grid: grid, Bits: bits})
}

// Check is what a launch proves of one dimension of an access.
type Check = passes.Check

// The directives of a kernel's doc comment: its accesses must all be proved, tiles wholly outside their views are meant, and
// divisions may be rounded otherwise.
const (
	noChecks = "//cutile:nochecks"
	outside  = "//cutile:outside"
	fast     = "//cutile:fast"
)

// NoChecks reports whether the kernel has the directive //cutile:nochecks: a launch that cannot prove that every access
// through a view stays inside its tensor is a mistake.
func (k *Kernel) NoChecks() bool { return k.says(noChecks) }

// Outside reports whether the kernel has the directive //cutile:outside: it loads and stores tiles that lie wholly outside
// their views, and means it.
func (k *Kernel) Outside() bool { return k.says(outside) }

// says reports whether the kernel has a directive without operands.
func (k *Kernel) says(directive string) bool {
	f, ok := k.ref.Decl.Node.(*ast.FuncDecl)
	if !ok || f.Doc == nil || k.ref.Lit != nil {
		return false
	}
	return slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return strings.TrimSpace(c.Text) == directive })
}
