package cover

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// know adds a statement, under the lock.
func know(s Stmt) {
	if _, ok := record.run[s]; ok {
		return
	}
	if record.run == nil {
		record.run = map[Stmt]bool{}
	}
	record.run[s] = false
	write(s, 0)
}

// write adds a line to what is written, under the lock.
func write(s Stmt, run int) {
	record.lines = fmt.Appendf(record.lines, lineFormat+"\n", s.Func, s.File, s.Line, s.Col, s.ToLine, s.ToCol, run)
}

// lineFormat is a line of a file: a function without spaces, and a line of a coverage profile of Go without the number of statements.
const lineFormat = "%s %s:%d.%d,%d.%d %d"

// names is the pattern of the names of files.
const names = "kernels-*.txt"

// flush writes what there is to the process's own file, under the lock. What cannot be written is said once, as Go's own coverage does it.
func flush() {
	if record.err != nil || len(record.lines) == 0 {
		return
	}
	if record.out == nil {
		record.out, record.err = os.CreateTemp(os.Getenv(Env), names)
	}
	if record.err == nil {
		_, record.err = record.out.Write(record.lines)
	}
	if record.err != nil {
		fmt.Fprintf(os.Stderr, "cutile: %s: coverage of kernels is not recorded: %v\n", Env, record.err)
	}
	record.lines = record.lines[:0]
}

// Profile says of each statement whether it has run.
type Profile map[Stmt]bool

// Read reads the files of a folder, of any number of processes.
func Read(dir string) (Profile, error) {
	files, err := filepath.Glob(filepath.Join(dir, names))
	if err != nil {
		return nil, err
	}
	p := Profile{}
	for _, name := range files {
		if err := p.read(name); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p Profile) read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		s, run, err := parse(lines.Text())
		if err != nil {
			return fmt.Errorf("%s:%d: %q is no line of a record of coverage", name, n, lines.Text())
		}
		p[s] = p[s] || run
	}
	return lines.Err()
}

func parse(line string) (s Stmt, run bool, err error) {
	fn, rest, _ := strings.Cut(line, " ")
	i := strings.LastIndexByte(rest, ':')
	if i < 0 {
		return s, false, io.ErrUnexpectedEOF
	}
	s = Stmt{Func: fn, File: rest[:i]}
	n := 0
	_, err = fmt.Sscanf(rest[i:], ":%d.%d,%d.%d %d", &s.Line, &s.Col, &s.ToLine, &s.ToCol, &n)
	return s, n > 0, err
}

// Stmts are the statements in the order of the source.
func (p Profile) Stmts() []Stmt {
	return slices.SortedFunc(maps.Keys(p), func(a, b Stmt) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.ToLine, b.ToLine), cmp.Compare(a.ToCol, b.ToCol), cmp.Compare(a.Func, b.Func))
	})
}

// Write writes a coverage profile of Go, which go tool cover reads.
func (p Profile) Write(w io.Writer) error {
	_, err := fmt.Fprintln(w, "mode: set")
	for _, s := range p.Stmts() {
		run := 0
		if p[s] {
			run = 1
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "%s:%d.%d,%d.%d 1 %d\n", s.File, s.Line, s.Col, s.ToLine, s.ToCol, run)
		}
	}
	return err
}

// Func is how much of a function has run.
type Func struct {
	Name, File string
	Line       int // of its first statement
	Stmts, Run int
	Missed     []int // the lines of those that have not run
}

// Funcs are the functions in the order of the source.
func (p Profile) Funcs() (list []Func) {
	at := map[[2]string]int{} // by file and name
	for _, s := range p.Stmts() {
		key := [2]string{s.File, s.Func}
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list = append(list, Func{Name: s.Func, File: s.File, Line: s.Line})
		}
		list[i].Stmts++
		if p[s] {
			list[i].Run++
		} else if m := list[i].Missed; len(m) == 0 || m[len(m)-1] != s.Line {
			list[i].Missed = append(m, s.Line)
		}
	}
	return list
}
