package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// encode makes the bytecode, once.
func (d *dumper) encode() error {
	if d.data != nil {
		return nil
	}
	if err := d.compile(); err != nil {
		return err
	}
	m := d.code.Module
	if d.version == 0 {
		d.version = oldestFor(m)
	}
	if err := tileir.Verify(m, d.version); err != nil {
		return fmt.Errorf("%s cannot be written as bytecode %s; -version %s can: %w", d.kernel.Name(), d.version, oldestFor(m), err)
	}
	var err error
	d.data, err = bytecode.Write(m, d.version, bytecode.Options{})
	return err
}

// oldestFor is the oldest version from 13.2 on that has what a module uses; 13.1 has too many gaps to be a default.
func oldestFor(m *tileir.Module) tileir.Version {
	for _, v := range tileir.Versions() {
		if v >= tileir.V13_2 && tileir.Verify(m, v) == nil {
			return v
		}
	}
	return tileir.Newest
}

func (d *dumper) raw(w io.Writer) error {
	if err := d.encode(); err != nil {
		return err
	}
	_, err := w.Write(d.data)
	return err
}

func (d *dumper) hex(w io.Writer) error {
	if err := d.encode(); err != nil {
		return err
	}
	return hexDump(w, d.data, d.version)
}

// headerSize is the magic number, the version and its tag.
const headerSize = 12

// sectionNames are the sections of a bytecode file, by their number; 0 ends the file.
var sectionNames = []string{"end mark", "String", "Func", "Debug", "Constant", "Type", "Global", "Producer"}

// part is a piece of a bytecode file: the header, a section or the end mark.
type part struct {
	name       string
	start, end int
	payload    int // where a section's head and padding end
	align      int
}

// hexDump prints bytecode, a section at a time.
func hexDump(w io.Writer, data []byte, v tileir.Version) error {
	parts, err := split(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "bytecode %s, %d bytes\n", v, len(data))
	for _, p := range parts {
		title := p.name
		if p.payload > p.start {
			title = fmt.Sprintf("%s section, %d bytes from %#x, aligned to %d", p.name, p.end-p.payload, p.payload, p.align)
		}
		fmt.Fprintf(w, "\n%s\n", title)
		for at := p.start; at < p.end; at += 16 {
			hexRow(w, data[at:min(at+16, p.end)], at)
		}
	}
	return nil
}

func hexRow(w io.Writer, row []byte, at int) {
	var hex, text strings.Builder
	for i, b := range row {
		if i == 8 {
			hex.WriteByte(' ')
		}
		fmt.Fprintf(&hex, " %02x", b)
		if b < ' ' || b > '~' {
			b = '.'
		}
		text.WriteByte(b)
	}
	fmt.Fprintf(w, "  %08x %-49s  |%s|\n", at, hex.String(), text.String())
}

// split finds the parts of a file (docs/bytecode.md).
func split(data []byte) ([]part, error) {
	broken := func(at int) error { return fmt.Errorf("BUG: the bytecode's sections are broken at byte %d", at) }
	if len(data) < headerSize {
		return nil, broken(len(data))
	}
	parts := []part{{name: "header", end: headerSize}}
	for at := headerSize; at < len(data); {
		id := int(data[at] &^ 0x80)
		if id >= len(sectionNames) {
			return nil, broken(at)
		}
		p := part{name: sectionNames[id], start: at, end: at + 1, align: 1}
		if id != 0 {
			pos := at + 1
			size, n := binary.Uvarint(data[pos:])
			pos += max(n, 0)
			if data[at]&0x80 != 0 {
				align, k := binary.Uvarint(data[pos:])
				if k <= 0 || align == 0 || align > 1<<20 {
					return nil, broken(pos)
				}
				pos, p.align = pos+k, int(align)
				pos = (pos + p.align - 1) / p.align * p.align
			}
			if n <= 0 || pos > len(data) || size > uint64(len(data)-pos) {
				return nil, broken(at)
			}
			p.payload, p.end = pos, pos+int(size)
		}
		parts = append(parts, p)
		at = p.end
	}
	return parts, nil
}
