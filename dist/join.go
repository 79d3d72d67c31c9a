package dist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/collective"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/driver/mpi"
	"github.com/cutile-go/cutile/internal/driver/nccl"
	"github.com/cutile-go/cutile/internal/ranks"
)

// Join makes a group of all processes of the job, which works on tensors of dev. It waits until all processes have called it. If ctx ends
// first, that goes on, and the program should end with a code.
//
// The launcher's variables say how many processes there are ([Self]), and which MPI is loaded: that of the launcher. The environment variable
// CUTILE_LIBMPI names another library. A library that does not belong to the launcher takes each process for a job of its own, which
// is an error here. Without a launcher, and if one that MPI does not know starts one process, the group has one process and needs no library.
//
// On the device cuda, NCCL is loaded, too, where it is installed (version 2.23 or later), and CUTILE_LIBNCCL names another library of it, or is off. A job that MPI does
// not know needs it; its processes meet at MASTER_ADDR and MASTER_PORT. Each process needs a GPU of its own then ([Process.Device]). In shadow mode (CUTILE_SHADOW), NCCL is
// not used.
//
// A process may join several times, if all do; each group must be closed. MPI and NCCL are there on Linux, on amd64 and arm64.
func Join(ctx context.Context, dev *device.Device, opts ...Option) (*Group, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	if dev == nil || dev.Internal() == nil {
		return nil, errors.New("dist: Join: the device is nil")
	}
	var o options
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("dist: Join: an option is nil")
		}
		opt(&o)
	}
	if o.limit < 0 {
		return nil, fmt.Errorf("dist: WithLimit(%v): the limit must not be negative", o.limit)
	}
	p, err := ranks.Find(os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("dist: %w", err)
	}
	g, err := join(ctx, dev, p, o)
	if err != nil {
		return nil, fmt.Errorf("dist: Join: %w", err)
	}
	return g, nil
}

func join(ctx context.Context, dev *device.Device, p ranks.Process, o options) (*Group, error) {
	m := members{rank: p.Rank, size: p.Size, localRank: p.LocalRank, localSize: p.LocalSize}
	if p.Launcher == "" {
		return newGroup(dev, m, o)
	}
	var lib *nccl.Library
	var err error
	if dev.Stream().Internal().HasNative() {
		if lib, err = nccl.Open(); err != nil && os.Getenv(nccl.LibraryEnv) != "" && !errors.Is(err, nccl.ErrOff) {
			return nil, err
		}
	}
	switch {
	case p.HasMPI:
	case p.Size == 1 && lib == nil:
		return newGroup(dev, m, o)
	case p.Size > 1:
		if err := withoutMPI(p, o, dev, lib, err); err != nil {
			return nil, err
		}
	}
	type joined struct {
		g   *Group
		err error
	}
	done := make(chan joined, 1)
	go func() {
		err := m.meet(ctx, dev, p, lib)
		if err == nil {
			err = m.agree(o)
		}
		var g *Group
		if err == nil {
			g, err = newGroup(dev, m, o)
		}
		done <- joined{g, err}
	}()
	select {
	case j := <-done:
		return j.g, j.err
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the other processes: %w", ctx.Err())
	}
}

// withoutMPI refuses what a job whose processes MPI does not know cannot have. why is the reason why there is no NCCL, if it was looked for.
func withoutMPI(p ranks.Process, o options, dev *device.Device, lib *nccl.Library, why error) error {
	switch {
	case lib == nil && dev.Internal().HidesNative():
		return fmt.Errorf("%s says that this is process %d of %d, but MPI does not know processes that it starts, and NCCL does not work in shadow mode, "+
			"which compares launches with the CPU: %s; or %s", p.Launcher, p.Rank, p.Size, core.WithoutShadow, p.Advice)
	case lib == nil && why != nil:
		return fmt.Errorf("%s says that this is process %d of %d, but MPI does not know processes that it starts (%s), and there is %w",
			p.Launcher, p.Rank, p.Size, p.Advice, why)
	case lib == nil:
		return fmt.Errorf("%s says that this is process %d of %d, but MPI does not know processes that it starts: %s", p.Launcher, p.Rank, p.Size, p.Advice)
	case o.order != collective.Any || o.checks:
		return fmt.Errorf("WithOrder, WithTree and WithChecks need MPI, which does not know processes that %s starts: %s", p.Launcher, p.Advice)
	}
	return nil
}

// meet makes the communicators, with all other processes.
func (m *members) meet(ctx context.Context, dev *device.Device, p ranks.Process, lib *nccl.Library) error {
	share := func(data []byte) error {
		if p.Size == 1 {
			return nil
		}
		return p.Share(ctx, data)
	}
	if p.HasMPI {
		comm, err := mpi.Start(p.MPI)
		if err == nil {
			err = matches(comm, p)
		}
		if err != nil {
			return err
		}
		m.comm = comm
		share = func(data []byte) error { return comm.Bcast(mpi.Uint8, len(data), data, 0) }
	}
	if lib == nil {
		return nil
	}
	var err error
	m.ccl, err = joinNative(dev.Stream().Internal(), lib, p, share)
	return err
}

// agree refuses options that differ between the processes, which would wait for each other in different collectives.
func (m *members) agree(o options) error {
	if m.comm == nil {
		return nil // there is one way to join
	}
	own := []byte{byte(o.order), 0}
	if o.checks {
		own[1] = 1
	}
	all := make([]byte, len(own)*m.size)
	if err := m.comm.Allgather(mpi.Uint8, len(own), all, own); err != nil {
		return err
	}
	for rank := range m.size {
		if theirs := all[len(own)*rank:][:len(own)]; !bytes.Equal(theirs, all[:len(own)]) {
			return errors.Join(fmt.Errorf("the processes give different options: rank 0 %s, and rank %d %s: give all the same",
				optionsText(all), rank, optionsText(theirs)), m.comm.Free())
		}
	}
	return nil
}

// optionsText names the options that agree sends.
func optionsText(o []byte) string {
	var names []string
	switch collective.Order(o[0]) {
	case collective.Ranks:
		names = append(names, "WithOrder")
	case collective.Tree:
		names = append(names, "WithTree")
	}
	if o[1] != 0 {
		names = append(names, "WithChecks")
	}
	if names == nil {
		return "neither WithOrder, WithTree nor WithChecks"
	}
	return strings.Join(names, " and ")
}

// matches refuses a job that is not the launcher's.
func matches(comm *mpi.Comm, p ranks.Process) error {
	if comm.Size() == p.Size && comm.Rank() == p.Rank {
		return nil
	}
	advice := "start the program with the launcher of that MPI"
	switch {
	case os.Getenv(mpi.LibraryEnv) != "":
		advice = fmt.Sprintf("unset %s, or start the program with the launcher of that library", mpi.LibraryEnv)
	case comm.Family() == p.MPI:
		advice = fmt.Sprintf("set %s to the library that belongs to the launcher", mpi.LibraryEnv)
	}
	return fmt.Errorf("%s says that this is process %d of %d, but %s says %d of %d, so the library does not belong to the launcher: %s",
		p.Launcher, p.Rank, p.Size, comm.Library(), comm.Rank(), comm.Size(), advice)
}
