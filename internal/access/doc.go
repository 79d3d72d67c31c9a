// Package access finds facts about an entry of Tile IR that back ends need, and makes no code. [Analyse] looks at an entry
// once; the methods of [Info] answer questions about its values and operations:
//
//   - [Info.Accesses] says what each load, store and atomic operation touches: the pointer that it starts from, where the
//     tile begins, the stride of each dimension, what bounds it, and how it is aligned.
//   - [Info.Form] writes an integer as a polynomial of a few kinds of atoms, such as 64*%blockId_x + i0.
//   - [Info.MayTouch], [Info.ReadOnly] and [Info.Ordered] say which accesses may meet in memory, and in which order.
//   - [Info.Source] follows reshapes, broadcasts, permutations, extractions and concatenations to the values whose elements
//     they move, so that they cost nothing.
//   - [Info.Varies] and [Info.Uniform] say along which dimensions of a tile, and [Info.Invariant] in which loops, a value needs
//     to be computed only once; [Info.Uses] and [Info.LastUse] say how long it is needed.
//   - [Info.Products] describes matrix products, and says of those that no loop accumulates why not.
//
// Each fact holds in every execution that the facts of the caller allow. Where integers may wrap around, where a promise may
// not have been made yet, or where memory may be shared, the answer is the cautious one.
package access
