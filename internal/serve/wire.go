package serve

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Error is a reply to a request that failed.
type Error struct {
	Code    Code
	Text    string
	Printed []byte // what the kernel printed before it failed
}

func (e *Error) Error() string { return e.Text }

func badRequest(format string, args ...any) *Error {
	return &Error{Code: BadRequest, Text: fmt.Sprintf(format, args...)}
}

// frame is a request as it came.
type frame struct {
	kind Kind
	body []byte
	long uint32 // the length if it was above the limit and the body was skipped
}

const headSize = 5

// readFrame reads a request. One that is longer than the limit is skipped, so that the next one can be read.
func readFrame(r io.Reader, limit int) (frame, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: Kind(head[0])}
	n := binary.LittleEndian.Uint32(head[1:])
	if int64(n) > int64(limit) {
		f.long = n
		_, err := io.CopyN(io.Discard, r, int64(n))
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return f, err
	}
	// The body grows as it comes: a peer that announces much and sends little costs little.
	body, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(body) < int(n) {
		err = io.ErrUnexpectedEOF
	}
	f.body = body
	return f, err
}

// writeReply writes a success with its body, or an error.
func writeReply(w io.Writer, body []byte, fault *Error) error {
	status := byte(0)
	if fault != nil {
		status = 1
		body = append([]byte{byte(fault.Code)}, appendText(nil, fault.Text)...)
		body = append(binary.LittleEndian.AppendUint32(body, uint32(len(fault.Printed))), fault.Printed...)
	}
	head := binary.LittleEndian.AppendUint32([]byte{status}, uint32(len(body)))
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// cursor reads the fields of a request. After the first that is missing all are zero, and end gives the error.
type cursor struct {
	b   []byte
	err *Error
}

func (c *cursor) take(n int, what string) []byte {
	if c.err == nil && n > len(c.b) {
		c.err = badRequest("the request ends in %s: %d bytes are left of %d", what, len(c.b), n)
	}
	if c.err != nil {
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) u32(what string) uint32 {
	if b := c.take(4, what); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64(what string) uint64 {
	if b := c.take(8, what); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// text reads a text with its length.
func (c *cursor) text(what string) string {
	n := c.u32(what)
	if c.err == nil && uint64(n) > uint64(len(c.b)) {
		c.err = badRequest("the request ends in %s: %d bytes are left of %d", what, len(c.b), n)
	}
	return string(c.take(int(n), what))
}

// count reads how many items of at least size bytes follow, at most limit.
func (c *cursor) count(what string, size, limit int) int {
	n := c.u32(what)
	switch {
	case c.err != nil:
		return 0
	case int64(n) > int64(limit):
		c.err = badRequest("%d %s, but at most %d are taken", n, what, limit)
		return 0
	case int64(n)*int64(size) > int64(len(c.b)):
		c.err = badRequest("the request ends in its %d %s", n, what)
		return 0
	}
	return int(n)
}

// end refuses what is left over and gives the first error.
func (c *cursor) end() error {
	if c.err == nil && len(c.b) > 0 {
		c.err = badRequest("%d bytes are left over at the end of the request", len(c.b))
	}
	if c.err != nil {
		return c.err
	}
	return nil
}
