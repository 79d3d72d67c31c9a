package device

// Target is where kernels are launched: a [Device], which stands for its default stream, a [Stream], or the result of the Grid
// method of either.
type Target interface {
	target() (s *Stream, grid []int)
}

// Place returns a target's stream and grid, each nil if the target has none. It is for the packages of this module.
func Place(on Target) (s *Stream, grid []int) {
	if on == nil {
		return nil, nil
	}
	if s, grid = on.target(); s == nil || s.core == nil {
		return nil, grid
	}
	return s, grid
}

func (d *Device) target() (*Stream, []int) { return d.Stream(), nil }

func (s *Stream) target() (*Stream, []int) { return s, nil }

// Grid returns the stream as a [Target] with a grid of x, or x by y, or x by y by z blocks. A launch needs a grid if no
// argument is a tile.Out or tile.Persistent. An extent of 0 launches nothing.
func (s *Stream) Grid(x int, yz ...int) Target {
	return &gridTarget{s, append([]int{x}, yz...)}
}

// gridTarget is a stream with a grid. The launch refuses more than three extents.
type gridTarget struct {
	stream *Stream
	grid   []int
}

func (t *gridTarget) target() (*Stream, []int) { return t.stream, t.grid }
