package limit

import "time"

// After calls stop in a goroutine when d has passed, unless end is called before. end reports whether stop was called, and returns only
// after it: a stop that comes late would end what begins next.
func After(d time.Duration, stop func()) (end func() bool) {
	ended := make(chan struct{})
	t := time.AfterFunc(d, func() {
		defer close(ended)
		stop()
	})
	return func() bool {
		if t.Stop() {
			return false
		}
		<-ended
		return true
	}
}
