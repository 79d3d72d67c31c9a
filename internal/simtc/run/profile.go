package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/profile"
)

// ErrProfiled is the error of a profile while another one is taken.
var ErrProfiled = errors.New("another profile is being taken: one at a time, as it counts all launches of the process")

// errNotProfiled is the error of a profile without launches.
var errNotProfiled = errors.New("no launch has ended on a CPU device while the function ran: it must launch a kernel and wait for it, as by the device's Sync")

// ProfileOptions are the choices of a profile.
type ProfileOptions struct {
	Target string // the architecture of the model
	JSON   bool
}

// Profile counts the launches on CPU devices while a function runs, and writes a report of each kernel and grid.
func Profile(w io.Writer, o ProfileOptions, run func() error) error {
	target, err := profile.TargetOf(o.Target)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var all []*emu.Account
	stop, ok := emu.Watch(func(a *emu.Account) {
		mu.Lock()
		defer mu.Unlock()
		for _, b := range all {
			if b.Same(a) {
				b.Add(a)
				return
			}
		}
		all = append(all, a)
	})
	if !ok {
		return ErrProfiled
	}
	if err := watched(stop, run); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	if len(all) == 0 {
		return errNotProfiled
	}
	return report(w, o.JSON, all, target)
}

// watched runs a function, and stops watching when it ends, however it does.
func watched(stop func(), run func() error) error {
	defer stop()
	return run()
}

// report writes the reports of accounts.
func report(w io.Writer, asJSON bool, all []*emu.Account, target profile.Target) error {
	reports := []*profile.Report{}
	for _, a := range all {
		r, err := profile.New(a, target)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(reports)
	}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := r.Print(w); err != nil {
			return err
		}
	}
	return nil
}
