package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Kind says what an operation does in a segment.
type Kind uint8

// The kinds of operations.
const (
	Before  Kind = iota // it is done before the segment, by the caller
	Nothing             // no work
	Alias               // the result is the operand
	Lanes               // elementwise
	Spread              // broadcast, extract
	Join                // cat
	Count               // iota
	Index               // offset of one pointer for all elements: what is kept is the offsets
	Reduce
	Scan
	Load
	Through // a load through pointers
	Store
)

// class says of what a value has one element each.
type class uint8

const (
	full   class = iota // of each element of the segment's tiles
	row                 // of each row
	column              // of each column, and more of them where there are several groups of rows: see [columnFold]
	part                // of fewer elements: they are computed where a full value needs them
)

// Step is an operation of a segment.
type Step struct {
	Op    *tileir.Op
	Kind  Kind
	class class // of its results
	pass  int   // of a full one: in which it is computed; of one of rows: before which

	number int32 // of the step, from 1 on: the note of its instructions
}

// Segment is consecutive operations of a block that become one function.
type Segment struct {
	Steps      []Step
	Rows, Cols int
	Operands   []Operand // memory, in the order of the frame

	values    map[*tileir.Value]*value
	splat     func(*tileir.Value) bool
	from      func(*tileir.Op) *tileir.Value
	rowed     bool // some operation tells rows from columns
	passes    int
	down      *columnFold // nil if no reduction is along the rows
	scan      *prefix     // nil if the segment is no scan along the rows
	direction direction   // in which passes go through the columns
	early     []int       // operands that full results overwrite,
	over      []*value    // and those results
}

// value is a result of an operation of the segment.
type value struct {
	step    *Step
	class   class
	root    *tileir.Value // the value itself, or what it is an alias of
	kept    bool          // for later passes, in memory
	escapes bool          // it is used behind the segment
	operand int           // the memory that it is kept in
}

// tile is what is kept of the value that v is.
func (x *value) tile(v *tileir.Value) *tileir.TileType {
	if x.step.Kind == Index {
		v = x.step.Op.Operands[1]
	}
	return lane.TileOf(v)
}

// Role says what memory an operand is.
type Role uint8

// The roles of operands.
const (
	Loaded  Role = iota // the tile that a load reads
	Stored              // the tile that a store writes
	Outside             // a value from before the segment
	Result              // a value that is used behind the segment
	Buffer              // room for one row
	Reached             // memory that loads through pointers read; the value is the address from which these count
)

// Operand is memory that the function of a segment reads or writes. The caller gives the address of its first row and the
// bytes from a row to the next, or 0 for memory that all rows share. Of memory that is reached through pointers it gives the address of a
// [Reach], and that of a note of [MissWords] words.
type Operand struct {
	Role  Role
	Step  int           // the number of the load or store
	Value *tileir.Value // whose elements they are
	Rows  bool          // it has elements of its own for each row
	Cols  bool          // and for each column
	Bytes int           // of an element
	index index         // what a broadcast or extract takes, if it is not that
	skip  int           // the elements before the first one that extract takes

	Wide bool // of memory that is reached through pointers: offsets have 64 bits
}

// The words of a function's frame, before two for each operand: its address and the distance of its rows.
const (
	FirstUnit = iota // the first unit of work, see [Segment.Units],
	LastUnit         // and the one behind the last
	FrameHead        // the number of these words
)

// Written reports whether the function writes the operand.
func (o *Operand) Written() bool { return o.Role == Stored || o.Role == Result || o.Role == Buffer }

// bytesOf is the room of an element in memory.
func bytesOf(t *tileir.TileType) int {
	if t.Pointer {
		return 8
	}
	return t.Elem.Bytes()
}

// Leaves reports whether a value is used behind the segment, so that the function stores it.
func (s *Segment) Leaves(v *tileir.Value) bool {
	x := s.values[v]
	return x != nil && x.escapes
}

// Single reports whether [Segment.Emit] gives a result in a register: a value of the only row.
func (s *Segment) Single(v *tileir.Value) bool {
	x := s.values[v]
	return x != nil && x.class == row && s.Rows == 1 && s.down == nil && s.scan == nil
}

// OneVector reports whether all that the segment computes fits in one vector: it has one row of at most as many columns as lanes.
func (s *Segment) OneVector() bool {
	return s.Rows == 1 && s.Cols <= vec.Lanes && s.down == nil && s.scan == nil
}

// Held reports whether [Segment.Emit] gives a result as a vector, with an element in each lane, if the result has no place.
func (s *Segment) Held(v *tileir.Value) bool {
	x := s.values[v]
	return x != nil && x.class == full && s.OneVector()
}

// Takes reports whether the segment takes an operand as a vector, with an element in each lane, by [Place.Vector].
func (s *Segment) Takes(operand int) bool {
	o := &s.Operands[operand]
	return s.OneVector() && o.Role == Outside && o.Cols && o.index == nil && o.skip == 0 && lane.TileOf(o.Value).Size() == s.Cols
}

// Kept is the type of the tile that a result of the segment is kept as: of a tile of pointers that may be offsets.
func (s *Segment) Kept(v *tileir.Value) *tileir.TileType { return s.values[v].tile(v) }

// Units is how many parts of the segment's work the function can do in any call, and how many elements each has: rows, or
// groups of rows.
func (s *Segment) Units() (units, elems int) {
	if d := s.down; d != nil {
		return d.outer, d.n * d.between * s.Cols
	}
	if p := s.scan; p != nil {
		return p.outer, p.n * p.inner
	}
	return s.Rows, s.Cols
}

// StreamAlign is what the addresses of rows are multiples of that are written past the caches, in bytes.
const StreamAlign = 64

// mostStreamed is the most operations of a segment that may write past the caches: more of them take longer than memory.
const mostStreamed = 24

// Streams reports whether the segment can write tiles past the caches, and whether that may pay: it does little else.
func (s *Segment) Streams() bool {
	return s.Cols%vec.Lanes == 0 && s.passes == 1 && s.down == nil && s.scan == nil && len(s.Steps) <= mostStreamed
}

// leastAhead is the bytes of rows from which on it pays to prefetch the rows of the next tile.
const leastAhead = 256

// Prefetches reports whether the segment can ask for the tile that it will load next by way of an operand, and whether that may pay:
// what only reads is at the speed of memory, if that knows beforehand where it goes on. What also writes has other work to do.
func (s *Segment) Prefetches(operand int) bool {
	o := &s.Operands[operand]
	if o.Role != Loaded || s.scan != nil || s.Cols*o.Bytes < leastAhead {
		return false
	}
	pass := s.Steps[o.Step].pass
	return !slices.ContainsFunc(s.Operands, func(x Operand) bool { return x.Role == Stored && s.Steps[x.Step].pass == pass })
}

// Passes is the number of passes over the columns of a row.
func (s *Segment) Passes() int { return s.passes }
