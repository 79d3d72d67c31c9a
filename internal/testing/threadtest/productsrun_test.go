package threadtest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// matrix is numbers, and the memory that they lie in.
type matrix struct {
	value func(batch, row, column int) float64
	data  []byte
}

func encode(e string, x float64) uint64 {
	if row := elem.ByIR(e); row.Format != nil {
		return row.Format.Encode(x, elem.Nearest, false)
	}
	return uint64(int64(x))
}

// fours is added to the places of bytes where their second elements of 4 bits are meant.
const fours = 1 << 40

// factor fills a factor's matrix; its value counts rows and columns as the product does.
func (p *matrices) factor(r *rand.Rand, i int) matrix {
	_, all := p.side(i)
	s := strides(all, p.gap[i])
	e := p.loaded[i]
	size := elem.ByIR(e).Bits / 8
	numbers := map[int]float64{}
	x := matrix{data: make([]byte, size*s[0]*all[0]+64)}
	low := -3
	if p.left == "i8" && strings.Fields(p.flags)[i] == "unsigned" {
		low = 0
	}
	rank := len(all)
	for batch := range max(1, p.batches) {
		for row := range all[rank-2] {
			for column := range all[rank-1] {
				at := row*s[rank-2] + column
				if p.batches > 0 {
					at += batch * s[0]
				}
				numbers[at] = float64(low + r.IntN(7))
				if p.left == four {
					numbers[at+fours] = float64(low + r.IntN(7))
					x.data[at] = byte(encode(four, numbers[at]) | encode(four, numbers[at+fours])<<4)
					continue
				}
				var word [8]byte
				binary.LittleEndian.PutUint64(word[:], encode(e, numbers[at]))
				copy(x.data[at*size:][:size], word[:])
			}
		}
	}
	x.value = func(batch, row, column int) float64 {
		if p.turned[i] {
			row, column = column, row
		}
		half := 0
		if p.left == four {
			half, column = column%2*fours, column/2
		}
		at := row*s[rank-2] + column
		if p.batches > 0 {
			at += batch * s[0]
		}
		if p.masked(i, row, column) {
			return 0
		}
		if t := p.pointers[i].table; p.pointers[i].is && t != nil {
			at += (int(t[row]) - row) * s[rank-2]
		}
		return numbers[at+half]
	}
	return x
}

// blocks fills the matrix of a factor's factors, which are powers of two, or zero and one and a half times these, too; without any all are 1. Its
// value counts elements of the factor.
func (p *matrices) blocks(r *rand.Rand, i int) matrix {
	if p.scales == "" {
		return matrix{value: func(_, _, _ int) float64 { return 1 }}
	}
	_, all := p.scalesSide(i)
	rank := len(all)
	rows, columns := all[rank-2], all[rank-1]
	numbers := make([]float64, max(1, p.batches)*rows*columns)
	x := matrix{data: make([]byte, len(numbers))}
	for at := range numbers {
		numbers[at] = math.Ldexp(1, r.IntN(5)-2)
		if p.scales == "f8E4M3FN" {
			numbers[at] *= pick(r, 1, 1.5, math.Copysign(0, -1))
		}
		if p.negative && at == len(numbers)-1 {
			numbers[at] = -2
		}
		x.data[at] = byte(encode(p.scales, numbers[at]))
	}
	x.value = func(batch, row, column int) float64 {
		if i == 0 {
			column /= p.block
		} else {
			row /= p.block
		}
		return numbers[(batch*rows+row)*columns+column]
	}
	return x
}

// want is an element of the result that begins with a number.
func (p *matrices) want(a, b, sa, sb matrix, batch, row, column int, sum float64) float64 {
	for _, from := range p.starts() {
		sum = p.loopFrom(from, a, b, sa, sb, batch, row, column, sum)
	}
	return sum
}

// loopFrom is what a loop from a turn on makes of a sum.
func (p *matrices) loopFrom(from int, a, b, sa, sb matrix, batch, row, column int, sum float64) float64 {
	for turn := from; turn < p.turns; turn++ {
		x := 0.0
		for k := turn * p.k; k < (turn+1)*p.k; k++ {
			left, right := k, k
			switch {
			case p.still:
				left -= turn * p.k
			case p.chosen && turn == 1:
				left -= p.k
			}
			if p.fixed {
				right -= turn * p.k
			}
			x += a.value(batch, row, left) * sa.value(batch, row, k) * b.value(batch, right, column) * sb.value(batch, k, column)
		}
		switch {
		case p.how == "skip" && turn == 1:
			continue
		case p.how == "twice":
			x *= 2
		case p.how == "double":
			sum *= 2
		}
		sum += x
	}
	return sum
}

