package cutile

import (
	"errors"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// addFacts adds the kernel's source and what the launch found out about its arguments to the folder that was made for a fault of the
// engine or of an assembler, if there is one.
func addFacts(err error, k *compile.Kernel, facts *compile.Facts) error {
	var e engine.Bundled
	if !errors.As(err, &e) || e.Folder() == "" {
		return err
	}
	return engine.Join(err, k.AddTo(e.Folder(), facts))
}
