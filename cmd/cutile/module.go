package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// input is a module with where it came from.
type input struct {
	name    string
	module  *tileir.Module
	version tileir.Version // of bytecode; of text 0, as it does not say
}

// form says what the input is, such as "bytecode 13.2".
func (in *input) form() string {
	if in.version == 0 {
		return "text"
	}
	return "bytecode " + in.version.String()
}

const (
	maxFile = 256 << 20 // bytes of a file with a module
	headLen = 4096      // bytes that tell whether a file is one at all
)

// readFile reads a file; "-" is the standard input. Of what is no module it gives the beginning alone, which says so: a
// device may have no end.
func readFile(c *call, name string) (data []byte, title string, err error) {
	if name == "-" {
		data, err = readModuleBytes(c.in)
		return data, "standard input", err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, name, err
	}
	defer f.Close()
	if data, err = readModuleBytes(f); err != nil && !errors.As(err, new(*os.PathError)) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return data, name, err
}

func readModuleBytes(r io.Reader) ([]byte, error) {
	head := make([]byte, headLen)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return head, nil
	case err != nil:
		return nil, err
	case !bytes.HasPrefix(head, []byte(bytecodeMark)) && bytes.IndexByte(head, 0) >= 0:
		return head, nil // neither bytecode nor text
	}
	rest, err := io.ReadAll(io.LimitReader(r, maxFile-headLen+1))
	if err == nil && len(rest) > maxFile-headLen {
		err = fmt.Errorf("it has more than %d MiB, which no module has", maxFile>>20)
	}
	return append(head, rest...), err
}

// bytecodeMark is how bytecode begins.
const bytecodeMark = "\x7fTileIR"

// readModule reads bytecode or text. The version is what text is for; 0 is the newest.
func readModule(c *call, name string, v tileir.Version) (*input, error) {
	return readModuleAs(c, name, tileir.ParseOptions{Version: v})
}

// readModuleAs is readModule with all options for text but its name.
func readModuleAs(c *call, name string, opts tileir.ParseOptions) (*input, error) {
	data, title, err := readFile(c, name)
	if err != nil {
		return nil, err
	}
	in := &input{name: title}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return in, fmt.Errorf("%s is a text in UTF-16, as its first bytes say: save it as UTF-8", title)
	}
	if bytes.HasPrefix(data, []byte(bytecodeMark)) || bytes.IndexByte(data, 0) >= 0 {
		if in.module, in.version, err = bytecode.Read(data); err != nil {
			return in, fmt.Errorf("%s: %w", title, err)
		}
		return in, in.something()
	}
	opts.File = title
	if in.module, err = tileir.Parse(string(data), opts); err != nil {
		return in, err
	}
	return in, in.something()
}

// something refuses a module of nothing, which is how an empty file reads: a check of it would check nothing.
func (in *input) something() error {
	if len(in.module.Entries)+len(in.module.Globals) > 0 {
		return nil
	}
	return fmt.Errorf("%s (%s) holds no entry and no global: name a file with a Tile IR module, which `cutile dump -stage bytecode` writes", in.name, in.form())
}

// versionFlag reads -version; "" is 0.
func versionFlag(text string) (tileir.Version, error) {
	if text == "" {
		return 0, nil
	}
	v, err := tileir.ParseVersion(text)
	if err != nil {
		return 0, usagef("-version: %q is not one of %v", text, tileir.Versions())
	}
	return v, nil
}

// archFlag checks -arch; an a or f, as of sm_90a, does not matter.
func archFlag(text string) error {
	base := strings.TrimSuffix(text, "a")
	if base == text {
		base = strings.TrimSuffix(text, "f")
	}
	if archs := tileir.Archs(); text != "" && !slices.Contains(archs, base) {
		return usagef("-arch: %q is not one of %s", text, strings.Join(archs, ", "))
	}
	return nil
}

// faults takes joined errors apart.
func faults(err error) []error {
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		return joined.Unwrap()
	}
	return []error{err}
}

// refused is the error for a module that is wrong: its faults, one in each line.
func refused(in *input, target string, wrong []error) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s for %s", in.name, plural(len(wrong), "error"), target)
	for _, w := range wrong {
		b.WriteString("\n  " + strings.TrimPrefix(w.Error(), "tileir: "))
	}
	return errors.New(b.String())
}

// warn prints what is no error, one in each line.
func warn(c *call, in *input, v tileir.Version) {
	for _, w := range tileir.Warnings(in.module, v) {
		text := strings.TrimPrefix(w.Error(), "tileir: ")
		if w.Text.IsZero() {
			text = in.name + ": " + text
		}
		fmt.Fprintf(c.err, "warning: %s\n", text)
	}
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sound reads a module and verifies it for its own version.
func sound(c *call, name string) (*input, error) {
	in, err := readModule(c, name, 0)
	if err != nil {
		return nil, err
	}
	v := in.version
	if v == 0 {
		v = tileir.Newest
	}
	if wrong := faults(in.module.Verify(v)); wrong != nil {
		return nil, refused(in, "version "+v.String(), wrong)
	}
	return in, nil
}

// entryOf picks an entry by name; the only one without.
func (in *input) entryOf(name string) (*tileir.Entry, error) {
	entries := in.module.Entries
	if i := slices.IndexFunc(entries, func(e *tileir.Entry) bool { return e.Name == name }); i >= 0 {
		return entries[i], nil
	}
	if name == "" && len(entries) == 1 {
		return entries[0], nil
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Name
	}
	switch {
	case len(entries) == 0:
		return nil, fmt.Errorf("%s has no entry", in.name)
	case name == "":
		return nil, usagef("%s has %s: choose one of %s with -entry", in.name, plural(len(entries), "entry"), names.List(all))
	}
	return nil, usagef("-entry: %s has no entry %q; it has %s", in.name, name, names.List(all))
}

// countOps is how many operations the entries have, those in regions included.
func countOps(m *tileir.Module) int {
	n := 0
	for _, e := range m.Entries {
		eachOp(e.Body, func(*tileir.Op) { n++ })
	}
	return n
}

// eachOp visits the operations of a block, each before those in its regions.
func eachOp(b *tileir.Block, visit func(*tileir.Op)) {
	if b == nil {
		return
	}
	for _, o := range b.Ops {
		visit(o)
		for _, r := range o.Regions {
			eachOp(r, visit)
		}
	}
}
