package access

// Params says of each parameter of the entry whether the memory behind it may be read and written. It is not known where a pointer comes
// from memory, or where globals are used.
func (in *Info) Params() (reads, writes []bool, known bool) {
	reads, writes = make([]bool, len(in.entry.Params)), make([]bool, len(in.entry.Params))
	for _, a := range in.accesses {
		if a.roots&unknownRoot != 0 {
			return nil, nil, false
		}
		for i, k := range in.kinds {
			switch {
			case a.roots>>i&1 == 0:
			case k.global != "":
				return nil, nil, false
			case k.param > 0:
				reads[k.param-1] = reads[k.param-1] || a.Reads
				writes[k.param-1] = writes[k.param-1] || a.Writes
			}
		}
	}
	return reads, writes, true
}
