package kernels

import (
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/tuned"
)

// UseRecords has gemm.Run, softmax.Run and attention.Run take their tiles from records, where these have what was found for a device and for arguments
// of the same shapes. Searches that find it are those of gemm.Tuning, softmax.Tuning and attention.Tuning:
//
//	search, err := gemm.Tuning(dev, a, b, c)
//	search.Records = records // of cutile.OpenRecords
//	found, err := cutile.Tune(ctx, search)
//
// A program that ships embeds the file, and calls UseRecords with what [cutile.ReadRecords] reads. The first call for some shapes then takes some
// milliseconds longer, as the usual kernel is compiled to Tile IR, by which the records know it. With nil, which is how a program begins, the
// functions choose as without records.
func UseRecords(r *cutile.Records) { tuned.Use(r) }
