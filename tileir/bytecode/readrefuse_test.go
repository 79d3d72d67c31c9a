package bytecode_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// globalOf is a sound file with a global whose row follows its name.
func globalOf(row string) []byte {
	return fileOf(soundFunc, section{6, 1, []byte("\x01\x00" + row)}, section{4, 8, tableOf(1, 8, "\x04\x00\x00\x00\x00")}, soundTypes, soundStrings)
}

func bodyOf(body string) []byte { return fileOf(funcOf([]byte(body)), soundTypes, soundStrings) }

// pointerType is the sixth type of a file, which is a pointer to i1; tensorType is a tensor.
const pointerType = "\x0c\x00\x00"

var tensorType = "\x0e\x00\x00" + numbers(1, 8) + numbers(1, 8)

// readRefusals are files with one fault, by where it lies, and all that Read says of it.
var readRefusals = []struct {
	name string
	data []byte
	want string
}{
	{"a pointer to a token", withTypes("\x0c\x00\x03"), `67 (0x43): the type pointed to is not an element type`},
	{"a pointer to a pointer", withTypes(pointerType, "\x0c\x00\x05"), `74 (0x4a): the type pointed to is not an element type`},
	{"a pointer to a tile", withTypes("\x0c\x00\x04"), `67 (0x43): the type pointed to is not an element type`},
	{"a pointer's attribute", withTypes("\x0c\x01\x00\x01"), `68 (0x44): the pointer attribute is 1, more than 0`},
	{"a tile of tokens", withTypes("\x0d\x03\x00"), `65 (0x41): a tile's element is neither a number nor a pointer`},
	{"a tile of no extent", withTypes("\x0d\x00\x01" + "\x00\x00\x00\x00\x00\x00\x00\x00"), `67 (0x43): extent 0 of a tile is not in 1..16777216`},
	{"a tile of no type", withTypes("\x0d\x06\x00"), `66 (0x42): the tile's element type is type 6, but there are 6`},
	{"a tensor of pointers", withTypes(pointerType, "\x0e\x00\x05"+numbers(1, 8)+numbers(1, 8)), `74 (0x4a): the tensor's element type is not an element type`},
	{"a tensor of tiles", withTypes("\x0e\x00\x04" + numbers(1, 8) + numbers(1, 8)), `67 (0x43): the tensor's element type is not an element type`},
	{"a view of a tile", withTypes("\x0f\x00" + numbers(1, 4) + "\x04" + numbers(1, 4)), `72 (0x48): the view's tensor is not a tensor_view`},
	{"a view of no extent", withTypes(tensorType, "\x0f\x00\x01\x00\x00\x00\x00\x05"+numbers(1, 4)), `92 (0x5c): extent 0 of a view's tile is not positive`},
	{"a view of an extent below 0", withTypes(tensorType, "\x0f\x00\x01\xff\xff\xff\xff\x05"+numbers(1, 4)), `92 (0x5c): extent -1 of a view's tile is not positive`},
	{"a padding", withTypes(tensorType, "\x0f\x01"+numbers(1, 4)+"\x05"+numbers(1, 4)+"\x05"), `103 (0x67): the padding value is 5, more than 4`},
	{"a sparse dimension", withTypes(tensorType, "\x14\x00"+numbers(1, 4)+"\x05"+uvarint(1<<31)), `98 (0x62): the sparse dimension is 2147483648, more than 2147483647`},
	{"a parameter of a function", withTypes("\x10\x01\x02\x00"), `67 (0x43): the type of a parameter is not the type of a value`},
	{"a result of a function", withTypes("\x10\x00\x01\x02"), `68 (0x44): the type of a result is not the type of a value`},
	{"a type that ends early", withTypes("\x0d\x00"), `67 (0x43): the number of extents is cut off`},
	{"an element with more", withTypes("\x03\x00"), `66 (0x42): 1 bytes are left over after the type`},

	{"a debug attribute", withDebug("\x07"), `48 (0x30): unknown debug attribute 7`},
	{"a unit of a position", withDebug("\x01\x02", "\x04\x00\x00\x01\x01"), `53 (0x35): the unit's file is a debug attribute of kind 4`},
	{"a position in a file", withDebug("\x04\x02\x00\x01\x01", "\x02\x00\x00"), `53 (0x35): the position's scope is a debug attribute of kind 2`},
	{"a call of a file", withDebug("\x06\x02\x00", "\x02\x00\x00"), `53 (0x35): the call's callee is a debug attribute of kind 2`},
	{"a block of a position", withDebug("\x03\x02\x00\x01\x01", "\x04\x00\x00\x01\x01"), `53 (0x35): the block's scope is a debug attribute of kind 4`},
	{"a debug attribute that is not there", withDebug("\x01\x02"), `49 (0x31): debug attribute 2, but there are 1`},
	{"a debug attribute in itself", withDebug("\x00", "\x06\x00\x02"), `53 (0x35): a debug attribute that contains itself`},
	{"the name of a file", withDebug("\x02\x01\x00"), `49 (0x31): the file's name is string 1, but there are 1`},
	{"more of a debug attribute", withDebug("\x00\x00"), `49 (0x31): 1 bytes are left over after the debug attribute`},

	{"a global that is a token", globalOf("\x03\x00\x00\x00\x00"), `30 (0x1e): global k is not a tile`},
	{"a global's type", globalOf("\x05\x00\x00\x00\x00"), `30 (0x1e): the global's type is type 5, but there are 5`},
	{"a global's constant", globalOf("\x04\x01\x00\x00\x00"), `31 (0x1f): the value is constant 1, but there are 1`},
	{"a global's visibility", globalOf("\x04\x00\x00\x02\x00"), `33 (0x21): the global's visibility is 2, more than 1`},
	{"a global's flag", globalOf("\x04\x00\x00\x00\x02"), `34 (0x22): the global's constant flag is 2, more than 1`},
	{"more than the globals", globalOf("\x04\x00\x00\x00\x00\x00"), `35 (0x23): 1 bytes are left over after the globals`},

	{"the tag of hints", fileOf(section{2, 8, []byte("\x01\x00\x02\x06\x00\x0a\x00\x03\x5c\x00\x00")}, soundTypes, soundStrings), `21 (0x15): the function's hints have another tag than 11`},
	{"regions of a loop", bodyOf("\x41\x00\x00\x02\x5c\x00\x00"), `25 (0x19): loop has 1 regions, not 2`},
	{"blocks of a loop", bodyOf("\x41\x00\x00\x01\x02\x5c\x00\x00"), `26 (0x1a): region region of loop has 2 blocks`},
	{"no block of a loop", bodyOf("\x41\x00\x00\x01\x00\x5c\x00\x00"), `26 (0x1a): region region of loop has 0 blocks`},
	{"a block without operations", bodyOf("\x41\x00\x00\x01\x01\x00\x00\x5c\x00\x00"), `28 (0x1c): a block does not end in a terminator`},
	{"a block that ends in an operation", bodyOf("\x41\x00\x00\x01\x01\x00\x01\x44\x03\x5c\x00\x00"), `28 (0x1c): a block does not end in a terminator`},
	{"a body that ends in an operation", bodyOf("\x44\x03"), `24 (0x18): the body of function k does not end in a terminator`},
	{"a value of the block before", bodyOf("\x41\x00\x00\x01\x01\x00\x02\x44\x03\x5c\x00\x00\x3c\x01\x03\x02\x00\x00"), `38 (0x26): an operand is value 0, but only 0 are in scope`},
	{"a result's type", bodyOf("\x44\x02\x5c\x00\x00"), `23 (0x17): the type of a result is not the type of a value`},
	{"an operand", bodyOf("\x44\x03\x3c\x01\x03\x02\x00\x01\x5c\x00\x00"), `29 (0x1d): an operand is value 1, but only 1 are in scope`},
	{"a body that ends early", bodyOf("\x44"), `23 (0x17): the type of a result is cut off`},
}

