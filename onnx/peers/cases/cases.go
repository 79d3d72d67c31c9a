// Package cases reads the models and inputs that ../testdata/reference.py has written, and runs one of them as often as another
// process asks for.
package cases

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Case is a model with inputs.
type Case struct {
	Model, File string
	Known       []string // inputs that decide on what is computed
	Inputs      map[string]Array
	Outputs     map[string]Array
	Unit        string  // what Amount counts
	Amount      float64 // that a run handles
}

// Array is an array in a file of its own: row-major, little-endian.
type Array struct {
	File, Elem string
	Shape      []int
}

// Bytes reads the elements.
func (a *Array) Bytes(folder string) ([]byte, error) {
	return os.ReadFile(filepath.Join(folder, a.File))
}

// Read reads the cases of a folder.
func Read(folder string) (all []Case, err error) {
	data, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(data, &all)
}

// Serve runs a case: once when it begins, after which it says ready, and then as often as each line of in says. It answers each line
// with the seconds that these runs took.
func Serve(run func() error, in io.Reader, out io.Writer) error {
	if err := run(); err != nil {
		return err
	}
	fmt.Fprintln(out, "ready")
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var n int
		if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
			return fmt.Errorf("a number of runs was expected: %w", err)
		}
		start := time.Now()
		for range n {
			if err := run(); err != nil {
				return err
			}
		}
		fmt.Fprintln(out, time.Since(start).Seconds())
	}
	return lines.Err()
}
