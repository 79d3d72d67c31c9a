package tileblas

// InUse is the number of matrices that running calls have wrapped.
func InUse() int {
	inUse.mu.Lock()
	defer inUse.mu.Unlock()
	return len(inUse.all)
}

// Threshold is the threshold of an implementation.
func (x *Implementation) Threshold() int { return x.threshold }
