package host

// fillTraps writes INT3. Zeros would be instructions that write to memory.
func fillTraps(b []byte) {
	for i := range b {
		b[i] = 0xcc
	}
}
