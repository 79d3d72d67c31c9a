package cuda

import "github.com/cutile-go/cutile/internal/engine"

// use keeps a handle of the driver alive until its life is done.
func use(l *engine.Life, d *Device, what string) error {
	if !l.Use() {
		return d.closedError(what)
	}
	return nil
}
