package host

// fillTraps writes INT3, so that a jump behind the code does not run what a zero would mean.
func fillTraps(b []byte) {
	for i := range b {
		b[i] = 0xcc
	}
}
