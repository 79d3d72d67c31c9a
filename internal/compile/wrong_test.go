package compile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/compile"
	"github.com/cutile-go/cutile/internal/diag"
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
	hostVariable[d16], writesHost[d16], callsFmt[d16], recursive[d16], mutual[d16], returnInLoop[d16], comparesStructs[d16], jumps[d16], wrongRounding[d16],
	hasResult[d16], goStatement[d16],
	deferStatement[d16], endless[d16], takesAddress[d16], usesMap[d16], usesString[d16], sliceOfUnknown[d16], setsSlice[d16],
	impureCombiner[d16], shapeChanges[d16], viewChanges[d16], functionChanges[d16],
	divisionByZero[d16], gatherElem[d16], scatterShape[d16, d32], atomicNarrow[d16], printVerb[d16], printCount[d16],
	helperMistake[d16], several[d16, d32],
}

var want = regexp.MustCompile(`// want "(.*)"$`)

// wants reads the expected messages of a file, by line.
func wants(t *testing.T, file string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := want.FindStringSubmatch(line); m != nil {
			out[i+1] = m[1]
		}
	}
	return out
}

// TestWrongKernels asserts the position and the text of every mistake in wrong kernels, all mistakes of one at once, and
// that nothing else is reported.
func TestWrongKernels(t *testing.T) {
	const file = "wrong_kernels_test.go"
	open := wants(t, file)
	if len(wrong) < 40 {
		t.Errorf("%d wrong kernels, want at least 40", len(wrong))
	}
	for _, fn := range wrong {
		err := compileFor(fn)
		if err == nil {
			t.Errorf("%v compiles, but is wrong", reflect.TypeOf(fn))
			continue
		}
		for _, e := range mistakes(err) {
			text, ok := open[e.Pos.Line]
			switch {
			case filepath.Base(e.Pos.Filename) != file || !ok:
				t.Errorf("unexpected: %v", e)
			case !strings.Contains(e.Msg, text):
				t.Errorf("%v\nwant %q", e, text)
			case !strings.Contains(e.Error(), "^") || e.Pos.Column == 0:
				t.Errorf("%v\nlacks the line of source", e)
			}
			open[e.Pos.Line] = "\x00seen"
		}
	}
	for line, text := range open {
		if text != "\x00seen" && text != "" {
			t.Errorf("%s:%d: no message, want %q", file, line, text)
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
