package compile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
)

type (
	d16 = tile.D16
	d32 = tile.D32
)

// wrong are the kernels of wrong_kernels_test.go.
var wrong = []any{
	maskShapes[d16, d32], whereShapes[d16, d32], tileInIf[d16], tileInFor[d16], maskReturned[d16, d32], badConversion[d16, d32],
	badReshape[d16, d32], reshapeElem[d16], badPermute[d16, d32], constantTooLarge[d16], constantTooWide[d16],
	negativeUnsigned[d16], runtimeAxis[d16], axisOutside[d16], indexCount[d16, d32], runtimeHint[d16], oddPadding[d16],
	hostVariable[d16], writesHost[d16], callsFmt[d16], recursive[d16], mutual[d16], comparesStructs[d16], jumps[d16], wrongRounding[d16],
	hasResult[d16], goStatement[d16],
	deferStatement[d16], endless[d16], usesMap[d16], usesString[d16], sliceOfUnknown[d16],
	impureCombiner[d16], shapeChanges[d16], viewChanges[d16], functionChanges[d16],
	divisionByZero[d16], gatherElem[d16], scatterShape[d16, d32], atomicNarrow[d16], printVerb[d16], printCount[d16],
	helperMistake[d16], several[d16, d32],
}

// wrongFiles are the files of wrong kernels.
var wrongFiles = []struct {
	file    string
	kernels []any
}{
	{"wrong_kernels_test.go", wrong},
	{"wrong_language_test.go", wrongLanguage},
	{"wrong_ops_kernels_test.go", wrongOps},
	{"wrong_shapes_test.go", wrongShapes},
	{"wrong_go_test.go", wrongGo},
	{"wrong_values_test.go", wrongValues},
	{"wrong_numbers_test.go", wrongNumbers},
	{"wrong_params_test.go", wrongParams},
	{"wrong_extents_test.go", wrongExtents},
	{"wrong_rest_test.go", wrongRest},
}

// wanted is a mistake that a comment expects on its line: // want 12 "text", the column and a part of the message.
type wanted struct {
	column int
	text   string
	seen   bool
}

var want = regexp.MustCompile(`// want (\d+) "(.*)"$`)

// wants reads the expected mistakes of a file, by line.
func wants(t *testing.T, file string) map[int]*wanted {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]*wanted{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := want.FindStringSubmatch(line); m != nil {
			column, _ := strconv.Atoi(m[1])
			out[i+1] = &wanted{column: column, text: m[2]}
		} else if strings.Contains(line, "// want ") {
			t.Errorf("%s:%d: a comment that is not understood", file, i+1)
		}
	}
	return out
}

// TestWrongKernels asserts line, column and text of every mistake in wrong kernels, all mistakes of one at once, and that
// nothing else is reported.
func TestWrongKernels(t *testing.T) {
	for _, f := range wrongFiles {
		asserted(t, f.file, f.kernels)
	}
}

// asserted compares the mistakes of kernels with what their file says.
func asserted(t *testing.T, file string, wrong []any) {
	open := wants(t, file)
	for _, fn := range wrong {
		err := compileFor(fn)
		if err == nil {
			t.Errorf("%v compiles, but is wrong", reflect.TypeOf(fn))
			continue
		}
		for _, e := range mistakes(err) {
			w := open[e.Pos.Line]
			switch {
			case filepath.Base(e.Pos.Filename) != file || w == nil:
				t.Errorf("unexpected: %v", e)
				continue
			case !strings.Contains(e.Msg, w.text) || e.Pos.Column != w.column:
				t.Errorf("%v\nwant column %d, %q", e, w.column, w.text)
			case !strings.Contains(e.Error(), "^"):
				t.Errorf("%v\nlacks the line of source", e)
			}
			w.seen = true
		}
	}
	for line, w := range open {
		if !w.seen {
			t.Errorf("%s:%d: no message, want %q", file, line, w.text)
		}
	}
}

func compileFor(fn any) error {
	k, err := compile.Resolve(fn)
	if err != nil {
		return err
	}
	_, err = k.Compile(context.Background(), facts(k))
	return err
}

func mistakes(err error) []*diag.Error {
	var list diag.List
	if errors.As(err, &list) {
		return list
	}
	var one *diag.Error
	if errors.As(err, &one) {
		return []*diag.Error{one}
	}
	return []*diag.Error{{Msg: fmt.Sprintf("not a diag.Error: %v", err)}}
}
