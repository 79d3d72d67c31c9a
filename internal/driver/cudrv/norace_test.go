//go:build !race

package cudrv_test

// raceEnabled: the race detector makes pools forget, so that calls allocate.
const raceEnabled = false
