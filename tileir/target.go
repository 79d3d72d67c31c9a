package tileir

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
)

// Refusal is something that NVIDIA's assembler refuses for some GPU architectures: element types in any operation, or
// operations, perhaps only with one atomic mode or with some element types.
type Refusal struct {
	Elems   []Elem   // nil for any
	Ops     []int    // opcodes of operations, see [Info.Opcode]; nil for any
	Mode    Int      // of [AtomicRMWMode], if HasMode is set
	HasMode bool     // only that atomic mode is refused
	Archs   []string // the architectures that refuse it
}

// Refusals lists what some architectures refuse. Every architecture accepts everything else, in each version of the bytecode
// that has it: see [Info.Since] and [Elem.Since].
func Refusals() []Refusal { return slices.Clone(refusals) }

// Archs lists the GPU architectures that [Refusals] covers, such as "sm_90", oldest first.
func Archs() []string { return slices.Clone(archs) }

// Supports reports whether an architecture accepts tiles of an element type. It ignores a suffix, as in "sm_90a". An
// architecture that is not one of [Archs] is assumed to support everything.
func Supports(arch string, e Elem) bool {
	for i := range refusals {
		if r := &refusals[i]; r.Ops == nil && slices.Contains(r.Elems, e) && r.covers(arch) {
			return false
		}
	}
	return true
}

// covers reports whether an architecture refuses it.
func (r *Refusal) covers(arch string) bool {
	return slices.Contains(r.Archs, strings.TrimRight(arch, "af"))
}

// others are the architectures that take it.
func (r *Refusal) others() string {
	var out []string
	for _, a := range archs {
		if !slices.Contains(r.Archs, a) {
			out = append(out, a)
		}
	}
	return names.Either(out)
}

// VerifyTarget checks, without the assembler, whether the assembler accepts a valid module for a GPU architecture. It returns
// all faults joined. Each is a [*VerifyError] that names the operation, what the architecture does not support and which ones
// do, or what the assembler supports for none.
func VerifyTarget(m *Module, arch string) error {
	c := &targetChecker{m: m, arch: arch}
	for i := range refusals {
		if refusals[i].covers(arch) {
			c.refusals = append(c.refusals, &refusals[i])
		}
	}
	c.names()
	for _, e := range m.Entries {
		c.entry = e
		c.block(e.Body, nil)
	}
	return errors.Join(c.errs...)
}

// targetChecker walks a module with what one architecture refuses.
type targetChecker struct {
	m        *Module
	arch     string
	refusals []*Refusal
	entry    *Entry
	about    *Global // that is looked at outside of entries
	errs     []error
}

// fail records a fault of an operation, of the current entry or global, or of the module.
func (c *targetChecker) fail(o *Op, path []int, format string, args ...any) {
	e := &VerifyError{Op: o, Path: path, What: fmt.Sprintf(format, args...)}
	if c.entry != nil {
		e.Entry, e.Loc = c.entry.Name, c.entry.Loc
	}
	e.Text = c.m.textPos(o, c.entry, c.about)
	if o != nil {
		e.Loc = o.Loc
	}
	c.errs = append(c.errs, e)
}

func (c *targetChecker) block(b *Block, path []int) {
	if b == nil {
		return
	}
	for i, o := range b.Ops {
		at := append(path[:len(path):len(path)], i)
		for _, r := range c.refusals {
			if what := r.matches(o); what != "" {
				c.fail(o, at, "%s needs %s, but the target is %s", what, r.others(), c.arch)
				break
			}
		}
		if rule := targetRules[o.Info.Opcode]; rule != nil {
			if what := rule(o); what != "" {
				c.fail(o, at, "%s", what)
			}
		}
		for j, region := range o.Regions {
			c.block(region, append(at[:len(at):len(at)], j))
		}
	}
}

// matches says what of an operation is refused, "" for nothing.
func (r *Refusal) matches(o *Op) string {
	if r.Ops != nil && !slices.Contains(r.Ops, o.Info.Opcode) || r.HasMode && Int(o.Int("mode")) != r.Mode {
		return ""
	}
	if r.Elems == nil {
		return o.Info.Mnemonic
	}
	for _, vs := range [][]*Value{o.Operands, o.Results} {
		for _, v := range vs {
			if e, ok := elemOfType(v.Type); ok && slices.Contains(r.Elems, e) {
				switch {
				case r.HasMode:
					return fmt.Sprintf("%s %s of %v", o.Info.Mnemonic, AtomicRMWMode.Text(int64(r.Mode)), e)
				case r.Ops != nil:
					return fmt.Sprintf("%s of %v", o.Info.Mnemonic, e)
				}
				return "type " + e.String()
			}
		}
	}
	return ""
}

// elemOfType is the element type of a tile or of what a view views.
func elemOfType(t Type) (Elem, bool) {
	switch t := t.(type) {
	case *TileType:
		return t.Elem, true
	case *TensorViewType:
		return t.Elem, true
	case ViewType:
		return t.TensorView().Elem, true
	}
	return NoElem, false
}
