package bytecode_test

import (
	"bytes"
	"fmt"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// A module is written in an old version, read back, and written again: the same bytes. A newer version takes it, too.
func Example() {
	b := tileir.NewBuilder()
	b.Entry("nothing", nil, func([]*tileir.Value) { b.Return() })
	old, err := bytecode.Write(b.Module, tileir.V13_1, bytecode.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q begins a file of %d bytes\n", old[:8], len(old))

	m, v, err := bytecode.Read(old)
	fmt.Println("entry", m.Entries[0].Name, "of version", v, err)

	again, err := bytecode.Write(m, v, bytecode.Options{})
	fmt.Println("the same:", bytes.Equal(old, again), err)

	_, err = bytecode.Write(m, tileir.V13_4, bytecode.Options{})
	fmt.Println("for 13.4:", err)
	// Output:
	// "\x7fTileIR\x00" begins a file of 84 bytes
	// entry nothing of version 13.1 <nil>
	// the same: true <nil>
	// for 13.4: <nil>
}

// Read takes any bytes. What is wrong has an offset.
func ExampleRead() {
	_, _, err := bytecode.Read([]byte("\x7fTileIR\x00\x0d\x63"))
	fmt.Println(err)
	// Output: bytecode: at byte 8 (0x8): version 13.99 is not one of [13.1 13.2 13.3 13.4]
}
