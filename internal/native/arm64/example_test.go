package arm64_test

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/native/arm64"
)

// A loop that adds vectors of four floats.
func Example() {
	a := arm64.Assembler{Record: true}
	loop := a.Label()
	a.Bind(loop)
	a.Emit(arm64.LDR, arm64.Q(0), arm64.Post(arm64.X0, 16))
	a.Emit(arm64.FADD, arm64.V(1, arm64.V4S), arm64.V(1, arm64.V4S), arm64.V(0, arm64.V4S))
	a.Emit(arm64.SUBS, arm64.X(1), arm64.X(1), arm64.Imm(4))
	a.Emit(arm64.BCOND, arm64.GT.Op(), arm64.To(loop))
	a.Emit(arm64.RET)
	code, err := a.Finish()
	if err != nil {
		fmt.Println(err)
	}
	for _, l := range a.Lines() {
		fmt.Printf("%2d  %s\n", l.Offset, l.Text)
	}
	fmt.Println(len(code), "bytes")
	// Output:
	//  0  .L1:
	//  0  ldr q0, [x0], #16
	//  4  fadd v1.4s, v1.4s, v0.4s
	//  8  subs x1, x1, #4
	// 12  b.gt .L1
	// 16  ret
	// 20 bytes
}
