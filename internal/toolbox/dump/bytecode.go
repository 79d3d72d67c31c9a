package dump

import (
	"fmt"
	"io"
	"strings"

	"github.com/cutile-go/cutile/internal/toolbox"
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
		d.version = toolbox.OldestFor(m)
	}
	if err := tileir.Verify(m, d.version); err != nil {
		return fmt.Errorf("%s cannot be written as bytecode %s; -version %s can: %w", d.kernel.Name(), d.version, toolbox.OldestFor(m), err)
	}
	var err error
	d.data, err = bytecode.Write(m, d.version, bytecode.Options{})
	return err
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

// hexDump prints bytecode, a section at a time.
func hexDump(w io.Writer, data []byte, v tileir.Version) error {
	parts, err := bytecode.Sections(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "bytecode %s, %d bytes\n", v, len(data))
	for _, p := range parts {
		title := p.Name
		if p.ID > 0 {
			title = fmt.Sprintf("%s section, %d bytes from %#x, aligned to %d", p.Name, p.End-p.Payload, p.Payload, p.Align)
		}
		fmt.Fprintf(w, "\n%s\n", title)
		for at := p.Start; at < p.End; at += 16 {
			hexRow(w, data[at:min(at+16, p.End)], at)
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
