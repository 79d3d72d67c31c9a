package emu

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/emulate/cformat"
	"github.com/cutile-go/cutile/internal/simt"
)

// maxString is how many bytes a string of a kernel may have.
const maxString = 1 << 16

// driverCalls are the functions of the driver, of one lane with the values of its operands; each gives its result.
var driverCalls = map[string]func(w *warp, lane int, args []uint64) uint64{"vprintf": (*warp).vprintf, "__assertfail": (*warp).assertFail}

// callDriver decodes a call of a function of the driver, which every lane makes for itself.
func callDriver(d *decoder) exec {
	f, def := driverCalls[d.in.Text], simt.DriverFuncOf(d.in.Text)
	if f == nil || def == nil || len(d.in.Src) != len(def.Params) {
		d.fail("no call of the driver: %q with %d operands", d.in.Text, len(d.in.Src))
		return nil
	}
	result := d.sink
	if len(d.in.Dst) > 0 {
		result = d.dst(0)
	}
	var src []int
	for i, typ := range def.Params {
		src = append(src, d.src(len(d.in.Dst)+i, simt.TypeBits(typ)))
	}
	args := len(src)
	return func(w *warp, m uint32) {
		values := make([]uint64, args)
		w.each(m, func(lane int) {
			for i, r := range src {
				values[i] = w.v[r][lane]
			}
			w.v[result][lane] = f(w, lane, values)
		})
	}
}

// vprintf prints what a format and the values behind it say, as CUDA C++ documents: it gives the number of values, -1 without a format.
func (w *warp) vprintf(lane int, args []uint64) uint64 {
	if args[0] == 0 {
		return 0xffffffff
	}
	format, ok := w.cString(lane, args[0], "the format")
	if !ok {
		return 0
	}
	pieces, end, err := conversions(format)
	if err != nil {
		w.fault(lane, "vprintf: %v", err)
		return 0
	}
	var out []byte
	at := args[1]
	for _, p := range pieces {
		size := p.bits / 8
		at = (at + uint64(size-1)) &^ uint64(size-1)
		data := w.memory(generic, at, size, lane, reads)
		if data == nil {
			return 0
		}
		v := p.arg(little(data))
		if p.Verb == 's' {
			s, ok := w.cString(lane, little(data), "a string")
			if !ok {
				return 0
			}
			if p.Prec >= 0 {
				s = s[:min(p.Prec, len(s))]
			}
			v = s
		}
		out = p.Append(append(out, p.Text...), v)
		at += uint64(size)
	}
	w.print(lane, append(out, end...))
	return uint64(len(pieces))
}

// print writes to where the launch's output goes.
func (w *warp) print(lane int, text []byte) {
	r := w.block.cluster.run
	r.print.Lock()
	defer r.print.Unlock()
	if r.Stdout != nil {
		if _, err := r.Stdout.Write(text); err != nil {
			w.fault(lane, "printf: %v", err)
		}
	}
}

// cString reads a text that ends with a zero byte: not ok after a mistake.
func (w *warp) cString(lane int, addr uint64, what string) (s string, ok bool) {
	var text []byte
	for len(text) < maxString {
		data := w.memory(generic, addr+uint64(len(text)), 1, lane, reads)
		if data == nil {
			return "", false
		}
		if data[0] == 0 {
			return string(text), true
		}
		text = append(text, data[0])
	}
	w.fault(lane, "%s: %s has more than %d bytes", w.op(), what, maxString)
	return "", false
}

// assertFail ends the launch as a failed assert of CUDA C++ does.
func (w *warp) assertFail(lane int, args []uint64) uint64 {
	message, ok := w.cString(lane, args[0], "the message")
	if !ok {
		return 0
	}
	file, ok := w.cString(lane, args[1], "the name of the file")
	if !ok {
		return 0
	}
	function, ok := w.cString(lane, args[3], "the name of the function")
	if ok {
		w.fault(lane, "assertion failed: %s (%s:%d, in %s)", message, file, args[2], function)
	}
	return 0
}

// conversions takes a format apart that a kernel has made: the conversions, %s among them, and the text behind them.
func conversions(s string) (list []printed, end string, err error) {
	pieces, err := cformat.Parse(s)
	if err != nil {
		return nil, "", fmt.Errorf("the format %q has an unknown conversion: %w", s, err)
	}
	for _, p := range pieces {
		switch {
		case p.Verb == 0:
			return list, p.Text, nil
		case p.Length == "L", p.Length == "q":
			return nil, "", fmt.Errorf("the format %q has an unknown conversion", s)
		case max(p.Width, p.Prec) > maxPrinted:
			return nil, "", fmt.Errorf("the format %q has a width or precision of more than 4 digits", s)
		}
		list = append(list, reading(p))
	}
	return list, end, nil
}
