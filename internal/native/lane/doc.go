// Package lane says what the elementwise operations of Tile IR do with sixteen elements, as instructions of package vec.
//
// An element of a tile has a form in registers. Integers have their own width and i1 is a mask. An f16 has its own bits,
// since a conversion to float32 and back would change some NaNs, and is computed with in float32. The other floats of at
// most 32 bits are float32, whose upper bits they are: for the narrow ones each operation rounds its result to the element
// type, so that the form always holds a number of that type. Floats of at most eight bits have their own bits, too: they are
// only converted and moved, as are integers of four bits, in the lower half of a byte. Loads and stores convert between the form and memory.
//
// Each operation rounds once. Float32 and narrower floats that round in a direction, and sums of products of the narrow ones,
// are computed in float64 and rounded to odd, where another rounding follows. i1 is computed in bytes where it is a number.
//
// [Emit] is a table of rules by operation. A rule refuses element types and attributes that it has no instructions for;
// [Supports] asks it. Results are those of the interpreter of package engine/cpu, bit for bit.
package lane