// program is the kernel with its launch.
func (p *matrices) program() (*nativefuzz.Program, error) {
	params := []string{p.loaded[0], p.loaded[1], p.sum}
	for _, g := range p.pointers {
		if g.is && g.table != nil {
			params = append(params, "i32")
		}
	}
	if p.scales != "" {
		params = append(params, p.scales, p.scales)
	}
	head := "// seed 0\n// grid 1 1 1\n"
	for _, e := range params {
		head += fmt.Sprintf("// param %s 1 true 0\n", e)
	}
	return nativefuzz.Parse(head + fmt.Sprintf("// param i32 -1 true %d\n", p.turns) + p.text())
}

// run runs the kernel by a schedule, and compares.
func (p *matrices) run(e nativefuzz.Engine, seed, schedule uint64) error {
	r := rand.New(rand.NewPCG(seed, 24))
	prog, err := p.program()
	if err != nil {
		return err
	}
	prog.Seed = schedule
	a, b, sa, sb := p.factor(r, 0), p.factor(r, 1), p.blocks(r, 0), p.blocks(r, 1)
	size, count := elem.ByIR(p.sum).Bits/8, max(1, p.batches)*p.m*p.n
	c := make([]byte, size*count)
	begin := make([]float64, count)
	for i := range begin {
		begin[i] = map[string]float64{"zero": 0, "five": 5, "memory": float64(i % 7)}[p.begin]
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], encode(p.sum, begin[i]))
		copy(c[i*size:][:size], word[:])
	}
	memory := [][]byte{a.data, b.data, c}
	for _, g := range p.pointers {
		if g.is && g.table != nil {
			var data []byte
			for _, row := range g.table {
				data = binary.LittleEndian.AppendUint32(data, uint32(row))
			}
			memory = append(memory, data)
		}
	}
	if p.scales != "" {
		memory = append(memory, sa.data, sb.data)
	}
	refused, fault, err := e.Run(prog, memory)
	switch {
	case err != nil:
		return err
	case refused != "" || fault != "":
		return fmt.Errorf("%s%s", refused, fault)
	}
	for i := range begin {
		want := p.want(a, b, sa, sb, i/(p.m*p.n), i/p.n%p.m, i%p.n, begin[i])
		var word [8]byte
		copy(word[:], c[i*size:][:size])
		if got, bits := binary.LittleEndian.Uint64(word[:]), encode(p.sum, want); got != bits&(1<<(8*size)-1) {
			return fmt.Errorf("element %d: 0x%x, want %v", i, got, want)
		}
	}
	return nil
}

// scaling are the architectures with instructions for factors of blocks; on others, single elements are multiplied, which takes the emulator long.
var scaling = []string{"sm_100a", "sm_120a"}

// telling are the products with factors of blocks that are always multiplied, those below few by all architectures: with elements of 8 bits, and of
// 4, whose pairs come about in each of their ways. Mutants of all that are noticed by these.
var telling = []uint64{0, 4, 5, 19}

const few = 5

// TestProducts multiplies matrices of random shapes, types and places, also with factors of blocks, by the matrix instructions of architectures, and
// small ones with each beginning in each kind of loop; they also run by schedules that hold warps back. THREADFUZZ_PRODUCTS says how many random
// ones, and THREADFUZZ_SEED where to begin.
func TestProducts(t *testing.T) {
	first := uint64(number("THREADFUZZ_SEED", 0))
	archs := []string{"sm_80", "sm_90a", "sm_100a", "sm_120a"}
	if list := os.Getenv("THREADFUZZ_ARCHS"); list != "" {
		archs = strings.Split(list, ",")
	}
	for _, arch := range archs {
		t.Run(arch, func(t *testing.T) {
			run := func(p *matrices, seed uint64, schedules ...uint64) {
				e := threadtest.Emulator(arch, threads.Options{Tensors: seed%3 > 0})
				for _, schedule := range schedules {
					if enough(t) {
						return
					}
					if err := p.run(e, seed, schedule); err != nil {
						t.Errorf("seed %d, schedule %d, %+v: %v", seed, schedule, *p, err)
					}
				}
			}
			for seed := first; seed < first+uint64(number("THREADFUZZ_PRODUCTS", 12)); seed++ {
				run(newProduct(seed), seed, 0, 2*seed+1)
				if os.Getenv("THREADFUZZ_PRODUCTS") != "" {
					run(newScaled(seed), seed, 0, 2*seed+1)
				}
			}
			for _, seed := range telling {
				if seed < few || slices.Contains(scaling, arch) {
					run(newScaled(seed), seed, 0, 2*seed+1)
				}
			}
			for i, p := range smallProducts() {
				schedules := []uint64{0, uint64(2*i + 1)}
				if p.how == "skip" || p.how == "plain" { // of which some mutants need several
					schedules = []uint64{0, 1, 3, 5, 7}
				}
				run(p, uint64(i), schedules...)
			}
		})
	}
}
