//go:build !unix

package serve

import (
	"errors"
	"runtime"
)

// mapFile maps a file of the peer.
func mapFile(string, int64) ([]byte, error) {
	return nil, errors.New("mapping files is not supported on " + runtime.GOOS)
}

func unmap([]byte) {}
