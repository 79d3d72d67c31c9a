package cute

import (
	"errors"
	"fmt"
	"io"

	"github.com/cutile-go/cutile/internal/simtc/run"
)

// ProfileOptions are the choices of [Profile].
type ProfileOptions struct {
	Target string // the architecture of the model, such as "sm_80"; "" means "sm_80"
	JSON   bool   // write JSON, for programs
}

// Profile runs a function and writes to w what the kernels of this package do that are launched on CPU devices in the meantime:
// instructions by unit and by source line, accesses to memory, bank conflicts, copies under way during matrix products, and the
// cycles that a model says for a GPU. Launches of a kernel with the same grid are added up. docs/profile.md describes the report
// and the model.
//
// The function must wait for its launches: what is still queued when it returns is not counted, and it is an error if nothing is.
// Launches of other goroutines are counted, too. An error of the function is Profile's error, and then nothing is written. Only one Profile runs at a time.
func Profile(w io.Writer, o ProfileOptions, f func() error) error {
	switch {
	case w == nil:
		return errors.New("cute: Profile: the writer is nil")
	case f == nil:
		return errors.New("cute: Profile: the function is nil")
	case o.Target == "":
		o.Target = "sm_80"
	}
	if err := run.Profile(w, run.ProfileOptions(o), f); err != nil {
		return fmt.Errorf("cute: Profile: %w", err)
	}
	return nil
}
