package device

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/engine"
)

// WithoutShadow is how a program has a device that compares no launches, for messages.
const WithoutShadow = "open the device without WithShadow, and run the program without CUTILE_SHADOW"

// lacks is the error of a call that asks for what the engine cannot do: can says what engines can. Where only shadow mode cannot, the error says
// so. instead is what a program can do in any case.
func (d *Device) lacks(what string, can func(engine.Device) bool, instead string) error {
	if d.shadow != nil && can(d.shadow.Real()) {
		return fmt.Errorf("%s cannot %s in shadow mode, which compares launches with the CPU: %s; or %s", d.eng.Name(), what, WithoutShadow, instead)
	}
	return fmt.Errorf("%s cannot %s: %s", d.eng.Name(), what, instead)
}

// HidesNative reports whether shadow mode alone keeps streams of the device from [Stream.Native].
func (d *Device) HidesNative() bool {
	if d.shadow == nil {
		return false
	}
	s, err := d.shadow.Real().NewStream()
	if err != nil {
		return false
	}
	_, ok := s.(engine.Native)
	return s.Close() == nil && ok
}
