package passes

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// open reports whether an integer may be so much that nothing can be said to bound it: it reaches an end of its type, or its
// range is a large part of 32 bits. The numbers of such a range would say nothing of where it comes from.
func open(r *ranges.Ranges, v *tileir.Value) bool {
	t, ok := v.Type.(*tileir.TileType)
	if !ok || t.Pointer || !t.Elem.IsInt() || t.Elem == tileir.I1 {
		return false
	}
	s, all := r.Span(v), ranges.Signed(t).Range()
	width, _ := interval.Sub.Range(interval.Type{Bits: 64}, interval.One(s.Hi), interval.One(s.Lo))
	return s.Lo == all.Lo || s.Hi == all.Hi || width.Hi.Cmp(interval.Of(1<<30)) >= 0 || width.Hi.Cmp(all.Hi) >= 0
}

// lost says where the bound of an index got lost, for the mistake of a kernel that needs it: the branch, if it was at one,
// and what came in there.
func lost(r *ranges.Ranges, o *tileir.Op, v *tileir.Value) string {
	branch, why := "", "it comes from memory, or from a variable that a loop changes"
	for v.Def != nil || r.Counter(v) != nil {
		d, from := v.Def, r.Sources(v)
		at := slices.IndexFunc(from, func(w *tileir.Value) bool { return open(r, w) })
		switch {
		case d != nil && d.Info.Opcode == tileir.OpIf:
			branch = " through the branch" + placed(d.Loc, o.Loc)
		case at < 0 && d != nil && d.Info.Pure:
			why = "nothing is known of what " + d.Info.Mnemonic + " gives" + placed(d.Loc, o.Loc)
		}
		if at < 0 {
			break
		}
		v = from[at]
	}
	return "nothing bounds the index" + branch + ": " + why
}

// placed names a line as seen from an access.
func placed(at, from tileir.Loc) string {
	switch {
	case at.Line == 0:
		return ""
	case at.File != from.File:
		return fmt.Sprintf(" at %s:%d", filepath.Base(at.File), at.Line)
	}
	return fmt.Sprintf(" at line %d", at.Line)
}
