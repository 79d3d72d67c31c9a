package main

// A view is a way to use a register. Names are those of assembler text, and of the constants of package arm64.
type view struct {
	name, constant string
	size           int // bytes of an element
	lanes          int // elements of a vector; 0 for other registers
}

// views has the views in the order of their constants.
var views = []view{
	{"?", "ViewNone", 0, 0},
	{"w", "ViewW", 4, 0},
	{"x", "ViewX", 8, 0},
	{"b", "ViewB", 1, 0},
	{"h", "ViewH", 2, 0},
	{"s", "ViewS", 4, 0},
	{"d", "ViewD", 8, 0},
	{"q", "ViewQ", 16, 0},
	{"8b", "V8B", 1, 8},
	{"16b", "V16B", 1, 16},
	{"4h", "V4H", 2, 4},
	{"8h", "V8H", 2, 8},
	{"2s", "V2S", 4, 2},
	{"4s", "V4S", 4, 4},
	{"1d", "V1D", 8, 1},
	{"2d", "V2D", 8, 2},
	{"4b", "V4B", 1, 4},
	{"2h", "V2H", 2, 2},
}

// bytes gives the size of the whole view.
func (v view) bytes() int { return v.size * max(1, v.lanes) }

func viewByName(name string) (view, bool) {
	for _, v := range views[1:] {
		if v.name == name {
			return v, true
		}
	}
	return views[0], false
}

// A pattern is what a form expects of one operand: the fields of arm64's pattern.
type pattern struct {
	kind, view, enc string
	pos, arg        int
	sp              bool
}

// An operand is a word of the table that stands for an encoder of the same name, with the kind of its operand. Package arm64
// says what the encoder does.
type operand struct{ name, kind string }

var operands = []operand{
	{"register", "Reg"}, {"twice", "Reg"}, {"second", "Reg"}, {"list", "List"}, {"fixed", "Lane"},
	{"i5", "Lane"}, {"i4", "Lane"}, {"hlm", "Lane"}, {"q", "ListLane"},
	{"base", "Mem"}, {"exclusive", "Mem"}, {"scaled", "Mem"}, {"unscaled", "Mem"}, {"pairoff", "Mem"},
	{"index", "Index"}, {"bytes", "Post"}, {"postreg", "PostReg"},
	{"unsigned", "Imm"}, {"addimm", "Imm"}, {"bitmask", "Imm"}, {"notmask", "Imm"}, {"lslimm", "Imm"},
	{"lsb", "Imm"}, {"xwidth", "Imm"}, {"neglsb", "Imm"}, {"iwidth", "Imm"}, {"bit5", "Imm"}, {"bit6", "Imm"},
	{"imm8", "Imm"}, {"bytemask", "Imm"}, {"zero", "Imm"}, {"lsh", "Imm"}, {"rsh", "Imm"}, {"same", "Imm"},
	{"fzero", "Float"}, {"float", "Float"}, {"float8", "Float"},
	{"shift", "Shift"}, {"shiftr", "Shift"}, {"extw", "Shift"}, {"extwl", "Shift"}, {"extx", "Shift"},
	{"lsl8", "Shift"}, {"lsl24", "Shift"}, {"lsl16w", "Shift"}, {"lsl16x", "Shift"}, {"msl", "Shift"},
	{"cond", "Cond"}, {"notcond", "Cond"}, {"barrier", "Sym"}, {"prefetch", "Sym"}, {"readable", "Sym"}, {"writable", "Sym"},
	{"rel26", "Label"}, {"rel19", "Label"}, {"rel14", "Label"}, {"rel21", "Label"}, {"lit19", "Label"},
}

func kindOf(name string) (string, bool) {
	for _, o := range operands {
		if o.name == name {
			return o.kind, true
		}
	}
	return "", false
}

// A choice is one way to match an operand, with the bits that it changes.
type choice struct {
	pattern
	bits uint32
}

// addresses has the words that stand for several forms of addresses.
var addresses = map[string][]choice{
	"mem": {
		{pattern{kind: "Mem", enc: "scaled"}, 0},
		{pattern{kind: "Mem", enc: "unscaled"}, 0x01000000},
		{pattern{kind: "Pre", enc: "unscaled"}, 0x01000c00},
		{pattern{kind: "Post", enc: "unscaled"}, 0x01000400},
		{pattern{kind: "Index", enc: "index"}, 0x01200800},
	},
	"prfmem": {
		{pattern{kind: "Mem", enc: "scaled"}, 0},
		{pattern{kind: "Index", enc: "index"}, 0x01200800},
	},
	"pair": {
		{pattern{kind: "Mem", enc: "pairoff"}, 0},
		{pattern{kind: "Pre", enc: "pairoff"}, 0x00800000},
		{pattern{kind: "Post", enc: "pairoff"}, 0x01800000},
	},
	"vmem": {
		{pattern{kind: "Mem", enc: "base"}, 0},
		{pattern{kind: "Post", enc: "bytes"}, 0x009f0000},
		{pattern{kind: "PostReg", enc: "postreg"}, 0x00800000},
	},
}

// fields has the bit of each field of a register, and the encoder.
var fields = map[string]struct {
	pos int
	enc string
}{
	"d": {0, "register"}, "t": {0, "register"}, "n": {5, "register"}, "m": {16, "register"}, "a": {10, "register"},
	"t2": {10, "second"}, "nm": {5, "twice"},
}
