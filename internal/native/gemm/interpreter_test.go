package gemm

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// A tileProgram interprets the listing of a kernel with tile registers, for machines that have none. It knows the instructions
// that such kernels are made of, as Intel's manual describes them, and panics where the CPU would fault.
type tileProgram struct {
	code   []tileInstr
	labels map[string]int    // instructions
	data   map[string][]byte // constants
}

// A tileInstr is an instruction with its operands as text.
type tileInstr struct {
	op   string
	args []string
}

// parseTiles reads a listing.
func parseTiles(lines []amd64.Line) *tileProgram {
	p := &tileProgram{labels: map[string]int{}, data: map[string][]byte{}}
	for _, l := range lines {
		label, data, constant := strings.Cut(l.Text, ": .byte ")
		if constant {
			for _, x := range strings.Split(data, ", ") {
				b, err := strconv.ParseUint(x, 0, 8)
				if err != nil {
					panic(err)
				}
				p.data[label] = append(p.data[label], byte(b))
			}
			continue
		}
		if label, ok := strings.CutSuffix(l.Text, ":"); ok {
			p.labels[label] = len(p.code)
			continue
		}
		op, args, _ := strings.Cut(l.Text, " ")
		if op != ".nops" {
			p.code = append(p.code, tileInstr{op, strings.Split(args, ", ")})
		}
	}
	return p
}

// A tileState is the state of a CPU.
type tileState struct {
	*tileProgram
	frame      *frame // in the heap, which does not move
	pc         int
	regs       map[string]uint64
	result     int64 // which the flags describe
	tiles      [8]tileRegister
	configured bool
	products   int // instructions that multiply
}

type tileRegister struct {
	rows, bytes int
	at          [tileRows][tileBytes]byte
}

// run runs the program on a frame, and gives the frame as the program leaves it.
func (p *tileProgram) run(f frame) frame {
	s := &tileState{tileProgram: p, frame: &f}
	s.regs = map[string]uint64{"rdi": uint64(uintptr(unsafe.Pointer(s.frame)))}
	for s.pc < len(p.code) && p.code[s.pc].op != "ret" {
		in := p.code[s.pc]
		s.pc++
		do := tileOps[in.op]
		if do == nil {
			panic("the interpreter does not know " + in.op)
		}
		do(s, in.args)
	}
	switch {
	case s.pc == len(p.code):
		panic("the program does not return")
	case s.configured:
		panic("the program leaves tiles behind")
	case s.regs["rax"] != 0:
		panic("the program's status is not 0")
	case s.products > 12500: // 100 µs at 2 GHz
		panic(fmt.Sprintf("a call does %d products of tiles", s.products))
	}
	return *s.frame
}

var tileOps map[string]func(s *tileState, args []string)

