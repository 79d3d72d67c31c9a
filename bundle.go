package cutile

import (
	"errors"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/tools/bundle"
)

// making calls a compiler of an engine for a kernel's module outside of a device. A panic in it is an error, which keeps what repeats it.
func making(k *compile.Kernel, facts *compile.Facts, code *compile.Code, do func() error) error {
	err := bundle.Keep(cache.Guard(do), func() *bundle.Report { return &bundle.Report{Name: k.Name(), Module: code.Module} })
	return addFacts(err, k, facts)
}

// addFacts adds the kernel's source and what the launch found out about its arguments to the folder that was made for a fault of the
// engine or of an assembler, if there is one.
func addFacts(err error, k *compile.Kernel, facts *compile.Facts) error {
	var e engine.Bundled
	if !errors.As(err, &e) || e.Folder() == "" {
		return err
	}
	return engine.Join(err, k.AddTo(e.Folder(), facts))
}
