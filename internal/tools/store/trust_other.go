//go:build !unix

package store

import (
	"io/fs"
	"os"
)

// On Windows access is controlled by lists, and the folders of a user are closed to others by default; WebAssembly has no
// users.
func owned(fs.FileInfo) bool { return true }

func everybodyWrites(fs.FileMode) bool { return false }

// openPlain opens a plain file.
func openPlain(path string) (*os.File, error) {
	if err := Trust(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}
