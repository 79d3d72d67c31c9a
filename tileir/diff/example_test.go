package diff_test

import (
	"fmt"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/diff"
	"github.com/cutile-go/cutile/tileir/text"
)

func ExampleCompare() {
	var modules [2]*tileir.Module
	for i, op := range []string{"addi", "muli"} {
		m, err := text.Parse("entry @k(%n: tile<i32>) {\n%x = "+op+" %n, %n : tile<i32>\nreturn\n}\n", text.ParseOptions{})
		if err != nil {
			panic(err)
		}
		modules[i] = m
	}
	fmt.Print(diff.Compare(modules[0], modules[1]))
	// Output:
	// entry @k
	// ! 0 | 0
	// -   %0 = addi %arg0, %arg0 : tile<i32>
	// +   %0 = muli %arg0, %arg0 : tile<i32>
	//     operation: addi | muli
	// different: 1 operation changed, 0 added, 0 removed; 0 other differences
}
