// Package cover records which statements of kernels have run.
//
// The compiler puts a mark in front of the code of statements that run together, and says where they are in the source; an engine says which marks
// were reached. Each process adds a file to the folder that CUTILE_COVER names: a line for each statement when the compiler meets
// it, and one when it first runs. So a process that is killed has lost nothing.
package cover

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Env is the environment variable that names the folder.
const Env = "CUTILE_COVER"

// On reports whether a folder is named.
func On() bool { return os.Getenv(Env) != "" }

// others are environment variables that keep code of kernels, in which nobody wants marks.
var others = []string{"CUTILE_RECORD", "CUTILE_OVERRIDE"}

// Check makes the folder where it is missing. Where that fails, nothing could be recorded.
func Check() error {
	if !On() {
		return nil
	}
	for _, name := range others {
		if os.Getenv(name) != "" {
			return fmt.Errorf("%s and %s are both set: code that is kept must not record what it runs, so use one of them", Env, name)
		}
	}
	if err := os.MkdirAll(os.Getenv(Env), 0o777); err != nil {
		return fmt.Errorf("%s: %w", Env, err)
	}
	return nil
}

// Stmt is where a statement is. File begins with the import path of its package, as in coverage profiles of Go.
type Stmt struct {
	Func, File    string
	Line, Col     int
	ToLine, ToCol int // behind its last byte
}

// Mark names the code of statements that run together.
type Mark string

// prefix begins the text of a mark. No print of a kernel begins so, as it is no text.
const prefix = "\x00cover "

var record struct {
	sync.Mutex
	run   map[Stmt]bool // whether each has run
	marks [][]Stmt      // those of each mark
	lines []byte        // that are not written yet
	out   *os.File
	err   error // of writing, which ends it
}

// New gives a new mark.
func New() Mark {
	record.Lock()
	defer record.Unlock()
	record.marks = append(record.marks, nil)
	return Mark(prefix + strconv.Itoa(len(record.marks)-1))
}

// IsMark reports whether the text of a print is a mark.
func IsMark(text string) bool { return strings.HasPrefix(text, prefix) }

// number is the mark's number, if the text is one of New.
func number(text string) (int, bool) {
	digits, ok := strings.CutPrefix(text, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && n < len(record.marks)
}

// Known says that there are statements, which may run or not.
func Known(list []Stmt) {
	record.Lock()
	defer record.Unlock()
	for _, s := range list {
		know(s)
	}
	flush()
}

// Place says that a statement runs where a mark is reached.
func (m Mark) Place(s Stmt) {
	record.Lock()
	defer record.Unlock()
	if n, ok := number(string(m)); ok {
		know(s)
		record.marks[n] = append(record.marks[n], s)
	}
}

// Reached gives what an engine calls where a mark is reached, any number of times and from any goroutine, and false if the text of a print is none.
func Reached(text string) (hit func(), ok bool) {
	record.Lock()
	defer record.Unlock()
	n, ok := number(text)
	if !ok {
		return nil, false
	}
	var once sync.Once
	return func() { once.Do(func() { reach(n) }) }, true
}

func reach(n int) {
	record.Lock()
	defer record.Unlock()
	for _, s := range record.marks[n] {
		if !record.run[s] {
			record.run[s] = true
			write(s, 1)
		}
	}
	flush()
}
