package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/serve"
	"github.com/cutile-go/cutile/internal/serve/servetest"
)

// TestServe speaks to the command: a session, then an end within a request.
func TestServe(t *testing.T) {
	for _, c := range []struct {
		last string
		code int
		errs string
	}{{"", exitOK, ""}, {"L\x09\x00", exitFailed, "the peer ended within a request"}} {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		var errs bytes.Buffer
		code := make(chan int, 1)
		go func() { code <- run([]string{"serve", "-workers", "1"}, inR, outW, &errs) }()
		client := servetest.Client{In: inW, Out: outR}
		reply, err := client.Call(serve.Hello, servetest.Hello("", 0))
		if err != nil || binary.LittleEndian.Uint32(reply) != serve.Version {
			t.Fatalf("% x, %v", reply, err)
		}
		if _, err := client.Call(serve.Load, []byte("no bytecode")); err == nil {
			t.Error("text is taken for bytecode")
		}
		io.WriteString(inW, c.last)
		inW.Close()
		if got := <-code; got != c.code || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("exit code %d, %q; want %d, %q", got, errs.String(), c.code, c.errs)
		}
	}
	if code, _, errs := cutile("serve", "file"); code != exitUsage || !strings.Contains(errs, "want no arguments") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}
