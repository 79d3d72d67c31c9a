//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// user is the user that runs this process; tests change it.
var user = os.Geteuid()

func owned(st fs.FileInfo) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && (int(s.Uid) == user || s.Uid == 0)
}

func everybodyWrites(mode fs.FileMode) bool { return mode.Perm()&0o002 != 0 }

// openPlain opens a path that is not a symlink, and does not wait if it is a FIFO.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
