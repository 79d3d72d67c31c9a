package cutile_test

import "github.com/cutile-go/cutile/tile"

// limits is a parameter that becomes several.
type limits struct {
	Register float32
	Class    int
	Flags    [2]bool
	Shift    uint8
}

// reserved has parameters whose names are words of C and C++.
func reserved[B tile.Dim](double tile.In[tile.F32T1[B]], short int16, unsigned uint64, config limits, long float64, new tile.Out[tile.F32T1[B]]) {
	i := new.Index(0)
	v := double.Load(i) * tile.F32T1[B](config.Register)
	if config.Flags[0] != config.Flags[1] {
		v += tile.F32T1[B](float32(short)) + tile.F32T1[B](float32(long))
	}
	new.Store(v + tile.F32T1[B](float32(unsigned+uint64(config.Class)<<config.Shift)))
}

// doubled doubles a vector.
func doubled[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(z.Index(0)) * 2)
}

// countTo counts in memory of which only the address is passed, on a grid that the caller chooses.
func countTo(x tile.In[tile.I32T1[tile.D4]], bins tile.Ptr[int32], seed int32) {
	tile.AtomicAdd(bins, x.Load(tile.BlockID(0)), tile.I32T1[tile.D4](seed), true)
}
