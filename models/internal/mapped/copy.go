package mapped

import (
	"bytes"
	"fmt"
	"io"
)

// Copy copies exactly n bytes and refuses more or fewer. No reader is one without bytes.
func Copy(w io.Writer, r io.Reader, n int64) error {
	if r == nil {
		r = bytes.NewReader(nil)
	}
	got, err := io.CopyN(w, r, n)
	if err != nil && err != io.EOF {
		return err
	}
	if got != n {
		return fmt.Errorf("it has %d bytes, but its data ended after %d", n, got)
	}
	if got, err := io.ReadFull(r, make([]byte, 1)); got > 0 {
		return fmt.Errorf("it has %d bytes, but its data has more", n)
	} else if err != io.EOF {
		return err
	}
	return nil
}