func init() { // which refers to itself by way of the state
	tileOps = map[string]func(s *tileState, args []string){
		"mov":  func(s *tileState, a []string) { s.set(a[0], s.get(a[1])) },
		"lea":  func(s *tileState, a []string) { s.set(a[0], s.address(a[1])) },
		"add":  func(s *tileState, a []string) { s.result = s.set(a[0], s.get(a[0])+s.get(a[1])) },
		"sub":  func(s *tileState, a []string) { s.result = s.set(a[0], s.get(a[0])-s.get(a[1])) },
		"dec":  func(s *tileState, a []string) { s.result = s.set(a[0], s.get(a[0])-1) },
		"cmp":  func(s *tileState, a []string) { s.result = int64(s.get(a[0]) - s.get(a[1])) },
		"test": func(s *tileState, a []string) { s.result = int64(s.get(a[0]) & s.get(a[1])) },
		"xor":  func(s *tileState, a []string) { s.result = s.set(whole(a[0]), s.get(whole(a[0]))^s.get(whole(a[1]))) },
		"jmp":  func(s *tileState, a []string) { s.jump(a[0], true) },
		"je":   func(s *tileState, a []string) { s.jump(a[0], s.result == 0) },
		"jne":  func(s *tileState, a []string) { s.jump(a[0], s.result != 0) },
		"jl":   func(s *tileState, a []string) { s.jump(a[0], s.result < 0) },
		"jge":  func(s *tileState, a []string) { s.jump(a[0], s.result >= 0) },

		"ldtilecfg":   func(s *tileState, a []string) { s.configure(s.constant(a[0])) },
		"tilerelease": func(s *tileState, _ []string) { s.configured, s.tiles = false, [8]tileRegister{} },
		"tilezero":    func(s *tileState, a []string) { s.tile(a[0]).at = [tileRows][tileBytes]byte{} },
		"tileloadd":   func(s *tileState, a []string) { s.move(a[0], a[1], func(tile, memory []byte) { copy(tile, memory) }) },
		"tilestored":  func(s *tileState, a []string) { s.move(a[1], a[0], func(tile, memory []byte) { copy(memory, tile) }) },

		"tdpbssd":   integerProduct(func(x byte) int32 { return int32(int8(x)) }, func(x byte) int32 { return int32(int8(x)) }),
		"tdpbsud":   integerProduct(func(x byte) int32 { return int32(int8(x)) }, func(x byte) int32 { return int32(x) }),
		"tdpbusd":   integerProduct(func(x byte) int32 { return int32(x) }, func(x byte) int32 { return int32(int8(x)) }),
		"tdpbuud":   integerProduct(func(x byte) int32 { return int32(x) }, func(x byte) int32 { return int32(x) }),
		"tdpbf16ps": func(s *tileState, a []string) { s.multiply(a, pairsProduct) },
	}
}

// whole is the 64-bit register of a 32-bit one: an instruction that writes one clears the other half.
func whole(reg string) string { return "r" + strings.TrimPrefix(reg, "e") }

func (s *tileState) get(arg string) uint64 {
	if n, err := strconv.ParseInt(arg, 10, 64); err == nil {
		return uint64(n)
	}
	if memory, ok := strings.CutPrefix(arg, "qword ptr "); ok {
		return binary.LittleEndian.Uint64(memoryAt(s.address(memory), 8))
	}
	x, ok := s.regs[arg]
	if !ok {
		panic("the program reads " + arg + ", which it has not set")
	}
	return x
}

func (s *tileState) set(arg string, x uint64) int64 {
	if memory, ok := strings.CutPrefix(arg, "qword ptr "); ok {
		binary.LittleEndian.PutUint64(memoryAt(s.address(memory), 8), x)
	} else if arg == "rsp" || arg == "rbp" || arg == "rdi" || !strings.HasPrefix(arg, "r") {
		panic("the program changes " + arg)
	} else {
		s.regs[arg] = x
	}
	return int64(x)
}

// memoryAt is n bytes of memory at an address, which is that of an operand or of the frame.
func memoryAt(address uint64, n int) []byte {
	at := uintptr(address)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n)
}

var addressText = regexp.MustCompile(`^\[(r\w+)(?:\+(r\w+)\*(\d))?([+-]\d+)?\]$`)

// parts splits an address into base and displacement, and index times scale.
func (s *tileState) parts(arg string) (base, index uint64) {
	m := addressText.FindStringSubmatch(arg)
	if m == nil {
		panic("no address: " + arg)
	}
	if m[2] != "" {
		scale, _ := strconv.Atoi(m[3])
		index = s.get(m[2]) * uint64(scale)
	}
	disp, _ := strconv.ParseInt(m[4], 10, 32)
	return s.get(m[1]) + uint64(disp), index
}

func (s *tileState) address(arg string) uint64 {
	base, index := s.parts(arg)
	return base + index
}

func (s *tileState) jump(label string, taken bool) {
	to, ok := s.labels[label]
	if !ok {
		panic("no label " + label)
	}
	if taken {
		s.pc = to
	}
}

func (s *tileState) constant(arg string) []byte {
	return s.data[strings.TrimSuffix(strings.TrimPrefix(arg, "[rip+"), "]")]
}

