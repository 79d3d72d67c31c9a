// Package nest makes loops of operations of Tile IR on tiles.
//
// [Find] takes operations of a block, one after the other, as long as they work on tiles of one shape: loads, elementwise
// operations, broadcasts, reductions along the last dimension and what is computed with their results, stores. They become
// a [Segment], whose tiles are seen as rows of columns. [Segment.Build] makes one function of it, which does all of the
// operations for a row before the next row: passes over the columns, as many as reductions demand, with what belongs to a
// row between them. Values live in registers. A value that a later pass needs is computed again if that is cheap, and else
// kept for the length of a row.
//
// A reduction has the order that package engine/cpu documents: 64 partial results, or as many as there are columns, of
// which the upper half is folded into the lower half until one is left. Four vectors hold them. Where reductions are along
// another dimension than the last, the segment has no reductions of rows: its function goes through the columns, and for
// each vector of columns through the rows in the order in which their partial results are combined, see [columnFold].
//
// A broadcast of a value from before the segment is an [index]: it says for each element which one of the value it is. Often that
// is one for each row or for each column; else the function reads what lies behind each other in the value as vectors, or it gathers.
//
// A scan is a segment of its own: each lane is a scan, or, where elements of a scan are adjacent, some go side by side.
//
// The caller resolves memory: a function gets the address of the first row and the distance of rows of each operand.
package nest
