package op

// TileBlockID is the place of the running block in the grid.
//
//cutile:op get_tile_block_id() once min(0)
func TileBlockID() (x, y, z int32) { panic(host) }

// NumTileBlocks is the size of the grid.
//
//cutile:op get_num_tile_blocks() once min(1)
func NumTileBlocks() (x, y, z int32) { panic(host) }

// LaunchDependents lets the grid that waits for this one start.
//
//cutile:op gdc_launch_dependents_tko(t)
func LaunchDependents(t Token) Token { panic(host) }

// WaitGrid waits until the grid that this one depends on has ended.
//
//cutile:op gdc_wait_tko(t)
func WaitGrid(t Token) Token { panic(host) }

// Print writes formatted text; the verbs are those of C's printf.
//
//cutile:op print_tko(args, t) {str: s}
func Print(s string, t Token, args ...any) Token { panic(host) }

// Assert stops the kernel with a message where an element of c does not hold.
//
//cutile:op assert(c) {message: s}
func Assert[B any](c B, s string) { panic(host) }