// configure is LDTILECFG, which faults where a byte is not as it must be.
func (s *tileState) configure(config []byte) {
	if len(config) != 64 || config[0] != 1 {
		panic(fmt.Sprintf("a configuration of %d bytes, or of another palette", len(config)))
	}
	s.configured, s.tiles = true, [8]tileRegister{}
	for i, b := range config {
		tile, high := (i-16)/2, i&1 == 1
		switch {
		case i == 0:
		case i >= 16 && i < 32 && !high:
			s.tiles[tile].bytes = int(b)
		case i >= 48 && i < 56:
			s.tiles[i-48].rows = int(b)
		case b != 0:
			panic(fmt.Sprintf("byte %d of a configuration is %d", i, b))
		}
	}
	for i, t := range s.tiles {
		if t.rows > tileRows || t.bytes > tileBytes || (t.rows == 0) != (t.bytes == 0) {
			panic(fmt.Sprintf("tile %d has %d rows of %d bytes", i, t.rows, t.bytes))
		}
	}
}

func (s *tileState) tile(arg string) *tileRegister {
	n, err := strconv.Atoi(strings.TrimPrefix(arg, "tmm"))
	if err != nil || !s.configured || s.tiles[n].rows == 0 {
		panic("tile " + arg + " is not configured")
	}
	return &s.tiles[n]
}

// move is TILELOADD or TILESTORED: the index times its scale is the distance of rows. A load clears the rest of the register.
func (s *tileState) move(tile, memory string, do func(tile, memory []byte)) {
	t := s.tile(tile)
	at, stride := s.parts(memory)
	for i := range t.rows {
		do(t.at[i][:t.bytes], memoryAt(at+uint64(i)*stride, t.bytes))
	}
}

// multiply is an instruction that multiplies tiles: it adds to each lane of 4 bytes what the lanes of a row of A and of a column
// of B give, one pair after the other.
func (s *tileState) multiply(args []string, sum func(c uint32, a, b [][4]byte) uint32) {
	c, a, b := s.tile(args[0]), s.tile(args[1]), s.tile(args[2])
	if c == a || c == b || a == b || c.rows != a.rows || c.bytes != b.bytes || a.bytes != 4*b.rows || (a.bytes|b.bytes)%4 != 0 {
		panic(fmt.Sprintf("tiles that do not fit together: %v of %dx%d, %dx%d, %dx%d bytes", args, c.rows, c.bytes, a.rows, a.bytes, b.rows, b.bytes))
	}
	s.products++
	for j := range c.bytes / 4 {
		column := make([][4]byte, b.rows)
		for k := range column {
			column[k] = [4]byte(b.at[k][4*j:])
		}
		for i := range c.rows {
			row := make([][4]byte, b.rows)
			for k := range row {
				row[k] = [4]byte(a.at[i][4*k:])
			}
			at := c.at[i][4*j:]
			binary.LittleEndian.PutUint32(at, sum(binary.LittleEndian.Uint32(at), row, column))
		}
	}
}

func integerProduct(x, y func(byte) int32) func(*tileState, []string) {
	return func(s *tileState, args []string) {
		s.multiply(args, func(c uint32, a, b [][4]byte) uint32 {
			for k := range a {
				for i := range 4 {
					c += uint32(x(a[k][i]) * y(b[k][i]))
				}
			}
			return c
		})
	}
}

// pairsProduct is TDPBF16PS: the first and the second elements of lanes are added up apart, with fused multiplications and
// additions, then together, then to the sum. It rounds to nearest and knows no subnormal numbers.
func pairsProduct(c uint32, a, b [][4]byte) uint32 {
	number := func(x []byte) float32 {
		return flush(math.Float32frombits(uint32(binary.LittleEndian.Uint16(x)) << 16))
	}
	var sums [2]float32
	for k := range a {
		for i := range sums {
			sums[i] = flush(vec.FMA32(number(a[k][2*i:]), number(b[k][2*i:]), sums[i]))
		}
	}
	return math.Float32bits(flush(flush(math.Float32frombits(c)) + flush(sums[0]+sums[1])))
}

// flush gives 0 for subnormal numbers, with the same sign.
func flush(x float32) float32 {
	if b := math.Float32bits(x); b>>23&0xFF == 0 {
		return math.Float32frombits(b & (1 << 31))
	}
	return x
}
