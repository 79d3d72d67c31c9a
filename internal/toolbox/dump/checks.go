package dump

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// AddShape reads the extents of a tensor, as in x=100x64.
func (o *Options) AddShape(text string) error {
	name, list, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return fmt.Errorf("want parameter=extents, such as x=1000x64")
	}
	var shape []int
	for _, f := range strings.Split(list, "x") {
		n, err := strconv.Atoi(f)
		if errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("the extent %s is too large", names.Short(f))
		} else if err != nil || n < 0 {
			return fmt.Errorf("want parameter=extents, such as x=1000x64")
		}
		shape = append(shape, n)
	}
	if o.shapes == nil {
		o.shapes = map[string][]int{}
	}
	o.shapes[name] = shape
	return nil
}

// checks prints what a launch proves of each access through a view, what is left to masks, and which blocks' numbers are 0.
func (d *dumper) checks(w io.Writer) error {
	shapes, grid, bits, err := d.launch()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, d.titleOf(shapes, grid))
	for _, c := range d.code.Explain(grid, bits) {
		word := "masked"
		if c.Inside {
			word = "proved"
		}
		fmt.Fprintf(w, "%s:%d:%d: %s, axis %d: %s: %s\n", filepath.Base(c.Op.Loc.File), c.Op.Loc.Line, c.Op.Loc.Col, spoken.Op(c.Op), c.Dim, word, c.Text)
	}
	if axes := d.code.Prove(grid, bits).Alone(); axes != "" {
		fmt.Fprintf(w, "the grid is one block along axis %s: its number is 0\n", strings.Join(strings.Split(axes, ""), " and "))
	}
	return nil
}

// titleOf names the launch that is looked at.
func (d *dumper) titleOf(shapes [][]int, grid [3]uint32) string {
	s := fmt.Sprintf("a launch of (%d, %d, %d) blocks with", grid[0], grid[1], grid[2])
	for i, p := range d.kernel.Params() {
		if shapes[i] != nil {
			s += fmt.Sprintf(" %s=%s", p.Name, strings.ReplaceAll(strings.Trim(fmt.Sprint(shapes[i]), "[]"), " ", "x"))
		}
	}
	return s
}

// launch compiles the kernel and gives the launch that is looked at.
func (d *dumper) launch() (shapes [][]int, grid [3]uint32, bits []uint64, err error) {
	if err = d.compile(); err != nil {
		return nil, grid, nil, err
	}
	if shapes, err = d.shapes(); err != nil {
		return nil, grid, nil, err
	}
	grid, bits = d.launchOf(shapes)
	return shapes, grid, bits, nil
}

// shapes are those of the tensors: the ones of -shape, else four whole tiles along each axis.
func (d *dumper) shapes() ([][]int, error) {
	params := d.kernel.Params()
	out := make([][]int, len(params))
	given := 0
	for i, p := range params {
		shape, ok := d.opts.shapes[p.Name]
		if ok {
			given++
		}
		if !p.Kind.View() {
			if ok {
				return nil, toolbox.Usagef("-shape: the parameter %s is not a tensor", p.Name)
			}
			continue
		}
		if !ok {
			for _, n := range p.Tile {
				shape = append(shape, 4*n)
			}
		}
		if len(shape) != len(p.Tile) {
			return nil, toolbox.Usagef("-shape: %s has %d axes, not %d", p.Name, len(p.Tile), len(shape))
		}
		out[i] = shape
	}
	if given != len(d.opts.shapes) {
		return nil, toolbox.Usagef("-shape: the kernel has the parameters %s", paramNames(params))
	}
	return out, nil
}

// launchOf gives the grid and the bits of a launch: that of the first Out, pointers and numbers of 0, contiguous tensors.
func (d *dumper) launchOf(shapes [][]int) (grid [3]uint32, bits []uint64) {
	grid = [3]uint32{1, 1, 1}
	found := false
	for i, p := range d.kernel.Params() {
		switch {
		case p.Kind == compile.Scalar, p.Kind == compile.Ptr:
			bits = append(bits, 0)
		case p.Kind.View():
			bits = append(bits, 0)
			stride := 1
			strides := make([]uint64, len(shapes[i]))
			for axis := len(shapes[i]) - 1; axis >= 0; axis-- {
				strides[axis] = uint64(stride)
				stride *= shapes[i][axis]
			}
			for _, n := range shapes[i] {
				bits = append(bits, uint64(n))
			}
			bits = append(bits, strides...)
			if p.Kind == compile.Out && !found {
				found = true
				lead := max(len(p.Tile)-3, 0)
				for axis, n := range p.Tile {
					grid[max(axis-lead, 0)] *= uint32((shapes[i][axis] + n - 1) / n)
				}
			}
		}
	}
	return grid, bits
}
