package ranks

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// hello is what a process says first: these letters, its rank and the size of the job, in 32 bits each.
const hello = "cutile ranks 1: "

const (
	helloBytes  = len(hello) + 8
	patience    = 10 * time.Second       // for a process that has connected
	retryPeriod = 100 * time.Millisecond // of a process that waits for rank 0
)

// Share gives the data of rank 0 to all processes of the job, over TCP at Address. It returns when this process has it; for rank 0, when all
// have. The network is trusted, as with other launchers: whoever can connect and says a rank gets the data.
func (p Process) Share(ctx context.Context, data []byte) error {
	if p.Address == "" {
		return fmt.Errorf("%s does not say where rank 0 is: set %s to its machine and %s to a free port there", p.Launcher, hostEnv, portEnv)
	}
	if p.Rank == 0 {
		return p.give(ctx, data)
	}
	return p.take(ctx, data)
}

// give listens until all others have been there.
func (p Process) give(ctx context.Context, data []byte) error {
	_, port, err := net.SplitHostPort(p.Address)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", ":"+port)
	if err != nil {
		return fmt.Errorf("rank 0 cannot listen where %s and %s say: %w", hostEnv, portEnv, err)
	}
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	served := make([]bool, p.Size)
	for left := p.Size - 1; left > 0; {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("%d of %d processes have not asked rank 0: %w", left, p.Size, ctx.Err())
			}
			return err
		}
		rank, err := p.serve(c, data)
		if err == nil && !served[rank] { // others that connect by mistake are not counted
			served[rank] = true
			left--
		}
	}
	return nil
}

// serve answers one connection.
func (p Process) serve(c net.Conn, data []byte) (rank int, err error) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	var said [helloBytes]byte
	if _, err := io.ReadFull(c, said[:]); err != nil {
		return 0, err
	}
	rank, size := int(binary.LittleEndian.Uint32(said[len(hello):])), int(binary.LittleEndian.Uint32(said[len(hello)+4:]))
	if string(said[:len(hello)]) != hello || rank < 1 || rank >= p.Size || size != p.Size {
		return 0, fmt.Errorf("%q is not of this job", said)
	}
	if _, err := c.Write(data); err != nil {
		return 0, err
	}
	var done [1]byte // so that a process that was not reached asks again
	_, err = io.ReadFull(c, done[:])
	return rank, err
}

// take asks rank 0 until it answers.
func (p Process) take(ctx context.Context, data []byte) error {
	for {
		err := p.ask(ctx, data)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("rank 0 does not answer at %s (%w): %w", p.Address, err, ctx.Err())
		case <-time.After(retryPeriod):
		}
	}
}

func (p Process) ask(ctx context.Context, data []byte) error {
	c, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", p.Address)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	said := bytes.NewBufferString(hello)
	said.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(p.Rank)), uint32(p.Size)))
	if _, err := c.Write(said.Bytes()); err != nil {
		return err
	}
	if _, err := io.ReadFull(c, data); err != nil {
		return err
	}
	_, err = c.Write([]byte{1})
	return err
}
