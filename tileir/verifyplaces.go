package tileir

// entryPlace checks the place of the current entry. Operations without a scope of their own take its function.
func (c *checker) entryPlace() {
	l := c.entry.Loc
	c.function = c.entry.Function()
	c.scopes(&l)
	switch {
	case l.Caller != nil:
		c.fail("the position of an entry cannot be one of inlined code, but it has a caller")
	case l.Scope != nil && l.Scope.Parent != nil:
		c.fail("the position of an entry must lie in a function, but lies in a block")
	case c.function != nil && c.function.Linkage != c.entry.Name:
		c.fail("the position lies in a function with linkage name %q, but the entry is %q", c.function.Linkage, c.entry.Name)
	}
}

// place checks that an operation's place lies in the entry's function, or was inlined into it.
func (c *checker) place(l *Loc) {
	if l.Caller == nil && l.Scope == nil {
		return
	}
	if c.entry.Kind == LooseOps {
		c.fail("outside of an entry no position lies in a function")
		return
	}
	c.scopes(l)
	for l.Caller != nil {
		l = l.Caller
	}
	if !l.known() || l.Scope == nil {
		return
	}
	switch s, f := l.Scope.function(), c.function; {
	case f == nil || sameFunction(s, f):
	case s.Linkage != c.entry.Name:
		c.fail("the position lies in a function with linkage name %q, but the entry is %q", s.Linkage, c.entry.Name)
	default:
		c.fail("the position lies in function %s of line %d, but the entry is function %s of line %d, or in another file",
			s.Name, s.Line, f.Name, f.Line)
	}
}

// scopes checks that the functions and blocks of a place and of the calls that it was inlined through name their files.
func (c *checker) scopes(l *Loc) {
	faults, caller := len(c.errs), l.Caller
	for ; l != nil && !c.calls[l]; l = l.Caller {
		for s := l.Scope; s != nil && l.known(); s = s.Parent {
			switch {
			case s.Parent != nil && s.File == nil:
				c.fail("the position lies in a block of line %d, which has no file", s.Line)
			case s.Parent == nil && (s.File == nil || s.Unit == nil):
				c.fail("the position lies in function %s of line %d, which has no file or no compile unit", s.Name, s.Line)
			}
		}
	}
	if caller != nil && len(c.errs) == faults {
		c.calls[caller] = true
	}
}

// function is the function that a block lies in.
func (s *Scope) function() *Scope {
	for s.Parent != nil {
		s = s.Parent
	}
	return s
}

// sameFunction reports whether two scopes are the same function.
func sameFunction(a, b *Scope) bool {
	return a == b || a.Name == b.Name && a.Linkage == b.Linkage && a.Line == b.Line && a.ScopeLine == b.ScopeLine &&
		sameFile(a.File, b.File) && sameFile(a.Unit, b.Unit)
}

func sameFile(a, b *SourceFile) bool { return a == b || a != nil && b != nil && *a == *b }
