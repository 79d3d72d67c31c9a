package engine

// Interface is what programs in other languages have to know of a kernel's code to launch it. A folder of code has it as JSON.
type Interface struct {
	Code     string       `json:"code"`               // the key of the Tile IR: files of the folder with it are the same kernel for several targets
	Symbol   string       `json:"symbol"`             // the kernel's name in the code
	Kernel   string       `json:"kernel"`             // and in the program: main.scale[D16]
	Position string       `json:"position,omitempty"` // in the program's source
	Params   []CallParam  `json:"params"`             // in order
	Equal    []EqualParam `json:"equal,omitempty"`    // what the kernel requires beside that
	Grids    []OutGrid    `json:"grids,omitempty"`    // of each Out; all give the same. None: the caller chooses the grid

	// Persistent has the tensors whose tiles the blocks own in turn (tile.Persistent): the grid has one axis and at least one block. X is their
	// number of tiles, at most 2147483647.
	Persistent []OutGrid `json:"persistent,omitempty"`

	// ExactGrid is the only grid for which the code was made, which then does not check whether accesses lie inside of their tensors.
	ExactGrid []uint32 `json:"exact_grid,omitempty"`
}

// The kinds of a parameter.
const (
	PointerParam = "pointer" // to the first element of a tensor
	ExtentParam  = "extent"  // of a tensor, in elements
	StrideParam  = "stride"  // of a tensor, in elements
	ScalarParam  = "scalar"
)

// CallParam is a parameter of an [Interface], with what its values have to be.
type CallParam struct {
	Name   string `json:"name"`             // an identifier of C, which no other parameter has
	Source string `json:"source"`           // the parameter of the Go function, such as config.scale
	Kind   string `json:"kind"`             // one of the constants
	Axis   *int   `json:"axis,omitempty"`   // of extents and strides
	Type   string `json:"type"`             // of a scalar, or of the elements of a tensor: float32
	C      string `json:"c"`                // the type of C
	Size   int    `json:"size"`             // in bytes
	Offset int    `json:"offset"`           // in bytes, where the parameters lie behind each other as fields of a struct of C
	Access string `json:"access,omitempty"` // of a pointer: read, write, or read and write

	Tile        []int  `json:"tile,omitempty"`        // of a pointer: the shape of the tiles in which the kernel takes the tensor
	Multiple    int    `json:"multiple,omitempty"`    // what divides the value: of a pointer bytes, else in its own unit
	Nonnegative bool   `json:"nonnegative,omitempty"` // the value is 0 or more
	Equals      *int64 `json:"equals,omitempty"`      // the only value
}

// EqualParam is a requirement that parameters have the same value, or a given one.
type EqualParam struct {
	Params []string `json:"params"`
	Value  *int64   `json:"value,omitempty"`
}

// OutGrid is the grid that an Out needs: the number of blocks along an axis is the product of the numbers of tiles, and 1 if there are none.
type OutGrid struct {
	Source string  `json:"source"` // the Out
	X      []Tiles `json:"x,omitempty"`
	Y      []Tiles `json:"y,omitempty"`
	Z      []Tiles `json:"z,omitempty"`
}

// Axes are X, Y and Z.
func (g *OutGrid) Axes() [3]*[]Tiles { return [3]*[]Tiles{&g.X, &g.Y, &g.Z} }

// Tiles is a number of tiles along an axis of a tensor: the extent divided by that of a tile, rounded up.
type Tiles struct {
	Extent string `json:"extent"` // the name of the parameter
	Tile   int    `json:"tile"`
}
