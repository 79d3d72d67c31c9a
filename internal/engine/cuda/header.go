package cuda

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
)

// headerFile is the header for C in a folder of cubins.
const headerFile = "kernels.h"

// headerStart is what a header begins with; its guard differs with its content, so that a program may include several.
const headerStart = `/* Kernels that were written in Go with cuTile and exported; manifest.json says the same. It was generated: do not edit it.
 *
 * For each kernel NAME there are
 *
 *   NAME_args      its arguments. A tensor is the address of its first element, then its extents, then its strides in elements.
 *   NAME_code(&n)  its n files next to this header: load the one that fits the GPU with cuModuleLoadData, and get its symbol with
 *                  cuModuleGetFunction. If a file needs more than 48 KiB of shared memory, the function's attribute
 *                  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES must be set to that first.
 *   NAME_check(a)  CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE for arguments that the code was not made for.
 *   NAME_grid(a, grid), where the grid follows from the arguments.
 *   NAME_launch(function, code, stream, [grid,] a)  checks the arguments and queues the kernel. A grid without blocks queues nothing.
 *
 * A tensor that a kernel writes must not share memory with another argument, and all elements that the extents and strides reach must
 * exist. NAME_exact_... is faster code for one grid and the values of one launch; others are refused. */
#ifndef CUTILE_KERNELS_%[1]s_H
#define CUTILE_KERNELS_%[1]s_H

#include <stddef.h>
#include <stdint.h>
#include <cuda.h>

#ifndef CUTILE_CODE
#define CUTILE_CODE
/* A file with code of a kernel. */
typedef struct {
	const char *file;    /* its name, next to this header */
	const char *target;  /* the GPU: machine code runs on GPUs of the same generation that are not older, PTX on all that are not older; one
	                        with a letter, such as sm_90a, on no others */
	const char *symbol;  /* the kernel's name in the code */
	int ptx;             /* the version of PTX that the driver has to know: 84 for 8.4; 0 for machine code */
	unsigned block[3];   /* threads, for cuLaunchKernel */
	unsigned shared;     /* bytes of dynamic shared memory */
} cutile_code;
#endif
`

// header is the header of a folder.
func header(m *Manifest) []byte {
	var b bytes.Buffer
	count := map[string]int{} // of kernels for any arguments, by symbol
	for _, k := range m.Kernels {
		if k.ExactGrid == nil {
			count[k.Symbol]++
		}
	}
	for i := range m.Kernels {
		k := cKernel{Interface: &m.Kernels[i], b: &b}
		k.name = cName(k.Symbol)
		switch digits := k.Code[:min(8, len(k.Code))]; {
		case k.ExactGrid != nil:
			k.name += "_exact_" + digits
		case count[k.Symbol] > 1:
			k.name += "_" + digits
		}
		k.write(m.Files)
	}
	guard := fmt.Sprintf("%X", sha256.Sum256(b.Bytes()))[:8]
	return fmt.Appendf(nil, "%s%s\n#endif\n", fmt.Sprintf(headerStart, guard), b.String())
}

// cName is the symbol of a kernel as an identifier.
func cName(symbol string) string {
	if symbol == "" || symbol[0] >= '0' && symbol[0] <= '9' {
		return "k" + symbol
	}
	return symbol
}

// cKernel writes what the header has of a kernel.
type cKernel struct {
	*engine.Interface
	name string
	b    *bytes.Buffer
}

func (k *cKernel) printf(format string, args ...any) { fmt.Fprintf(k.b, format, args...) }

func (k *cKernel) write(files []ManifestFile) {
	k.printf("\n/* %s", comment(k.Kernel))
	if k.Position != "" {
		k.printf(", %s", comment(k.Position))
	}
	k.printf(". */\ntypedef struct {\n")
	for i := range k.Params {
		p := &k.Params[i]
		k.printf("\t%s %s; /* %s */\n", p.C, p.Name, about(p))
	}
	if len(k.Params) == 0 {
		k.printf("\tchar none; /* it has no parameters */\n")
	}
	k.printf("} %s_args;\n\n", k.name)
	k.writeCode(files)
	k.writeCheck()
	if len(k.Grids) > 0 {
		k.writeGrid()
	}
	k.writeLaunch()
}

// writeCode writes the list of files. Those that take tensor maps are for devices of this module.
func (k *cKernel) writeCode(files []ManifestFile) {
	n := 0
	k.printf("static inline const cutile_code *%s_code(size_t *n)\n{\n\tstatic const cutile_code list[] = {\n", k.name)
	for _, f := range files {
		if f.Code != k.Code || f.Target == "" || f.Own != nil && len(f.Own.Tensors) > 0 {
			continue
		}
		block, shared, ptx := [3]uint32{1, 1, 1}, uint32(0), 0
		if f.Own != nil {
			block, shared, ptx = f.Own.Block, f.Own.Shared, f.Own.PTX
		}
		k.printf("\t\t{\"%s\", \"%s\", \"%s\", %d, {%d, %d, %d}, %d},\n", f.File, f.Target, f.Kernel, ptx, block[0], block[1], block[2], shared)
		n++
	}
	k.printf("\t\t{NULL, NULL, NULL, 0, {0, 0, 0}, 0},\n\t};\n\tif (n)\n\t\t*n = %d;\n\treturn list;\n}\n\n", n)
}

// about says what a parameter is, and what its values have to be.
func about(p *engine.CallParam) string {
	what := map[string]string{
		engine.PointerParam: "the first element of " + p.Source + ", of type " + p.Type + ": " + p.Access,
		engine.ScalarParam:  p.Source + ", of type " + p.Type,
	}[p.Kind]
	if p.Axis != nil {
		what = fmt.Sprintf("the %s of axis %d of %s", p.Kind, *p.Axis, p.Source)
	}
	if len(p.Tile) > 0 {
		what += fmt.Sprintf(", in tiles of %s elements", strings.ReplaceAll(strings.Trim(fmt.Sprint(p.Tile), "[]"), " ", "x"))
	}
	if p.Nonnegative && p.Equals == nil {
		what += "; not negative"
	}
	if p.Multiple > 1 {
		what += fmt.Sprintf("; a multiple of %d", p.Multiple)
	}
	if p.Equals != nil {
		what += fmt.Sprintf("; %d", *p.Equals)
	}
	return comment(what)
}

// comment is a text that may stand in a comment.
func comment(s string) string { return strings.ReplaceAll(s, "*/", "* /") }
