// Package servetest is a client of internal/serve for tests.
package servetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cutile-go/cutile/internal/serve"
)

// Client speaks to a server, one request at a time.
type Client struct {
	In  io.WriteCloser // the server's input
	Out io.Reader
}

// Send writes a request without waiting for the reply.
func (c *Client) Send(kind serve.Kind, body []byte) error {
	head := binary.LittleEndian.AppendUint32([]byte{byte(kind)}, uint32(len(body)))
	_, err := c.In.Write(append(head, body...))
	return err
}

// Receive reads a reply. That of a failed request is a *serve.Error.
func (c *Client) Receive() ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(c.Out, head[:]); err != nil {
		return nil, err
	}
	body := make([]byte, binary.LittleEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(c.Out, body); err != nil {
		return nil, err
	}
	if head[0] == 0 {
		return body, nil
	}
	if head[0] != 1 || len(body) < 9 {
		return nil, fmt.Errorf("a reply of kind %d with %d bytes", head[0], len(body))
	}
	text, rest := Text(body[1:])
	printed, rest := Text(rest)
	if len(rest) > 0 {
		return nil, errors.New("an error reply with bytes left over")
	}
	return nil, &serve.Error{Code: serve.Code(body[0]), Text: text, Printed: []byte(printed)}
}

// Call sends a request and receives its reply.
func (c *Client) Call(kind serve.Kind, body []byte) ([]byte, error) {
	if err := c.Send(kind, body); err != nil {
		return nil, err
	}
	return c.Receive()
}

// Text reads a text with its length from the front of a reply.
func Text(b []byte) (string, []byte) {
	n := binary.LittleEndian.Uint32(b)
	return string(b[4 : 4+n]), b[4+n:]
}

// AppendText appends a text with its length.
func AppendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// Hello is the body of the request that begins a session.
func Hello(path string, size int) []byte {
	b := AppendText(binary.LittleEndian.AppendUint32(nil, serve.Version), path)
	return binary.LittleEndian.AppendUint64(b, uint64(size))
}

// Region is memory that a kernel may reach.
type Region struct{ Address, Size, Offset, Flags uint64 }

// Launch is a Run request.
type Launch struct {
	Module       uint32
	Entry        string
	Grid         [3]uint32
	Flags        uint32
	Milliseconds uint32
	Args         []uint64
	Regions      []Region
}

// Body is the request's body.
func (l Launch) Body() []byte {
	le := binary.LittleEndian
	b := AppendText(le.AppendUint32(nil, l.Module), l.Entry)
	for _, n := range l.Grid {
		b = le.AppendUint32(b, n)
	}
	b = le.AppendUint32(le.AppendUint32(b, l.Flags), l.Milliseconds)
	b = le.AppendUint32(b, uint32(len(l.Args)))
	for _, a := range l.Args {
		b = le.AppendUint64(b, a)
	}
	b = le.AppendUint32(b, uint32(len(l.Regions)))
	for _, r := range l.Regions {
		for _, x := range []uint64{r.Address, r.Size, r.Offset, r.Flags} {
			b = le.AppendUint64(b, x)
		}
	}
	return b
}
