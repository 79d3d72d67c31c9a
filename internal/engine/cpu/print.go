package cpu

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

// piece is a part of a format: text, and the conversion that follows it, if any.
type piece struct {
	text  string
	flags string // of "-+ #0", as written
	width int
	prec  int  // -1 where none is given
	verb  byte // 0 for the text at the end
}

// parseFormat takes a printf format apart. Length modifiers mean nothing here, since types are known.
func parseFormat(s string) ([]piece, error) {
	var out []piece
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			text.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '%' {
			text.WriteByte('%')
			i++
			continue
		}
		p := piece{text: text.String(), prec: -1}
		text.Reset()
		rest := s[i+1:]
		n := len(rest)
		rest = strings.TrimLeft(rest, "-+ #0")
		p.flags = s[i+1:][:n-len(rest)]
		p.width, rest = leadingInt(rest)
		if strings.HasPrefix(rest, ".") {
			p.prec, rest = leadingInt(rest[1:])
		}
		rest = strings.TrimLeft(rest, "hlLqjzt")
		if rest == "" || !strings.Contains("diuoxXeEfFgGaAcsp", rest[:1]) {
			return nil, fmt.Errorf("the format %q has a conversion that is not one of diuoxXeEfFgGaAcsp", s)
		}
		p.verb = rest[0]
		i = len(s) - len(rest)
		out = append(out, p)
	}
	return append(out, piece{text: text.String()}), nil
}

func leadingInt(s string) (int, string) {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	v, _ := strconv.Atoi(s[:n])
	return v, s[n:]
}

// printed is a tile that a print writes.
type printed struct {
	off   slot
	shape []int
	size  int
	elem  tileir.Elem
	ptr   bool
}

// generatePrint compiles print_tko. The text of one print is written at once.
func generatePrint(c *compiler, op *tileir.Op) (step, error) {
	format, _ := op.Attr("str").(tileir.String)
	pieces, err := parseFormat(string(format))
	if err != nil {
		return nil, &CompileError{Loc: op.Loc, Text: err.Error()}
	}
	var args []printed
	for _, v := range op.Group(0) {
		t := tileType(v)
		if !t.Pointer && !t.Elem.IsInt() && toFloat64[t.Elem] == nil {
			return nil, unsupported(op, t, "it cannot print this element type")
		}
		args = append(args, printed{c.need(v), t.Shape, elemBytes(t), t.Elem, t.Pointer})
	}
	if len(args) != len(pieces)-1 {
		return nil, &CompileError{Loc: op.Loc, Text: fmt.Sprintf("the format %q has %d conversions for %d values", format, len(pieces)-1, len(args))}
	}
	if err := c.printRoom(op, pieces); err != nil {
		return nil, err
	}
	return func(f *frame) signal {
		f.text = f.text[:0]
		for i, p := range pieces {
			f.text = append(f.text, p.text...)
			if p.verb != 0 {
				f.text = args[i].tile(f, f.text, &p, 0, 0)
			}
		}
		if err := f.kernel.device.print(f.text); err != nil {
			return f.fail(op, "print: %v", err)
		}
		return sigNext
	}, nil
}

// maxNumber is about the length of a number as it is printed without a width, with what stands between two.
const maxNumber = 32

// printRoom refuses a print whose text would take too much memory.
func (c *compiler) printRoom(op *tileir.Op, pieces []piece) error {
	most := c.device.limits.Print
	total := int64(0)
	for i, p := range pieces {
		total += int64(len(p.text))
		if p.verb == 0 {
			continue
		}
		each := int64(max(p.width, p.prec, 0))
		if each > most {
			return &CompileError{Loc: op.Loc, Text: fmt.Sprintf("print: a width or precision of %d in its format is too large: %s", each, limit.Hint("Print"))}
		}
		total += int64(tileType(op.Group(0)[i]).Size()) * (each + maxNumber)
	}
	if total > most {
		return &CompileError{Loc: op.Loc, Text: fmt.Sprintf("print: its text may take %d bytes, more than %d: print less, or %s", total, most, limit.Hint("Print"))}
	}
	return nil
}

// tile appends the elements of a dimension, in brackets.
func (a *printed) tile(f *frame, out []byte, p *piece, dim, first int) []byte {
	if dim == len(a.shape) {
		v := a.value(f, first)
		if n, ok := v.(int64); ok && a.size < 8 && strings.IndexByte("uoxX", p.verb) >= 0 {
			v = n & (1<<(8*a.size) - 1) // unsigned conversions see the element's own width
		}
		return p.append(out, v)
	}
	step := 1
	for _, n := range a.shape[dim+1:] {
		step *= n
	}
	out = append(out, '[')
	for i := range a.shape[dim] {
		if i&255 == 0 {
			f.poll()
		}
		if i > 0 {
			out = append(out, ", "...)
		}
		out = a.tile(f, out, p, dim+1, first+i*step)
	}
	return append(out, ']')
}

