package cuda

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
)

// writeCheck writes the function that checks arguments.
func (k *cKernel) writeCheck() {
	k.printf("static inline CUresult %s_check(const %[1]s_args *a)\n{\n\tif (!a)\n\t\treturn CUDA_ERROR_INVALID_VALUE;\n", k.name)
	for i := range k.Params {
		p := &k.Params[i]
		if p.Nonnegative && p.Equals == nil {
			k.refuse("a->%s < 0", p.Name)
		}
		if p.Multiple > 1 {
			k.refuse("a->%s %% %d != 0", p.Name, p.Multiple)
		}
		if p.Equals != nil {
			k.refuse("a->%s != %s", p.Name, constant(*p.Equals))
		}
		if p.Kind == engine.ScalarParam && p.Type == "bool" {
			k.refuse("a->%s > 1", p.Name)
		}
	}
	for _, q := range k.Equal {
		switch {
		case len(q.Params) == 2:
			k.refuse("a->%s != a->%s", q.Params[0], q.Params[1])
		case len(q.Params) == 1 && q.Value != nil:
			k.refuse("a->%s != %s", q.Params[0], constant(*q.Value))
		case len(q.Params) == 0: // two constants that differ: no arguments fit
			k.printf("\treturn CUDA_ERROR_INVALID_VALUE;\n}\n\n")
			return
		}
	}
	k.checkTiles()
	k.printf("\treturn CUDA_SUCCESS;\n}\n\n")
}

// checkTiles writes the checks of how many tiles there are where blocks own them in turn.
func (k *cKernel) checkTiles() {
	if len(k.Persistent) == 0 {
		return
	}
	k.printf("\t{\n\tint64_t n;\n")
	for i := range k.Persistent {
		k.printf("\tn = 1;\n")
		for _, t := range k.Persistent[i].X {
			if slices.ContainsFunc(k.Params, func(p engine.CallParam) bool { return p.Name == t.Extent && p.Size > 4 }) {
				k.refuse("a->%s / %d > 2147483647", t.Extent, t.Tile) // so that the product fits 64 bits
			}
			k.printf("\tn *= (int64_t)a->%s / %d + (a->%[1]s %% %[2]d != 0);\n", t.Extent, t.Tile)
			k.refuse("n > 2147483647")
		}
	}
	k.printf("\t}\n")
}

// refuse writes a check that fails where a condition holds.
func (k *cKernel) refuse(format string, args ...any) {
	k.printf("\tif (%s)\n\t\treturn CUDA_ERROR_INVALID_VALUE;\n", fmt.Sprintf(format, args...))
}

// constant is a number in C, where the least one cannot be written.
func constant(n int64) string {
	switch {
	case n == math.MinInt64:
		return "INT64_MIN"
	case n == int64(int32(n)):
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("INT64_C(%d)", n)
}

// writeGrid writes the function that finds the grid, which all Outs have to need.
func (k *cKernel) writeGrid() {
	k.printf("static inline CUresult %s_grid(const %[1]s_args *a, unsigned grid[3])\n{\n", k.name)
	k.printf("\tstatic const int64_t most[3] = {2147483647, 65535, 65535};\n\tint64_t n[3];\n\tint i;\n\t(void)most;\n\tif (!a)\n\t\treturn CUDA_ERROR_INVALID_VALUE;\n")
	for at := range k.Grids {
		g := &k.Grids[at]
		for axis, list := range g.Axes() {
			k.printf("\tn[%d] = 1;\n", axis)
			for _, t := range *list {
				k.refuse("a->%s < 0 || (int64_t)a->%[1]s / %d > most[%d]", t.Extent, t.Tile, axis)
				k.printf("\tn[%d] *= (int64_t)a->%s / %d + (a->%[2]s %% %[3]d != 0);\n", axis, t.Extent, t.Tile)
				k.refuse("n[%d] > most[%[1]d]", axis)
			}
		}
		k.printf("\tfor (i = 0; i < 3; i++) {\n")
		if at > 0 {
			k.printf("\t\tif (n[i] != (int64_t)grid[i]) /* of another Out */\n\t\t\treturn CUDA_ERROR_INVALID_VALUE;\n")
		}
		k.printf("\t\tgrid[i] = (unsigned)n[i];\n\t}\n")
	}
	k.printf("\treturn CUDA_SUCCESS;\n}\n\n")
}

// writeLaunch writes the function that launches.
func (k *cKernel) writeLaunch() {
	given := ""
	if len(k.Grids) == 0 {
		given = "const unsigned grid[3], "
	}
	k.printf("static inline CUresult %s_launch(CUfunction function, const cutile_code *code, CUstream stream, %sconst %[1]s_args *a)\n{\n", k.name, given)
	k.printf("\t%s_args v;\n\tvoid *params[%d];\n\tunsigned g[3];\n", k.name, len(k.Params)+1)
	k.refuse("!function || !code || !code->file || %s_check(a) != CUDA_SUCCESS", k.name)
	if given == "" {
		k.refuse("%s_grid(a, g) != CUDA_SUCCESS", k.name)
	} else {
		k.refuse("!grid")
		k.printf("\tg[0] = grid[0];\n\tg[1] = grid[1];\n\tg[2] = grid[2];\n")
	}
	if len(k.Persistent) > 0 {
		k.refuse("g[0] == 0 || g[1] != 1 || g[2] != 1")
	}
	if len(k.ExactGrid) == 3 {
		k.refuse("g[0] != %du || g[1] != %du || g[2] != %du", k.ExactGrid[0], k.ExactGrid[1], k.ExactGrid[2])
	}
	k.printf("\tif (!g[0] || !g[1] || !g[2])\n\t\treturn CUDA_SUCCESS;\n\tv = *a;\n")
	if len(k.Params) == 0 {
		k.printf("\t(void)v;\n")
	}
	for i, p := range k.Params {
		k.printf("\tparams[%d] = &v.%s;\n", i, p.Name)
	}
	k.printf("\tparams[%d] = NULL;\n", len(k.Params))
	k.printf("\treturn cuLaunchKernel(function, g[0], g[1], g[2], %s, code->shared, stream, params, NULL);\n}\n",
		strings.Join([]string{"code->block[0]", "code->block[1]", "code->block[2]"}, ", "))
}
