package host

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// trials has, for each architecture, a function that stores three times the first word of its frame in the second word, and
// returns 7.
var trials = map[string][]byte{
	"amd64": {
		0x48, 0x8b, 0x0f, // mov rcx, [rdi]
		0x48, 0x8d, 0x0c, 0x49, // lea rcx, [rcx+rcx*2]
		0x48, 0x89, 0x4f, 0x08, // mov [rdi+8], rcx
		0xb8, 0x07, 0x00, 0x00, 0x00, // mov eax, 7
		0xc3, // ret
	},
	"arm64": {
		0x01, 0x00, 0x40, 0xf9, // ldr x1, [x0]
		0x21, 0x04, 0x01, 0x8b, // add x1, x1, x1, lsl #1
		0x01, 0x04, 0x00, 0xf9, // str x1, [x0, #8]
		0xe0, 0x00, 0x80, 0xd2, // mov x0, #7
		0xc0, 0x03, 0x5f, 0xd6, // ret
	},
}

// SelfTest maps and runs a function of a few instructions, once; later calls give the same answer. The error says why
// machine code cannot run here.
var SelfTest = sync.OnceValue(func() error {
	if Best() == LevelNone {
		return fmt.Errorf("%s", lacks(Machine().Arch, Machine().Features))
	}
	return tryIn(system)
})

func tryIn(m memory) error {
	c, err := mapIn(m, trials[runtime.GOARCH], nil)
	if err != nil {
		return err
	}
	defer c.Free()
	var frame struct{ in, out uint64 }
	frame.in = 0x0123456789abcdef
	if status := Call(c.Addr(), unsafe.Pointer(&frame)); status != 7 || frame.out != 3*frame.in {
		return fmt.Errorf("machine code computes %#x with status %d here in place of %#x with status 7", frame.out, status, 3*frame.in)
	}
	return nil
}
