//go:build unix

package store

// SetUser makes tests run as another user.
func SetUser(uid int) (restore func()) {
	old := user
	user = uid
	return func() { user = old }
}
