package tileir

// rule is a check that the table of operations cannot express. It runs only when the operation's operands, results,
// attributes and traits are sound, so it may rely on the types that the table asks for.
type rule func(*checker, *Op)

// rules has the checks of each operation, by number. It is filled in when the program starts, because some of them lead
// back to it.
var rules [len(byOpcode)][]rule

func init() {
	for _, group := range []map[int][]rule{arithmeticRules, coreRules, convertRules, memoryRules, viewRules, controlRules} {
		for code, rs := range group {
			rules[code] = rs
		}
	}
}

// tileOf gives the type of the named operand, which the table says is a tile.
func tileOf(o *Op, operand string) *TileType { return o.Operand(operand).Type.(*TileType) }

// resultTile gives the type of the first result, which the table says is a tile.
func resultTile(o *Op) *TileType { return o.Results[0].Type.(*TileType) }

// scalar is the type of one element of a tile.
func scalar(t *TileType) *TileType { return &TileType{Elem: t.Elem, Pointer: t.Pointer} }
