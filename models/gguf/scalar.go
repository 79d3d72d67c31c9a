package gguf

import (
	"math"
	"reflect"
)

// put sets a number to that of its bytes.
func put(v reflect.Value, b []byte) {
	bits := uint64(0)
	for i, x := range b {
		bits |= uint64(x) << (8 * i)
	}
	switch v.Kind() {
	case reflect.Float32:
		v.Set(reflect.ValueOf(math.Float32frombits(uint32(bits))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		unused := 64 - 8*len(b)
		v.SetInt(int64(bits<<unused) >> unused)
	default:
		v.SetUint(bits)
	}
}

// appendScalar writes a value that is no array.
func appendScalar(b []byte, v reflect.Value) []byte {
	bits := uint64(0)
	switch x := v.Interface().(type) {
	case string:
		return append(le.AppendUint64(b, uint64(len(x))), x...)
	case bool:
		if x {
			bits = 1
		}
	case float32:
		bits = uint64(math.Float32bits(x))
	case float64:
		bits = math.Float64bits(x)
	default:
		if v.CanInt() {
			bits = uint64(v.Int())
		} else {
			bits = v.Uint()
		}
	}
	for range v.Type().Size() {
		b = append(b, byte(bits))
		bits >>= 8
	}
	return b
}
