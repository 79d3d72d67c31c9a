package probe

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/tileir"
)

// products is how many products each cooperative matrix of a device is tested with, in each of the two ways in which factors lie in memory.
const products = 16

// Matrices is a kernel of one parameter, the address of its data, that multiplies by each of the cooperative matrices of a target.
type Matrices struct {
	Kernel
	units  []spirv.Unit
	places []int // of the data of each
}

// NewMatrices makes the kernel for a target that has cooperative matrices.
func NewMatrices(t spirv.Target) (*Matrices, error) {
	m := &Matrices{Kernel: Kernel{Threads: t.Lanes, Blocks: products}, units: t.Matrices}
	b := ir.NewBuilder(Entry, t.Lanes, []vec.Type{vec.I64})
	b.Lanes = bits.TrailingZeros(uint(t.Lanes))
	end := 0
	for i := range m.units {
		m.places = append(m.places, end)
		end += products * layoutOf(&m.units[i]).bytes
		m.unit(b, i)
	}
	b.Place()
	b.Synchronise()
	var err error
	m.Code, err = spirv.Write(&b.Kernel, t, nil)
	return m, err
}

// layout is where the parts of a product lie behind its first byte: the factors, what is added to their product, and the two results, of factors row
// by row and of the same bytes column by column.
type layout struct {
	factors [2]int // bytes of each
	sums    int    // bytes
	bytes   int
}

func layoutOf(u *spirv.Unit) layout {
	l := layout{factors: [2]int{u.M * u.K * u.A.Bytes(), u.K * u.N * u.B.Bytes()}, sums: u.M * u.N * u.Acc.Bytes()}
	l.bytes = l.factors[0] + l.factors[1] + 3*l.sums
	return l
}

// unitWriter writes the products by one of the matrices, one for each block.
type unitWriter struct {
	*ir.Builder
	layout
	unit    *spirv.Unit
	threads int
	place   int64    // of the data of the matrix
	first   ir.Value // the address of the block's data, but for that place
	lane    ir.Value // the offset of the words that a lane moves
}

// unit writes the products by one of the matrices.
func (m *Matrices) unit(b *ir.Builder, i int) {
	w := &unitWriter{Builder: b, layout: layoutOf(&m.units[i]), unit: &m.units[i], threads: m.Threads, place: int64(m.places[i])}
	at := b.Do(vec.Mul, vec.I32, b.Special(ir.BlockID, vec.I32, 0), b.Int(w.bytes))
	w.first = b.Do(vec.Add, vec.I64, b.Param(0), b.Convert(vec.ZeroExtend, vec.I64, vec.I32, at))
	w.lane = b.DoImm(vec.ShlImm, vec.I32, 2, b.Special(ir.Thread, vec.I32, 0))
	bufs := [2]*ir.Buffer{w.fetch("left", 0, w.factors[0]), w.fetch("right", w.factors[0], w.factors[1])}
	start := w.fetch("sums", w.factors[0]+w.factors[1], w.sums)
	for way, across := range []bool{false, true} {
		w.product(bufs, start, way, across)
	}
}

// words calls f with the places of the words in so many bytes of shared memory that a lane moves.
func (w *unitWriter) words(bytes int, f func(in ir.Access, disp int, guard ir.Value)) {
	for done := 0; done < bytes; done += 4 * w.threads {
		var guard ir.Value
		if done+4*w.threads > bytes {
			guard = w.Compare(vec.I32, vec.LT, w.lane, w.Int(bytes-done))
		}
		f(ir.Access{Space: ir.Shared, At: w.lane, Disp: int64(done), Align: 4, Guard: guard}, done, guard)
	}
}

// global is the place of a word of the block's data.
func (w *unitWriter) global(offset int, guard ir.Value) ir.Access {
	place := w.Do(vec.Add, vec.I64, w.first, w.Convert(vec.ZeroExtend, vec.I64, vec.I32, w.lane))
	return ir.Access{Space: ir.Global, At: place, Disp: w.place + int64(offset), Align: 4, Guard: guard}
}

// otherwise is what stands for a word that is read where a guard does not hold.
func (w *unitWriter) otherwise(guard ir.Value) []ir.Value {
	if guard == 0 {
		return nil
	}
	return []ir.Value{w.Int(0)}
}

// fetch copies a part of the data to shared memory.
func (w *unitWriter) fetch(name string, offset, bytes int) *ir.Buffer {
	buf := w.NewBuffer(name, bytes, 128)
	w.words(bytes, func(in ir.Access, disp int, guard ir.Value) {
		in.Buffer = buf
		from := w.global(offset+disp, guard)
		from.Else = w.otherwise(guard)
		w.Store(vec.I32, in, w.Load(vec.I32, 1, from)[0])
	})
	return buf
}

// product writes a product and copies its result to the data.
func (w *unitWriter) product(bufs [2]*ir.Buffer, start *ir.Buffer, way int, across bool) {
	u := w.unit
	sums := w.NewSums(u, 1)
	w.LoadSum(sums, 0, ir.Access{Space: ir.Shared, Buffer: start, Align: 16})
	var factors [2]*ir.Matrix
	for k, buf := range bufs {
		width := u.K
		if across {
			width = []int{u.M, u.N}[k]
		}
		factors[k] = &ir.Matrix{Access: ir.Access{Space: ir.Shared, Buffer: buf, Align: 16}, Width: width * u.A.Bytes(), Across: across}
	}
	w.MultiplySums(sums, factors[0], factors[1], []ir.Step{{}})
	out := w.NewBuffer("results", w.sums, 128)
	w.StoreSum(sums, 0, ir.Access{Space: ir.Shared, Buffer: out, Align: 16})
	w.words(w.sums, func(in ir.Access, disp int, guard ir.Value) {
		in.Buffer, in.Else = out, w.otherwise(guard)
		w.Store(vec.I32, w.global(w.factors[0]+w.factors[1]+(1+way)*w.sums+disp, guard), w.Load(vec.I32, 1, in)[0])
	})
}