// value reads an element as int64, uint64 for pointers, or float64.
func (a *printed) value(f *frame, i int) any {
	at := unsafe.Add(f.mem, int(a.off)+i*a.size)
	switch {
	case a.ptr:
		return *(*uint64)(at)
	case a.elem.IsInt() && a.elem.Bits() < 8:
		return int64(*(*uint8)(at))
	case a.elem.IsInt():
		return picker(a.size)(f, a.off, i)
	case a.elem == tileir.F16:
		return (*(*dtype.Float16)(at)).Float64()
	case a.elem == tileir.BF16:
		return (*(*dtype.BFloat16)(at)).Float64()
	}
	var v float64
	toFloat64[a.elem](ptr(&v), at, nil, nil, 1)
	return v
}

// append formats one element. A number of another kind than the conversion wants is converted.
func (p *piece) append(out []byte, v any) []byte {
	switch p.verb {
	case 'd', 'i', 'u', 'o', 'x', 'X', 'c', 'p':
		return p.appendInt(out, v)
	case 's':
		return fmt.Appendf(out, "%*v", p.width, v)
	}
	x := 0.0
	switch v := v.(type) {
	case float64:
		x = v
	case int64:
		x = float64(v)
	case uint64:
		x = float64(v)
	}
	sign, digits := p.float(x)
	return p.pad(out, sign, digits)
}

func (p *piece) appendInt(out []byte, v any) []byte {
	var n int64
	switch v := v.(type) {
	case float64:
		n = int64(v)
	case int64:
		n = v
	case uint64:
		n = int64(v)
	}
	digits, sign := "", ""
	switch p.verb {
	case 'd', 'i':
		digits = strconv.FormatUint(magnitude(n), 10)
		sign = p.sign(n < 0)
	case 'u':
		digits = strconv.FormatUint(uint64(n), 10)
	case 'o':
		digits = strconv.FormatUint(uint64(n), 8)
	case 'x', 'X', 'p':
		digits = strconv.FormatUint(uint64(n), 16)
		if p.verb == 'p' || strings.Contains(p.flags, "#") && n != 0 {
			sign = "0x"
		}
		if p.verb == 'X' {
			digits, sign = strings.ToUpper(digits), strings.ToUpper(sign)
		}
	case 'c':
		return p.pad(out, "", string(rune(n)))
	}
	if len(digits) < p.prec {
		digits = strings.Repeat("0", p.prec-len(digits)) + digits
	}
	return p.pad(out, sign, digits)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func (p *piece) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case strings.Contains(p.flags, "+"):
		return "+"
	case strings.Contains(p.flags, " "):
		return " "
	}
	return ""
}

// float gives the sign and digits as C writes them.
func (p *piece) float(x float64) (sign, digits string) {
	sign = p.sign(math.Signbit(x))
	x = math.Abs(x)
	upper := p.verb < 'a'
	switch verb, prec := p.verb|0x20, p.prec; {
	case math.IsInf(x, 0):
		digits = "inf"
	case x != x:
		digits = "nan"
	case verb == 'a':
		digits = strconv.FormatFloat(x, 'x', prec, 64)
		if i := strings.Index(digits, "p"); i > 0 && digits[i+2] == '0' && len(digits) > i+3 {
			digits = digits[:i+2] + digits[i+3:] // C writes no zero in front of the exponent
		}
	case verb == 'g':
		if prec < 0 {
			prec = 6
		}
		digits = strconv.FormatFloat(x, 'g', max(1, prec), 64)
	default:
		if prec < 0 {
			prec = 6
		}
		digits = strconv.FormatFloat(x, verb, prec, 64)
	}
	if upper {
		digits = strings.ToUpper(digits)
	}
	return sign, digits
}

// pad brings sign and digits to the width.
func (p *piece) pad(out []byte, sign, digits string) []byte {
	n := p.width - len(sign) - len(digits)
	blank := strings.Repeat(" ", max(0, n))
	switch {
	case strings.Contains(p.flags, "-"):
		return append(append(append(out, sign...), digits...), blank...)
	case strings.Contains(p.flags, "0") && digits[0] <= '9' && (p.prec < 0 || p.verb > 'Z' && strings.IndexByte("diuox", p.verb) < 0):
		return append(append(append(out, sign...), strings.Repeat("0", max(0, n))...), digits...)
	}
	return append(append(append(out, blank...), sign...), digits...)
}
