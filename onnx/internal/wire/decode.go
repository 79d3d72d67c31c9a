package wire

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth is the greatest depth of messages within messages: graphs of control flow within others, for the most part.
const maxDepth = 100

// value is the value of a field: number for numbers, bytes for the rest.
type value struct {
	kind   protowire.Type
	number uint64
	bytes  []byte
	depth  int
}

// table tells for each field of a message M how its value is kept.
type table[M any] map[protowire.Number]func(m *M, v value) error

var errKind = errors.New("the field has another wire type than the schema says")

// decode decodes a message. Unknown fields are skipped.
func decode[M any](b []byte, depth int, fields table[M]) (*M, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("messages are nested deeper than %d", maxDepth)
	}
	m := new(M)
	for at := 0; at < len(b); {
		num, kind, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return nil, fmt.Errorf("byte %d of a message: %w", at, protowire.ParseError(n))
		}
		start := at
		at += n
		v := value{kind: kind, depth: depth + 1}
		switch kind {
		case protowire.VarintType:
			v.number, n = protowire.ConsumeVarint(b[at:])
		case protowire.Fixed64Type:
			v.number, n = protowire.ConsumeFixed64(b[at:])
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(b[at:])
			v.number = uint64(x)
		case protowire.BytesType:
			v.bytes, n = protowire.ConsumeBytes(b[at:])
		default:
			n = protowire.ConsumeFieldValue(num, kind, b[at:])
		}
		if n < 0 {
			return nil, fmt.Errorf("field %d at byte %d of a message: %w", num, start, protowire.ParseError(n))
		}
		at += n
		if f := fields[num]; f != nil {
			if err := f(m, v); err != nil {
				return nil, fmt.Errorf("field %d at byte %d of a message: %w", num, start, err)
			}
		}
	}
	return m, nil
}

func text[M any](to func(*M) *string) func(*M, value) error {
	return func(m *M, v value) error { *to(m) = string(v.bytes); return v.is(protowire.BytesType) }
}

func data[M any](to func(*M) *[]byte) func(*M, value) error {
	return func(m *M, v value) error { *to(m) = v.bytes; return v.is(protowire.BytesType) }
}

func integer[M any](to func(*M) *int64) func(*M, value) error {
	return func(m *M, v value) error { *to(m) = int64(v.number); return v.is(protowire.VarintType) }
}

func texts[M any](to func(*M) *[]string) func(*M, value) error {
	return func(m *M, v value) error { *to(m) = append(*to(m), string(v.bytes)); return v.is(protowire.BytesType) }
}

// numbers keeps a repeated field of numbers, packed or one by one.
func numbers[M, E any](kind protowire.Type, to func(*M) *[]E, convert func(uint64) E) func(*M, value) error {
	return func(m *M, v value) error {
		list := to(m)
		if v.kind == kind {
			*list = append(*list, convert(v.number))
			return nil
		}
		if v.kind != protowire.BytesType {
			return errKind
		}
		for b := v.bytes; len(b) > 0; {
			var x uint64
			var n int
			switch kind {
			case protowire.VarintType:
				x, n = protowire.ConsumeVarint(b)
			case protowire.Fixed32Type:
				var y uint32
				y, n = protowire.ConsumeFixed32(b)
				x = uint64(y)
			default:
				x, n = protowire.ConsumeFixed64(b)
			}
			if n < 0 {
				return protowire.ParseError(n)
			}
			*list, b = append(*list, convert(x)), b[n:]
		}
		return nil
	}
}

func toInt64(x uint64) int64     { return int64(x) }
func toUint64(x uint64) uint64   { return x }
func toFloat32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func toFloat64(x uint64) float64 { return math.Float64frombits(x) }

// message keeps a message. A second one takes the place of the first.
func message[M, N any](fields func() table[N], to func(*M) **N) func(*M, value) error {
	get := sync.OnceValue(fields) // not before it is needed: messages may contain messages of their own kind
	return func(m *M, v value) error {
		if err := v.is(protowire.BytesType); err != nil {
			return err
		}
		n, err := decode(v.bytes, v.depth, get())
		*to(m) = n
		return err
	}
}

func messages[M, N any](fields func() table[N], to func(*M) *[]*N) func(*M, value) error {
	get := sync.OnceValue(fields) // not before it is needed: messages may contain messages of their own kind
	return func(m *M, v value) error {
		if err := v.is(protowire.BytesType); err != nil {
			return err
		}
		n, err := decode(v.bytes, v.depth, get())
		*to(m) = append(*to(m), n)
		return err
	}
}

func (v value) is(kind protowire.Type) error {
	if v.kind != kind {
		return errKind
	}
	return nil
}
