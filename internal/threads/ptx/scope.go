package ptx

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// callScopes are the functions of the source that a kernel has code of, and their variables.
type callScopes struct {
	kernel *simt.Scope
	calls  map[*tileir.Loc]*simt.Scope // by the call
	vars   map[*tileir.Variable]*simt.Variable
}

func newCallScopes(k *ir.Kernel) *callScopes {
	return &callScopes{&simt.Scope{Name: k.Name, Pos: position(&k.Loc)}, map[*tileir.Loc]*simt.Scope{}, map[*tileir.Variable]*simt.Variable{}}
}

// of gives the function of a position: the kernel for what no function is known of.
func (s *callScopes) of(l *tileir.Loc) *simt.Scope {
	switch {
	case s == nil || l == nil:
		return nil
	case l.Caller == nil || l.Scope == nil:
		return s.kernel
	}
	if f := s.calls[l.Caller]; f != nil {
		return f
	}
	f := &simt.Scope{Name: l.Scope.Name, Up: s.of(l.Caller), Call: position(l.Caller)}
	if l.Scope.File != nil {
		f.Pos = token.Position{Filename: l.Scope.File.Name, Line: l.Scope.Line, Column: 1}
	}
	s.calls[l.Caller] = f
	return f
}
