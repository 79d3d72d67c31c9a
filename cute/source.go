package cute

import (
	"embed"
	"io/fs"

	"github.com/cutile-go/cutile/internal/langsrc"
)

// The files of the language. Everything else in this package is for the program that calls compiled functions.
//
//go:embed types.go tuple.go layout.go tensor.go program.go thread.go smem.go math.go bits.go warp.go reduce.go atomic.go sync.go copy.go tiled.go mma.go mbarrier.go cluster.go bulk.go wgmma.go tensormem.go pipeline.go gridsync.go
var files embed.FS

func init() {
	langsrc.Register(&langsrc.Source{Path: path, Dir: path, FS: []fs.FS{files}, Lang: true, Outside: outside})
}

// outside lists the names that only the other files declare, methods among them.
var outside = []string{
	"Align", "Call", "CompactDynamic", "Compile", "CompileStats", "Dynamic", "DynamicExpression", "Executor", "IntTuple.Err",
	"IntTuple.String", "Jit", "JitArgument", "JitOption", "KernelInfo", "Layout.Err", "Layout.String", "Mark", "Module", "O0", "O1", "O2", "O3", "Of", "Opt",
	"Options", "ParseOptions", "ParsePipeline", "Profile", "ProfileOptions", "Pruned", "RegisterAdapter", "Stages", "Static", "Stats", "Straight", "StreamOf",
	"Tensor.Err", "Tensor.String", "TensorMapOf",
}

const path = "github.com/cutile-go/cutile/cute"

// deviceOnly and hostOnly end a program that calls a word of the language as ordinary Go.
const (
	deviceOnly = "cute: this runs on a device: call it in a kernel, and the kernel's host function through cute.Jit"
	hostOnly   = "cute: Launch is called outside of compiled code: call the host function through cute.Jit"
)
