package bytecode

import (
	"fmt"

	"github.com/cutile-go/cutile/tileir"
)

// magic opens every file.
const magic = "\x7fTileIR\x00"

const headerSize = len(magic) + 4 // major, minor, 16-bit tag

// Numbers of the sections.
const (
	endMark = iota
	stringSection
	funcSection
	debugSection
	constantSection
	typeSection
	globalSection
	producerSection
	numSections
)

// alignedFlag in a section's number says that an alignment follows the length.
const alignedFlag = 0x80

// padByte fills gaps. Readers do not look at it.
const padByte = 0xCB

// sections gives what is fixed about each section.
var sections = [numSections]struct {
	name     string
	align    int // the least alignment; a file may ask for a multiple
	required bool
}{
	stringSection:   {"String", 4, true},
	funcSection:     {"Func", 8, true},
	debugSection:    {"Debug", 8, false},
	constantSection: {"Constant", 8, false},
	typeSection:     {"Type", 4, true},
	globalSection:   {"Global", 1, false},
	producerSection: {"Producer", 1, false},
}

// largeFile is the size in bytes above which reader and writer do not keep the room of their tables.
const largeFile = 1 << 20

// Limits of the reader. A file within them is read in time and memory proportional to its size.
const (
	maxText       = 1 << 20 // bytes of a string
	maxAlign      = 1 << 20 // of a section
	maxDepth      = tileir.MaxDepth
	maxCallDepth  = tileir.MaxCallDepth
	maxTypeDepth  = 8                  // of nested types: a function of views of tensors of numbers needs 4
	maxDebugDepth = 2*maxCallDepth + 8 // of nested debug attributes
	maxRank       = 64                 // of a tile or view
	maxMemory     = 512 << 20          // bytes that a module may take
)

// Tags of the types that are not just an element.
const (
	ptrTag               = 12
	tileTag              = 13
	tensorViewTag        = 14
	partitionViewTag     = 15
	funcTag              = 16
	tokenTag             = 17
	gatherScatterViewTag = 20
	stridedViewTag       = 21
)

// Tags of the attributes that name their own kind.
const (
	integerTag           = 1
	floatTag             = 2
	boolTag              = 3
	typeTag              = 4
	stringTag            = 5
	arrayTag             = 6
	divByTag             = 8
	sameElementsTag      = 9
	dictionaryTag        = 10
	optimizationHintsTag = 11
	boundedTag           = 12
)

// Tags of the debug attributes.
const (
	unknownTag = iota
	compileUnitTag
	fileTag
	lexicalBlockTag
	locTag
	subprogramTag
	callSiteTag
)

// Bits of a function row's flags.
const (
	privateFlag = 1 << iota
	entryFlag
	hintsFlag
)

// Error describes what is wrong with a file, and where.
type Error struct {
	Offset int // of the first wrong byte, from the start of the file
	What   string
}

// maxMessage limits what a message shows of a file, in bytes.
const maxMessage = 400

// Error returns text that includes the offset in decimal and hexadecimal.
func (e *Error) Error() string {
	return fmt.Sprintf("bytecode: at byte %d (%#x): %s", e.Offset, e.Offset, e.What)
}
