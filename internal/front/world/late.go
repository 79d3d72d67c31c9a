package world

import "github.com/cutile-go/cutile/internal/front/source"

// A program uses few of Go's operators on the language's types, but the language's own code mentions most of them, mainly for numbers that
// are known when the program is compiled. So the functions for operators join a world when the compiler asks for them: they
// and what they reach are functions, constants and new types, never methods of types that the world has, nor state.

// declareOperators lists the operators of the language. From now on the sweep adds no methods.
func (w *World) declareOperators() {
	w.sweep.names = true
	for _, path := range w.sweep.lang.Packages {
		p := w.sweep.pkgs[path]
		if p == nil {
			continue
		}
		for op, name := range p.Operators {
			if _, known := w.Operators[op]; !known {
				w.Operators[op] = Symbol{path, name}
				w.late[Symbol{path, name}] = true
			}
		}
	}
}

// join adds a function for an operator, with what it reaches.
func (w *World) join(p *source.Package, name string) {
	state := len(w.State)
	w.sweep.name(p, name)
	err := w.sweep.drain()
	if err == nil {
		err = w.checkAll(w.sweep.parts())
	}
	if err != nil {
		panic("BUG: operator " + p.Name + "." + name + ": " + err.Error())
	}
	if len(w.State) > state {
		panic("BUG: operator " + p.Name + "." + name + " reaches state")
	}
}
