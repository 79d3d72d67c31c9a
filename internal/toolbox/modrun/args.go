package modrun

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
)

// Help explains to users what [Argument] reads.
const Help = `
The arguments are given in the order of the entry's parameters:

  -arg 42, -arg 1.5, -arg true   a number or boolean
  -arg ARRAY                     a pointer to an array
  -array ARRAY                   an array of rank r as 1+2r parameters: pointer, extents, strides in elements; this is
                                 how cuTile, in Go and in Python, passes arrays

ARRAY is a file, x.npy; or TYPE:EXTENTS, such as float32:1024x32, an array of zeros; or TYPE:EXTENTS:FILL, where FILL
is a number, or iota for 0, 1, 2 and so on. With a name before it, as in out=float32:1024x32 or y=x.npy, the array is
written to out.npy or y.npy when the kernel has ended.

Arrays are in row-major order, unless strides in elements stand behind the extents or the file, as in
float32:64x96@128,1, float32:64x96@1,64:iota or x.npy@128,1. Memory between the elements is zero. With a stride of 0,
elements of an axis are one in memory; FILL is one number then.

The types are those of NumPy and ml_dtypes: bool, int8 to int64, uint8 to uint64, float16, float32, float64, bfloat16,
float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float4_e2m1fn. A pointer to i32 accepts int32 and uint32. A pointer to a
type that NumPy does not have also accepts raw bytes and unsigned integers of its size. An array of float4_e2m1fn has
one byte for each element; the kernel's memory has one byte for two elements.`

// Argument is one -arg or -array of the command line.
type Argument struct {
	Flag string // as it was given
	Text string
	All  bool // with extents and strides
}

// String is the argument as it was given.
func (a *Argument) String() string { return a.Flag + " " + a.Text }

// Launch says what to launch.
type Launch struct {
	Entry string // "" for the only one
	Grid  [3]uint32
	Args  []Argument

	// Outside says that tiles wholly outside their arrays are meant, as in kernels with the directive //cutile:outside, which is not in files.
	Outside bool
}

// SetGrid reads a grid such as 16,4,2.
func (l *Launch) SetGrid(s string) error {
	words := strings.Split(s, ",")
	if len(words) > 3 {
		return fmt.Errorf("want one to three numbers of blocks, got %d", len(words))
	}
	l.Grid = [3]uint32{1, 1, 1}
	for i, w := range words {
		n, err := strconv.ParseUint(w, 10, 31)
		if errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("%s is too large: an axis has %d blocks at most", names.Short(w), math.MaxInt32)
		} else if err != nil {
			return fmt.Errorf("want numbers of blocks, as in 16,4,2")
		}
		l.Grid[i] = uint32(n)
	}
	return nil
}

// Bound is an entry's parameters with their values.
type Bound struct {
	Bits   []uint64 // zero-extended; those of pointers are not known yet
	entry  *tileir.Entry
	arrays []*arraySource // by parameter; nil for numbers
}

// Bind gives the arguments to the parameters of an entry.
func (l *Launch) Bind(e *tileir.Entry) (*Bound, error) {
	b := &Bound{entry: e, Bits: make([]uint64, len(e.Params)), arrays: make([]*arraySource, len(e.Params))}
	at := 0
	for i := range l.Args {
		a := &l.Args[i]
		if at >= len(e.Params) {
			return nil, toolbox.Usagef("%s is more than the %s of entry %s take", a, names.Plural(len(e.Params), "parameter"), e.Name)
		}
		n, err := b.one(a, at)
		if err != nil {
			return nil, err
		}
		at += n
	}
	if at < len(e.Params) {
		types := make([]string, len(e.Params))
		for i, p := range e.Params {
			types[i] = p.Type.String()
		}
		return nil, toolbox.Usagef("entry %s has %s (%s), but the arguments are for %d", names.Short(e.Name), names.Plural(len(e.Params), "parameter"), names.List(types), at)
	}
	return b, nil
}

// one binds an argument to the parameters from one on, and tells how many it takes.
func (b *Bound) one(a *Argument, at int) (int, error) {
	p := b.entry.Params[at].Type.(*tileir.TileType)
	switch {
	case p.Pointer:
		src, err := parseArray(a, p.Elem)
		if err != nil {
			return 0, err
		}
		b.arrays[at] = src
		if a.All {
			return b.layout(src, at)
		}
		return 1, nil
	case a.All:
		return 0, toolbox.Usagef("%s needs a pointer, but parameter %d of entry %s is %v", a, at, b.entry.Name, p)
	}
	bits, err := parseScalar(a.Text, p.Elem)
	if err != nil {
		return 0, toolbox.Usagef("%s, parameter %d of entry %s: %v", a, at, b.entry.Name, err)
	}
	b.Bits[at] = bits
	return 1, nil
}

