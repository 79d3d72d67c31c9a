package safetensors_test

import (
	"encoding/binary"
	"strings"
)

// A mutation is a file, and part of the error where it is refused.
type mutation struct {
	file     []byte
	refused  string
	stricter bool // the reference takes the file
}

// file has a header and n bytes of data.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

// one is the description of a tensor.
func one(dtype, shape, offsets string) string {
	return `{"dtype":"` + dtype + `","shape":` + shape + `,"data_offsets":` + offsets + `}`
}

// mutations are right and wrong files by what is special about them.
func mutations() map[string]mutation {
	f4 := one("F32", "[1]", "[0,4]")
	all := map[string]mutation{
		"length cut":         {file: []byte("\x01\x00"), refused: "starts with 8 bytes"},
		"length too large":   {file: append([]byte("\x01\xe1\xf5\x05\x00\x00\x00\x00"), '{', '}'), refused: "100000001 bytes, more than 100000000"},
		"length of 64 bits":  {file: []byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"), refused: "more than 100000000"},
		"length past end":    {file: []byte("\x03\x00\x00\x00\x00\x00\x00\x00{}"), refused: "only 2 come after"},
		"stretched metadata": {file: file(`{"__metadata__":{"a":"b"}}`, 1), refused: "1 come after the header"},
	}
	for name, h := range map[string]struct {
		header  string
		n       int
		refused string
	}{
		"one":                   {`{"a":` + f4 + `}`, 4, ""},
		"empty file":            {"{}", 0, ""},
		"white space":           {" \n\t\r{ \"a\" : " + f4 + " } \n", 4, ""},
		"metadata null":         {`{"__metadata__":null}`, 0, ""},
		"metadata last":         {`{"a":` + f4 + `,"__metadata__":{"x":"y"}}`, 4, ""},
		"unknown field":         {`{"a":{"x":[{"y":[null,true,-1.5e3]}],"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, 1, ""},
		"other order":           {`{"a":` + one("U8", "[1]", "[1,2]") + `,"b":` + one("U8", "[1]", "[0,1]") + `}`, 2, ""},
		"empty tensors":         {`{"a":` + one("U8", "[0]", "[1,1]") + `,"b":` + one("U8", "[1]", "[0,1]") + `,"c":` + one("U8", "[0,9]", "[0,0]") + `}`, 1, ""},
		"escapes":               {`{"\u00e9\ud83d\ude00\/\n":` + f4 + `}`, 4, ""},
		"empty name":            {`{"":` + f4 + `}`, 4, ""},
		"half bytes":            {`{"a":` + one("F4", "[2]", "[0,1]") + `}`, 1, ""},
		"six bits":              {`{"a":` + one("F6_E2M3", "[4]", "[0,3]") + `}`, 3, ""},
		"no header":             {"", 0, "'{' is expected, found the end"},
		"no object":             {"[]", 0, `'{' is expected, found "[]"`},
		"cut object":            {`{"a":` + f4, 4, "'}' is expected, found the end"},
		"comma at the end":      {`{"a":` + f4 + `,}`, 4, "a string is expected"},
		"more behind":           {"{}x", 0, "more behind the object"},
		"zero behind":           {"{}\x00", 0, "more behind the object"},
		"not UTF-8":             {"{\"\xff\":" + f4 + "}", 4, "not valid UTF-8"},
		"control character":     {"{\"a\x01\":" + f4 + "}", 4, "control character"},
		"half a surrogate":      {`{"\ud800":` + f4 + `}`, 4, "half of a surrogate pair"},
		"second half":           {`{"\udc00":` + f4 + `}`, 4, "half of a surrogate pair"},
		"wrong escape":          {`{"\x":` + f4 + `}`, 4, "wrong escape"},
		"short escape":          {`{"\u12":` + f4 + `}`, 4, "wrong escape"},
		"tensor null":           {`{"a":null}`, 0, "'{' is expected"},
		"metadata number":       {`{"__metadata__":{"a":1}}`, 0, "a string is expected"},
		"metadata array":        {`{"__metadata__":["a"]}`, 0, "'{' is expected"},
		"metadata twice":        {`{"__metadata__":{},"__metadata__":{}}`, 0, "comes twice"},
		"unknown dtype":         {`{"a":` + one("F33", "[1]", "[0,4]") + `}`, 4, `dtype "F33" is not known`},
		"dtype in small":        {`{"a":` + one("f32", "[1]", "[0,4]") + `}`, 4, `dtype "f32" is not known`},
		"dtype number":          {`{"a":{"dtype":1,"shape":[1],"data_offsets":[0,4]}}`, 4, "a string is expected"},
		"no dtype":              {`{"a":{"shape":[1],"data_offsets":[0,4]}}`, 4, "dtype is missing"},
		"no shape":              {`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, 4, "shape is missing"},
		"no offsets":            {`{"a":{"dtype":"F32","shape":[1]}}`, 4, "data_offsets is missing"},
		"dtype twice":           {`{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4, "dtype comes twice"},
		"negative extent":       {`{"a":` + one("F32", "[-1]", "[0,4]") + `}`, 4, "an integer from 0 is expected"},
		"float extent":          {`{"a":` + one("F32", "[1.0]", "[0,4]") + `}`, 4, "an integer from 0 is expected"},
		"exponent":              {`{"a":` + one("F32", "[1e0]", "[0,4]") + `}`, 4, "an integer from 0 is expected"},
		"leading zero":          {`{"a":` + one("F32", "[01]", "[0,4]") + `}`, 4, "an integer from 0 is expected"},
		"minus zero":            {`{"a":` + one("F32", "[-0]", "[0,0]") + `}`, 0, "an integer from 0 is expected"},
		"extent of 65 bits":     {`{"a":` + one("F32", "[18446744073709551616]", "[0,4]") + `}`, 4, "more than 64 bits"},
		"shape null":            {`{"a":` + one("F32", "null", "[0,4]") + `}`, 4, "'[' is expected"},
		"elements overflow":     {`{"a":` + one("U8", "[4294967296,4294967296]", "[0,0]") + `}`, 0, "more elements than 64 bits"},
		"overflow, then zero":   {`{"a":` + one("U8", "[4294967296,4294967296,0]", "[0,0]") + `}`, 0, "more elements than 64 bits"},
		"zero, then much":       {`{"a":` + one("U8", "[0,4294967296,4294967296]", "[0,0]") + `}`, 0, ""},
		"bits overflow":         {`{"a":` + one("F32", "[1152921504606846976]", "[0,0]") + `}`, 0, "more bits than 64 bits"},
		"half a byte":           {`{"a":` + one("F4", "[3]", "[0,2]") + `}`, 2, "no whole number of bytes"},
		"three offsets":         {`{"a":` + one("F32", "[1]", "[0,4,4]") + `}`, 4, "two numbers, found more"},
		"one offset":            {`{"a":` + one("F32", "[1]", "[4]") + `}`, 4, "two numbers, found 1"},
		"turned offsets":        {`{"a":` + one("F32", "[1]", "[4,0]") + `}`, 4, "no range"},
		"huge offsets":          {`{"a":` + one("F32", "[1]", "[18446744073709551611,18446744073709551615]") + `}`, 4, "no range"},
		"gap at the start":      {`{"a":` + one("F32", "[1]", "[1,5]") + `}`, 5, "no gap and no overlap"},
		"gap":                   {`{"a":` + one("U8", "[1]", "[0,1]") + `,"b":` + one("U8", "[1]", "[2,3]") + `}`, 3, "no gap and no overlap"},
		"overlap":               {`{"a":` + one("U8", "[2]", "[0,2]") + `,"b":` + one("U8", "[2]", "[1,3]") + `}`, 3, "no gap and no overlap"},
		"same place":            {`{"a":` + one("U8", "[2]", "[0,2]") + `,"b":` + one("U8", "[2]", "[0,2]") + `}`, 2, "no gap and no overlap"},
		"shape does not fit":    {`{"a":` + one("F32", "[2]", "[0,4]") + `}`, 4, "has 8 bytes, but its data_offsets [0, 4] are for 4"},
		"data cut":              {`{"a":` + f4 + `}`, 3, "the tensors have 4 bytes, but 3 come"},
		"more data":             {`{"a":` + f4 + `}`, 5, "the tensors have 4 bytes, but 5 come"},
		"deep":                  {`{"a":{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `,"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, 1, "nested deeper than 100"},
		"wrong value":           {`{"a":{"x":nul,"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, 1, "a value is expected"},
		"no colon":              {`{"a" ` + f4 + `}`, 4, "':' is expected"},
		"single quotes":         {`{'a':` + f4 + `}`, 4, "a string is expected"},
		"comment":               {`{/**/"a":` + f4 + `}`, 4, "a string is expected"},
		"byte order mark":       {"\ufeff{}", 0, "'{' is expected"},
		"string without an end": {`{"a`, 0, "no end"},
	} {
		all[name] = mutation{file: file(h.header, h.n), refused: h.refused}
	}
	for name, h := range map[string]struct{ header, refused string }{
		"name twice":           {`{"a":` + f4 + `,"a":` + f4 + `}`, `the name "a" comes twice`},
		"metadata's key twice": {`{"__metadata__":{"a":"b","a":"c"},"a":` + f4 + `}`, `__metadata__ has "a" twice`},
		"array as a tensor":    {`{"a":["F32",[1],[0,4]]}`, "'{' is expected"},
		"extent beyond int":    {`{"a":` + f4 + `,"b":` + one("U8", "[0,18446744073709551615]", "[4,4]") + `}`, "more than this system can count"},
		"rather deep":          {`{"a":{"x":` + strings.Repeat("[", 110) + strings.Repeat("]", 110) + `,"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "nested deeper than 100"},
	} {
		all[name] = mutation{file: file(h.header, 4), refused: h.refused, stricter: true}
	}
	return all
}
