package bytecode

// Section is a part of a file. Its offsets are from the start of the file.
type Section struct {
	Name    string // such as "Func"; "header" and "end mark" for the ends of the file
	ID      int    // the number in the file; 0 for the end mark, -1 for the header
	Start   int    // offset of its head
	Payload int    // offset of the payload, after head and padding
	End     int
	Align   int // alignment of the payload
}

// Sections splits a file into its header, its sections in order, and the end mark. It does not read the sections, and accepts
// missing and repeated ones. The error is an [*Error].
func Sections(data []byte) ([]Section, error) {
	c := &cursor{data: data}
	(&reader{file: data}).header(c)
	out := []Section{{Name: "header", ID: -1, Payload: headerSize, End: headerSize, Align: 1}}
	for c.err == nil {
		s := nextSection(c)
		if out = append(out, s); s.ID == endMark {
			c.end("the end mark")
			break
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	return out, nil
}

// nextSection reads the head of a section and passes over its payload.
func nextSection(c *cursor) Section {
	s := Section{Start: c.offset(), Align: 1}
	b := c.byte("the end mark")
	s.ID = int(b &^ alignedFlag)
	switch {
	case c.err != nil:
		return s
	case b == endMark:
		s.Name, s.Payload, s.End = "end mark", c.offset(), c.offset()
		return s
	case s.ID == endMark || s.ID >= numSections:
		c.failAt(s.Start, "unknown section %d", s.ID)
		return s
	}
	s.Name = sections[s.ID].name
	n := c.countOf("bytes of the section ", s.Name, 1)
	if b&alignedFlag != 0 {
		at := c.offset()
		s.Align = c.number("the section's alignment", maxAlign)
		if c.err == nil && (s.Align < 1 || s.Align&(s.Align-1) != 0) {
			c.failAt(at, "alignment %d of the %s section is not a power of two", s.Align, s.Name)
		}
		if c.err != nil {
			return s
		}
		c.align(s.Align)
	}
	if c.err == nil && s.Align%sections[s.ID].align != 0 {
		c.fail("the %s section is aligned to %d, not to a multiple of %d", s.Name, s.Align, sections[s.ID].align)
	}
	s.Payload = c.offset()
	c.bytes(n, s.Name)
	s.End = c.offset()
	return s
}