// Data gives the operands: of floats small integers, numbers of one magnitude, subnormal ones, and any, with infinities and NaN.
func (m *Matrices) Data() []byte {
	var data []byte
	r := rand.New(rand.NewPCG(3, 4))
	for i := range m.units {
		u := &m.units[i]
		for k := range products {
			for range u.K * (u.M + u.N) {
				data = m.appendFactor(data, r, u, k)
			}
			for range u.M * u.N {
				bits := r.Uint32()
				if u.Acc.IsFloat() {
					bits = uint32(Bits(vec.F32, float64(r.IntN(64)-32)))
				}
				data = binary.LittleEndian.AppendUint32(data, bits)
			}
			data = append(data, make([]byte, 2*layoutOf(u).sums)...)
		}
	}
	return data
}

func (m *Matrices) appendFactor(data []byte, r *rand.Rand, u *spirv.Unit, k int) []byte {
	if !u.A.IsFloat() {
		return append(data, byte(r.Uint32()))
	}
	whole := float64(r.IntN(16) - 8)
	x := whole
	switch k % 4 {
	case 1:
		x = r.NormFloat64()
	case 2:
		x = Float(vec.F16, uint64(r.IntN(1<<10)|r.IntN(2)<<15)) // subnormal
		if u.A == tileir.BF16 {
			x = math.Ldexp(x, -112) // also as such
		}
	case 3:
		if x = Float(vec.F16, number(r, vec.F16)); r.IntN(8) > 0 && (math.IsInf(x, 0) || x != x) {
			x = whole
		}
	}
	return binary.LittleEndian.AppendUint16(data, factorBits(u, x))
}

// factorBits gives the bits of a factor of 16 bits, of f16 or of bf16, which is rounded toward zero.
func factorBits(u *spirv.Unit, x float64) uint16 {
	if u.A == tileir.BF16 {
		return uint16(math.Float32bits(float32(x)) >> 16)
	}
	return uint16(Bits(vec.F16, x))
}

// factorValue is the reverse of factorBits.
func factorValue(u *spirv.Unit, bits uint16) float64 {
	if u.A == tileir.BF16 {
		return float64(math.Float32frombits(uint32(bits) << 16))
	}
	return Float(vec.F16, uint64(bits))
}

// Result is the place of the first result by the matrix with a number.
func (m *Matrices) Result(number int) int {
	l := layoutOf(&m.units[number])
	return m.places[number] + l.bytes - 2*l.sums
}

// Wrong gives an example for each matrix that the kernel has computed wrong with: "" for those that are right.
func (m *Matrices) Wrong(data []byte) []string {
	wrong := make([]string, len(m.units))
	for i := range m.units {
		u := &m.units[i]
		bytes := layoutOf(u).bytes
		for k := range products {
			part := data[m.places[i]+k*bytes:][:bytes]
			for way := range 2 {
				if wrong[i] == "" {
					wrong[i] = wrongProduct(u, part, way == 1)
				}
			}
		}
	}
	return wrong
}

// wrongProduct compares the elements of a product. Sums of floats may be rounded, or cut off, after each product, relative to the greatest
// term, and subnormal products of bf16 may be zero.
func wrongProduct(u *spirv.Unit, data []byte, across bool) string {
	l := layoutOf(u)
	left, right := data, data[l.factors[0]:]
	start := right[l.factors[1]:]
	out := start[l.sums:]
	if across {
		out = out[l.sums:]
	}
	element := func(in []byte, row, column, rows, columns int, signed bool) float64 {
		n := row*columns + column
		if across {
			n = column*rows + row
		}
		switch {
		case u.A.IsFloat():
			return factorValue(u, binary.LittleEndian.Uint16(in[2*n:]))
		case signed:
			return float64(int8(in[n]))
		}
		return float64(in[n])
	}
	for n := range u.M * u.N {
		sum, size := 0.0, 0.0
		bits, got := binary.LittleEndian.Uint32(start[4*n:]), binary.LittleEndian.Uint32(out[4*n:])
		for k := range u.K {
			// The second factor lies along k unless it lies across, as ir.Matrix says.
			x := element(left, n/u.N, k, u.M, u.K, u.Signed[0])
			y := element(right, n%u.N, k, u.N, u.K, u.Signed[1])
			sum += x * y
			size = max(size, math.Abs(x*y))
		}
		if !u.Acc.IsFloat() {
			if want := bits + uint32(int64(sum)); got != want {
				return fmt.Sprintf("an element of a product of integers is %#x, but should be %#x", got, want)
			}
			continue
		}
		want, is := sum+Float(vec.F32, uint64(bits)), Float(vec.F32, uint64(got))
		size = max(size, math.Abs(Float(vec.F32, uint64(bits))))
		switch {
		case want != want && is != is || want == is:
		case !(math.Abs(is-want) <= float64(u.K+2)*(size*0x1p-22+0x1p-126)):
			return fmt.Sprintf("an element of a product is %g, but should be %g", is, want)
		}
	}
	return ""
}
