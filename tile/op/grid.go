package op

// TileBlockID returns the index of the running block in the grid.
//
//cutile:op get_tile_block_id() once min(0)
func TileBlockID() (x, y, z int32) { panic(host) }

// NumTileBlocks returns the size of the grid.
//
//cutile:op get_num_tile_blocks() once min(1)
func NumTileBlocks() (x, y, z int32) { panic(host) }

// LaunchDependents allows the grid that waits for this one to start.
//
//cutile:op gdc_launch_dependents_tko(t)
func LaunchDependents(t Token) Token { panic(host) }

// WaitGrid waits until the grid on which this one depends has ended.
//
//cutile:op gdc_wait_tko(t)
func WaitGrid(t Token) Token { panic(host) }

// Print prints formatted text, with the verbs of C's printf.
//
//cutile:op print_tko(args, t) {str: s}
func Print(s string, t Token, args ...any) Token { panic(host) }

// Assert stops the kernel with a message if an element of c is false.
//
//cutile:op assert(c) {message: s}
func Assert[B any](c B, s string) { panic(host) }
