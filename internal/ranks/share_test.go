package ranks_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/ranks"
)

// address is a port that was free a moment ago.
func address(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestShare: all processes get what rank 0 has, whoever comes first, and connections of others do no harm.
func TestShare(t *testing.T) {
	at := address(t)
	const size = 5
	got := make([]string, size)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() {
			if rank == 0 {
				time.Sleep(150 * time.Millisecond)
			}
			data := []byte("......")
			if rank == 0 {
				data = []byte("secret")
			}
			p := ranks.Process{Rank: rank, Size: size, Address: at}
			if err := p.Share(t.Context(), data); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
			got[rank] = string(data)
		})
	}
	for _, junk := range []string{"", "GET / HTTP/1.1\r\n\r\n........", "cutile ranks 1: \x07\x00\x00\x00\x05\x00\x00\x00", "cutile ranks 1: \x01\x00\x00\x00\x04\x00\x00\x00"} {
		all.Go(func() {
			for range 50 {
				if c, err := net.Dial("tcp", at); err == nil {
					c.Write([]byte(junk))
					c.Close()
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	all.Wait()
	for rank, s := range got {
		if s != "secret" {
			t.Errorf("rank %d has %q", rank, s)
		}
	}
}

// TestShareEnds: a context bounds how long the processes wait for each other.
func TestShareEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	at := address(t)
	for rank, want := range []string{"2 of 3 processes have not asked rank 0: ", "rank 0 does not answer at " + at} {
		err := ranks.Process{Rank: rank, Size: 3, Address: at}.Share(ctx, make([]byte, 3))
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
			t.Errorf("rank %d: error %v, want %q", rank, err, want)
		}
	}
	err := ranks.Process{Launcher: "srun", Size: 3}.Share(ctx, nil)
	if want := "srun does not say where rank 0 is: set MASTER_ADDR to its machine and MASTER_PORT to a free port there"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
