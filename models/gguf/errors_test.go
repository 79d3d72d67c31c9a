package gguf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/models/gguf"
)

// bin joins numbers of their sizes and texts, which are written with their lengths where they are of the type string.
func bin(parts ...any) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		if s, ok := p.(string); ok {
			binary.Write(&b, binary.LittleEndian, uint64(len(s)))
			b.WriteString(s)
			continue
		}
		binary.Write(&b, binary.LittleEndian, p)
	}
	return b.Bytes()
}

// head starts a file with some tensors and values.
func head(tensors, values int, parts ...any) []byte {
	return append(bin([]byte("GGUF"), uint32(3), uint64(tensors), uint64(values)), bin(parts...)...)
}

// u and w make the numbers of files short.
func u(v uint32) uint32 { return v }
func w(v uint64) uint64 { return v }

// refused are files with what their errors say.
func refused() map[string][]byte {
	tensor := func(name string, kind uint32, offset uint64, dims ...uint64) []byte {
		return bin(name, u(uint32(len(dims))), dims, u(kind), w(offset))
	}
	data := make([]byte, 256)
	return map[string][]byte{
		"4 more bytes are expected":                                                []byte("GG"),
		`starts with GGUF, found "GGML"`:                                           []byte("GGML\x03\x00\x00\x00"),
		"version 1 is not supported":                                               bin([]byte("GGUF"), u(1), w(0), w(0)),
		"version 4 is not supported":                                               bin([]byte("GGUF"), u(4), w(0), w(0)),
		"this file is big-endian":                                                  bin([]byte("GGUF"), u(3<<24), w(0), w(0)),
		"18446744073709551615 tensors take":                                        bin([]byte("GGUF"), u(3), w(math.MaxUint64), w(0)),
		"1000 values take":                                                         head(0, 1000, data),
		"before byte 32: 9223372036854775807 bytes of a":                           head(0, 1, w(math.MaxInt64), data),
		"must be UTF-8 of 65535 bytes":                                             head(0, 1, "\xff", u(0), uint8(1), data),
		"the value type 13 is not known":                                           head(0, 1, "a", u(13), data),
		"the array type 99 is not known":                                           head(0, 1, "a", u(9), u(99), w(1), data),
		"elements of an array take at least 4":                                     head(0, 1, "a", u(9), u(4), w(1<<40), data),
		"elements of an array take at least 8 bytes":                               head(0, 1, "a", u(9), u(8), w(1<<60), data),
		"nested deeper than 8":                                                     head(0, 1, "a", u(9), bytes.Repeat(bin(u(9), w(1)), 20), data),
		`value "a": not a valid GGUF file`:                                         head(0, 1, "a", u(7), uint8(2), data),
		"a bool is 0 or 1, found 2":                                                head(0, 1, "a", u(9), u(7), w(1), uint8(2), data),
		`the value "a" comes twice`:                                                head(0, 2, "a", u(0), uint8(1), "a", u(0), uint8(1), data),
		"must be a power of two of type uint32, found 3":                           head(0, 1, "general.alignment", u(4), u(3)),
		"found 2147483648 of type uint32; at most":                                 head(0, 1, "general.alignment", u(4), u(1<<31)),
		"found 32 of type uint64":                                                  head(0, 1, "general.alignment", u(10), w(32)),
		"power of two of type uint32, found 0":                                     head(0, 1, "general.alignment", u(4), u(0)),
		`the tensor "t" comes twice`:                                               head(2, 0, tensor("t", 0, 0, 1), tensor("t", 0, 32, 1), data),
		"has 5 extents, more than 4":                                               head(1, 0, tensor("t", 0, 0, 1, 1, 1, 1, 1), data),
		"more than this system can count":                                          head(1, 0, tensor("t", 0, 0, 1<<63), data),
		"more elements than 63 bits":                                               head(1, 0, tensor("t", 0, 0, 1<<32, 1<<32), data),
		"more bytes than 63 bits":                                                  head(1, 0, tensor("t", 28, 0, 1<<61), data),
		"ends beyond what 63 bits can count":                                       head(1, 0, tensor("t", 24, 0, math.MaxInt64), data),
		"the type 4 is not known":                                                  head(1, 0, tensor("t", 4, 0, 32), data),
		"no whole number of blocks of Q4_0":                                        head(1, 0, tensor("t", 2, 0, 33), data),
		"is at 32 of the data, but the place":                                      head(1, 0, tensor("t", 0, 32, 1), data),
		`"b" is at 64 of the data, but the place after the tensor before it is 32`: head(2, 0, tensor("a", 0, 0, 1), tensor("b", 0, 64, 1), data),
		`tensor "t" has 4000 bytes at 0 of the data, which has`:                    head(1, 0, tensor("t", 0, 0, 1000), data),
	}
}

func TestRefused(t *testing.T) {
	for want, b := range refused() {
		_, err := read(b)
		fails(t, want, err, want)
		if !errors.Is(err, gguf.ErrFormat) {
			t.Errorf("%s: %v is not ErrFormat", want, err)
		}
	}
	whole := sample(t)
	for i := range len(whole) - 34*2 { // the end may be padding
		if _, err := read(whole[:i]); err == nil {
			t.Errorf("%d of %d bytes were accepted", i, len(whole))
		}
	}
}

func TestWriteRefused(t *testing.T) {
	for want, v := range map[string]any{"values of Go's int have": 1, "nil is no value": nil, "arrays of Go's []int": []int{1}, "element 0 of []any is no slice": []any{1}} {
		fails(t, want, gguf.Write(io.Discard, []gguf.Value{{"a", v}}), want)
	}
	fails(t, "twice", gguf.Write(io.Discard, []gguf.Value{{"a", true}, {"a", true}}), "that nothing else has")
	fails(t, "alignment", gguf.Write(io.Discard, []gguf.Value{{"general.alignment", uint32(5)}}), "power of two")
	for want, e := range map[string]gguf.Entry{
		"ended after 3":         {Name: "a", Type: gguf.F32, Data: strings.NewReader("abc")},
		"has more":              {Name: "a", Type: gguf.I8, Data: strings.NewReader("abc")},
		"more than 4 extents":   {Name: "a", Type: gguf.I8, Shape: []int{1, 1, 1, 1, 1}},
		"whole number of":       {Name: "a", Type: gguf.Q4_0, Shape: []int{32, 1}},
		"extent -1 is negative": {Name: "a", Type: gguf.I8, Shape: []int{-1}},
		"type 5 is not known":   {Name: "a", Type: 5},
	} {
		fails(t, want, gguf.Write(io.Discard, nil, e), want)
	}
}

// FuzzRead reads files, dequantizes what is small, and writes and reads again those that are accepted.
func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	for _, b := range refused() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := read(b)
		if err != nil {
			return
		}
		for _, x := range in.All() {
			if data, err := x.Bytes(); err != nil || int64(len(data)) != x.Size() {
				t.Fatalf("%s: %d bytes, %v", x.Name(), len(data), err)
			}
			if x.Len() < 10000 && x.Type() != gguf.Q1_0 {
				if v, err := x.Float32s(); err != nil || len(v) != x.Len() {
					t.Fatalf("%s: %d numbers, %v", x.Name(), len(v), err)
				}
			}
		}
		out := written(t, values(in), entries(in)...)
		if again, err := read(out); err != nil || !bytes.Equal(written(t, values(again), entries(again)...), out) {
			t.Errorf("%v: %q", err, out)
		}
	})
}