// TestReadNumbers: a number of another kind than its type is refused, and so is one with more bits.
func TestReadNumbers(t *testing.T) {
	m, err := text.Parse(`entry @k() {
		%x = constant <i32: 5> : tile<4xi32>
		%s = reduce %x dim=0 identities=[85 : i32] : tile<4xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) { yield %a : tile<i32> }
		return
	}`, text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sound, err := bytecode.Write(m, tileir.V13_1, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const integer = "\x01\x01\x55" // its kind, the second type, its value
	if n := bytes.Count(sound, []byte(integer)); n != 1 {
		t.Fatalf("the number is there %d times", n)
	}
	for number, want := range map[string]string{
		"\x02\x01\x55": ": attribute of kind 2 with type i32 is not a number",
		"\x03\x01\x55": ": attribute of kind 3 with type i32 is not a number",
		"\x01\x00\x55": ": 0x55 does not fit into i1",
		integer:        "",
	} {
		_, _, err := bytecode.Read(bytes.Replace(sound, []byte(integer), []byte(number), 1))
		if want == "" && err != nil || want != "" && !strings.HasSuffix(errorText(err), want) {
			t.Errorf("%q: %v, expected %q", number, err, want)
		}
	}
}

func TestReadRefusals(t *testing.T) {
	for _, c := range readRefusals {
		if _, _, err := bytecode.Read(c.data); errorText(err) != "bytecode: at byte "+c.want {
			t.Errorf("%s: %v, expected %s", c.name, err, c.want)
		}
	}
}