// layout binds the extents and strides of an array, which follow its pointer.
func (b *Bound) layout(src *arraySource, at int) (int, error) {
	rank := len(src.shape)
	for i, v := range slices.Concat(src.shape, src.layout()) {
		what := fmt.Sprintf("extent %d", i)
		if i >= rank {
			what = fmt.Sprintf("stride %d", i-rank)
		}
		k := at + 1 + i
		if k >= len(b.entry.Params) {
			return 0, toolbox.Usagef("%s of rank %d takes %s, but entry %s has only %d from its pointer on", src, rank,
				names.Plural(1+2*rank, "parameter"), b.entry.Name, len(b.entry.Params)-at)
		}
		t := b.entry.Params[k].Type.(*tileir.TileType)
		if t.Pointer || !t.Elem.IsInt() || t.Elem == tileir.I1 {
			return 0, toolbox.Usagef("%s of rank %d: %s would be parameter %d of entry %s, but that is %v", src, rank, what, k, b.entry.Name, t)
		}
		bits, err := intBits(int64(v), t.Elem)
		if err != nil {
			return 0, toolbox.Usagef("%s: %s, parameter %d of entry %s: %v", src, what, k, b.entry.Name, err)
		}
		if axis := i - rank; axis >= 0 && src.shape[axis] > 1 && v != rowMajor(src.shape)[axis] && !b.uses(k) {
			return 0, toolbox.Usagef("%s: entry %s does not use %s, parameter %d, as it was compiled for a fixed one: give that one, which is %d in row-major order",
				src, names.Short(b.entry.Name), what, k, rowMajor(src.shape)[axis])
		}
		b.Bits[k] = bits
	}
	return 1 + 2*rank, nil
}

// uses reports whether the entry uses a parameter.
func (b *Bound) uses(param int) (used bool) {
	b.entry.Body.Walk(func(op *tileir.Op, _ []*tileir.Op) bool {
		used = used || slices.Contains(op.Operands, b.entry.Params[param])
		return !used
	})
	return used
}

// intBits gives the bits of a number that fits an integer type, signed or not.
func intBits(v int64, e tileir.Elem) (uint64, error) {
	free := 64 - e.Bits()
	bits := uint64(v) << free >> free
	if int64(bits) != v && int64(bits<<free)>>free != v {
		return 0, misfit(strconv.FormatInt(v, 10), e)
	}
	return bits, nil
}

func misfit(number string, e tileir.Elem) error {
	return fmt.Errorf("%s does not fit %v", names.Short(number), e)
}

// wanted is the error of a text that is not a number.
type wanted string

func (w wanted) Error() string { return "want " + string(w) }

// parseScalar reads a number for a parameter. The error for a text that is not a number is a wanted.
func parseScalar(text string, e tileir.Elem) (uint64, error) {
	truth := slices.Index([]string{"false", "true"}, text)
	switch {
	case e == tileir.I1 && truth >= 0:
		return uint64(truth), nil
	case e == tileir.I1:
		return 0, wanted(fmt.Sprintf("true or false for %v", e))
	case e.IsInt():
		v, err := strconv.ParseInt(text, 0, 64)
		if u, uerr := strconv.ParseUint(text, 0, 64); err != nil && uerr == nil {
			v, err = int64(u), nil
		}
		if errors.Is(err, strconv.ErrRange) {
			return 0, misfit(text, e)
		} else if err != nil {
			return 0, wanted(fmt.Sprintf("an integer for %v", e))
		}
		return intBits(v, e)
	}
	if !slices.Contains(fillElems, e) {
		return 0, fmt.Errorf("numbers of %v can only be given in arrays", e)
	}
	f, err := strconv.ParseFloat(text, max(32, e.Bits())) // float32 is rounded once
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, wanted(fmt.Sprintf("a number for %v", e))
	}
	if _, fits := tileir.NearestFloat(e, f); err != nil || !fits && !math.IsInf(f, 0) && f == f {
		return 0, misfit(text, e)
	}
	return tileir.FloatBits(e, f), nil
}

// Memory gives what the arrays hold before a launch, by parameter; nil for numbers.
func (b *Bound) Memory() ([][]byte, error) {
	out := make([][]byte, len(b.arrays))
	for i, src := range b.arrays {
		if src == nil {
			continue
		}
		file, size, err := src.bytes()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", src, err)
		}
		if size > maxArray {
			return nil, toolbox.Usagef("%s: the array has %d bytes: %d are the most here", src, size, maxArray)
		}
		per := src.elem.PerByte()
		out[i] = make([]byte, (size+per-1)/per)
		if err := src.place(out[i], file); err != nil {
			return nil, err
		}
	}
	return out, nil
}
