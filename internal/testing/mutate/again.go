package main

import (
	"fmt"
	"iter"
	"os"
	"regexp"
	"strings"
)

// reported is a mutant as report prints it, with what stands before it on its line.
var reported = regexp.MustCompile(`(?m)^(?:.* )?(\S+\.go):\d+ (\w+) (\w+)\n\t(.*)\n\t(.*)$`)

// spelling is what report tells of a mutant apart from the line, which other changes of the file move.
func spelling(m *mutant) string {
	return strings.Join([]string{m.file, m.fn, m.kind, m.before, m.after}, "\n")
}

// readAgain takes the places of the file of -again.
func (o *options) readAgain() error {
	text, err := os.ReadFile(o.again)
	if err != nil {
		return err
	}
	o.wanted = map[string]bool{}
	for _, m := range reported.FindAllStringSubmatch(string(text), -1) {
		o.wanted[strings.Join(m[1:], "\n")] = true
	}
	if len(o.wanted) == 0 {
		return fmt.Errorf("%s has no places as a run of this command prints them", o.again)
	}
	return nil
}

// named are the mutants that are spelled so; what is no longer in the files is left out.
func named(files []*file, wanted map[string]bool) iter.Seq[*mutant] {
	return func(yield func(*mutant) bool) {
		seen := map[string]bool{}
		for _, f := range files {
			for _, kind := range kinds {
				for _, p := range f.places(kind) {
					m := f.broken(p)
					if seen[m.String()] || !wanted[spelling(m)] {
						continue
					}
					if seen[m.String()] = true; !yield(m) {
						return
					}
				}
			}
		}
	}
}
