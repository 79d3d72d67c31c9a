package kernels_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/argmax"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/conv"
	"github.com/cutile-go/cutile/kernels/delta"
	"github.com/cutile-go/cutile/kernels/dropout"
	"github.com/cutile-go/cutile/kernels/embedding"
	"github.com/cutile-go/cutile/kernels/fft"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/hyper"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/kvcache"
	"github.com/cutile-go/cutile/kernels/loss"
	"github.com/cutile-go/cutile/kernels/moe"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/optim"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/pool"
	"github.com/cutile-go/cutile/kernels/qkv"
	"github.com/cutile-go/cutile/kernels/quant"
	"github.com/cutile-go/cutile/kernels/rope"
	"github.com/cutile-go/cutile/kernels/sample"
	"github.com/cutile-go/cutile/kernels/softmax"
	"github.com/cutile-go/cutile/kernels/transpose"
)

// queued are all functions that queue ready kernels, by the name that their errors begin with.
var queued = map[string]any{
	"argmax.Run": argmax.Run[float32], "argmax.RunHead": argmax.RunHead[float32],
	"attention.Run": attention.Run[float32], "attention.RunDecode": attention.RunDecode[float32],
	"attention.RunMasked": attention.RunMasked[float32], "attention.RunDecodeMasked": attention.RunDecodeMasked[float32],
	"attention.RunDecodeLatent": attention.RunDecodeLatent[float32], "attention.RunDecodeLatentPaged": attention.RunDecodeLatentPaged[float32],
	"attention.RunNeighbours": attention.RunNeighbours[float32], "attention.RunSelected": attention.RunSelected[float32],
	"attention.RunRagged": attention.RunRagged[float32], "attention.RunPaged": attention.RunPaged[float32],
	"attention.RunDecodePaged": attention.RunDecodePaged[float32],
	"attention.RunSaving":      attention.RunSaving[float32], "attention.RunBackward": attention.RunBackward[float32],
	"conv.Run": conv.Run[float32], "conv.RunTransposed": conv.RunTransposed[float32],
	"conv.InputGradient": conv.InputGradient[float32], "conv.WeightGradient": conv.WeightGradient[float32], "conv.BiasGradient": conv.BiasGradient[float32],
	"attention.RunSavingMasked": attention.RunSavingMasked[float32], "attention.RunBackwardMasked": attention.RunBackwardMasked[float32],
	"delta.Run": delta.Run[float32], "delta.RunSteps": delta.RunSteps[float32],
	"dropout.Run": dropout.Run[float32], "dropout.RunMasked": dropout.RunMasked[float32],
	"embedding.Run": embedding.Run[float32], "embedding.AddGradient": embedding.AddGradient[float32],
	"embedding.RunBag": embedding.RunBag[float32], "embedding.RunBagMax": embedding.RunBagMax[float32], "embedding.AddBagGradient": embedding.AddBagGradient[float32],
	"embedding.AddBagMaxGradient": embedding.AddBagMaxGradient[float32], "embedding.BagWeightGradient": embedding.BagWeightGradient[float32],
	"fft.Plan.Forward": (*fft.Plan).Forward, "fft.Plan.Inverse": (*fft.Plan).Inverse,
	"gemm.Run": gemm.Run[float32, float32], "gemm.RunPersistent": gemm.RunPersistent[float32, float32],
	"gemm.RunBatched": gemm.RunBatched[float32, float32], "gemm.RunLinear": gemm.RunLinear[float32, float32, float32],
	"gemm.RunTF32": gemm.RunTF32, "gemm.RunFloat64": gemm.RunFloat64, "gemm.RunInt8": gemm.RunInt8, "gemm.RunSplitK": gemm.RunSplitK[float32, float32],
	"gemm.RunScaled": gemm.RunScaled[float32, float32], "gemm.RunSeveral": gemm.RunSeveral[float32, float32],
	"gemm.RunRagged": gemm.RunRagged[float32, float32], "gemm.RunMasked": gemm.RunMasked[float32, float32],
	"gemm.RaggedWeights": gemm.RaggedWeights[float32, float32], "gemm.MaskedWeights": gemm.MaskedWeights[float32, float32],
	"hyper.RunWidth": hyper.RunWidth[float32], "hyper.RunDepth": hyper.RunDepth[float32], "hyper.RunFactors": hyper.RunFactors[float32],
	"hyper.RunWidthBackward": hyper.RunWidthBackward[float32], "hyper.RunDepthBackward": hyper.RunDepthBackward[float32],
	"loss.Run": loss.Run[float32], "loss.Backward": loss.Backward[float32],
	"loss.CrossEntropy": loss.CrossEntropy[float32], "loss.CrossEntropyBackward": loss.CrossEntropyBackward[float32],
	"loss.LinearCrossEntropy": loss.LinearCrossEntropy[float32], "loss.LinearCrossEntropyBackward": loss.LinearCrossEntropyBackward[float32],
	"loss.GRPO": loss.GRPO[float32], "loss.GRPOBackward": loss.GRPOBackward[float32],
	"kvcache.Run": kvcache.Run[float32], "moe.Run": moe.Run[float32], "moe.RunCombine": moe.RunCombine[float32],
	"moe.RunChoose": moe.RunChoose[float32], "moe.RunChooseBackward": moe.RunChooseBackward[float32, float32], "moe.RunSort": moe.RunSort,
	"moe.RunSpread": moe.RunSpread[float32], "moe.RunCollect": moe.RunCollect[float32], "moe.RunWeightGradient": moe.RunWeightGradient[float32],
	"moe.RunMixture": moe.RunMixture[float32], "moe.RunMixtureBackward": moe.RunMixtureBackward[float32],
	"norm.RMS": norm.RMS[float32], "norm.AddRMS": norm.AddRMS[float32], "norm.RMSBackward": norm.RMSBackward[float32],
	"norm.Layer": norm.Layer[float32], "norm.AddLayer": norm.AddLayer[float32], "norm.LayerBackward": norm.LayerBackward[float32], "norm.LayerBackwardAdd": norm.LayerBackwardAdd[float32],
	"norm.RMSOffset": norm.RMSOffset[float32], "norm.RMSOffsetBackward": norm.RMSOffsetBackward[float32], "norm.RMSAdd": norm.RMSAdd[float32],
	"norm.GatedRMS": norm.GatedRMS[float32], "norm.GatedRMSBackward": norm.GatedRMSBackward[float32],
	"norm.DynamicTanh": norm.DynamicTanh[float32], "norm.DynamicTanhBackward": norm.DynamicTanhBackward[float32],
	"norm.Poly": norm.Poly[float32], "norm.PolyBackward": norm.PolyBackward[float32],
	"norm.Batch": norm.Batch[float32], "norm.BatchTraining": norm.BatchTraining[float32], "norm.BatchBackward": norm.BatchBackward[float32],
	"norm.Group": norm.Group[float32], "norm.GroupBackward": norm.GroupBackward[float32],
	"optim.SGD": optim.SGD[float32], "optim.Adam": optim.Adam[float32], "optim.AdamW": optim.AdamW[float32], "optim.Lion": optim.Lion[float32],
	"pointwise.Run": pointwise.Run[float32, float32], "pointwise.RunZip": pointwise.RunZip[float32, float32],
	"pointwise.RunAXPY": pointwise.RunAXPY[float32], "pointwise.RunSiLUMul": pointwise.RunSiLUMul[float32],
	"pointwise.RunRamp": pointwise.RunRamp[float32], "pointwise.RunEye": pointwise.RunEye[float32],
	"pool.Max": pool.Max[float32], "pool.MaxBackward": pool.MaxBackward[float32], "pool.Mean": pool.Mean[float32], "pool.MeanBackward": pool.MeanBackward[float32],
	"pool.Adaptive": pool.Adaptive[float32], "pool.AdaptiveBackward": pool.AdaptiveBackward[float32],
	"pointwise.RunGated": pointwise.RunGated[float32], "pointwise.RunGatedBackward": pointwise.RunGatedBackward[float32],
	"qkv.Run":             qkv.Run[float32],
	"quant.RunRoundMXFP8": quant.RunRoundMXFP8[float32], "quant.RunRoundNVFP4": quant.RunRoundNVFP4[float32],
	"quant.RunLinearMXFP8": quant.RunLinearMXFP8[float32], "quant.RunLinearNVFP4": quant.RunLinearNVFP4[float32],
	"quant.RunRoundFP8": quant.RunRoundFP8[float32], "quant.RunLinearFP8": quant.RunLinearFP8[float32],
	"quant.RunLinearInt8": quant.RunLinearInt8[float32, float32], "quant.RunLinearInt4": quant.RunLinearInt4[float32, float32],
	"sample.Run": sample.Run[float32],
	"rope.Run":   rope.Run[float32], "rope.RunRows": rope.RunRows[float32], "rope.RunBoth": rope.RunBoth[float32],
	"rope.RunSections": rope.RunSections[float32], "rope.RunRounded": rope.RunRounded[float32],
	"softmax.Run": softmax.Run[float32], "softmax.Backward": softmax.Backward[float32],
	"softmax.Sparsemax": softmax.Sparsemax[float32], "softmax.SparsemaxBackward": softmax.SparsemaxBackward[float32],
	"transpose.Run": transpose.Run[float32], "transpose.RunPermute": transpose.RunPermute[float32],
}

// TestWrongArguments: tensors that are nil, and ones of shapes that fit nothing, are refused in the name of the function
// that was called, each by itself and all together.
func TestWrongArguments(t *testing.T) {
	dev := kerneltest.CPU(t)
	plan, err := fft.NewPlan(dev, 8)
	kerneltest.Must(t, err)
	for name, f := range queued {
		v := reflect.ValueOf(f)
		var args []reflect.Value
		var pointers []int
		for i := range v.Type().NumIn() {
			if i == v.Type().NumIn()-1 && v.Type().IsVariadic() {
				break
			}
			args = append(args, argument(dev, plan, v.Type().In(i), i))
			if k := args[i].Kind(); k == reflect.Pointer && args[i].Interface() != any(plan) {
				pointers = append(pointers, i)
			}
		}
		refused := func(how string, args []reflect.Value) {
			t.Helper()
			err, _ := v.Call(args)[0].Interface().(error)
			if !errors.Is(err, cutile.ErrMismatch) || !strings.HasPrefix(err.Error(), name+": ") {
				t.Errorf("%s with %s: %v", name, how, err)
			}
		}
		refused("shapes that do not fit", args)
		for i, a := range args {
			if a.Type() == reflect.TypeFor[*cutile.Device]() {
				nowhere := append([]reflect.Value(nil), args...)
				nowhere[i] = reflect.Zero(v.Type().In(i))
				refused("a nil target", nowhere)
			}
		}
		none := append([]reflect.Value(nil), args...)
		for _, i := range pointers {
			one := append([]reflect.Value(nil), args...)
			one[i] = reflect.Zero(one[i].Type())
			none[i] = one[i]
			refused("a nil tensor", one)
		}
		refused("nil tensors", none)
	}
}

// argument is the number i of a call: a tensor of an axis too many and a shape of its own, or the zero value.
func argument(dev *cutile.Device, plan *fft.Plan, t reflect.Type, i int) reflect.Value {
	shape := []int{1, 2, 1, 3, 1, i + 1}
	var x any
	var err error
	switch reflect.Zero(t).Interface().(type) {
	case *cutile.Tensor[float32]:
		x, err = cutile.NewTensor[float32](dev, shape...)
	case *cutile.Tensor[float64]:
		x, err = cutile.NewTensor[float64](dev, shape...)
	case *cutile.Tensor[int32]:
		x, err = cutile.NewTensor[int32](dev, shape...)
	case *cutile.Tensor[dtype.Float8E4M3FN]:
		x, err = cutile.NewTensor[dtype.Float8E4M3FN](dev, shape...)
	case *cutile.Tensor[int8]:
		x, err = cutile.NewTensor[int8](dev, shape...)
	case *fft.Plan:
		x = plan
	default:
		switch t {
		case reflect.TypeFor[context.Context]():
			x = context.Background()
		case reflect.TypeFor[cutile.Target]():
			x = dev
		default:
			return reflect.Zero(t)
		}
	}
	if err != nil {
		panic(err)
	}
	return reflect.ValueOf(x)
}

// TestQueuedIsComplete: every exported function of a ready kernel that queues something is in the list.
func TestQueuedIsComplete(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	kerneltest.Must(t, err)
	found := 0
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		kerneltest.Must(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || len(fn.Type.Params.List) < 2 {
				continue
			}
			if s, ok := fn.Type.Params.List[1].Type.(*ast.SelectorExpr); !ok || s.Sel.Name != "Target" {
				continue
			}
			found++
			name := path.Dir(filepath.ToSlash(file)) + "."
			if fn.Recv != nil {
				name += fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name + "."
			}
			if name += fn.Name.Name; queued[name] == nil {
				t.Errorf("%s is not in the list of this test", name)
			}
		}
	}
	if found != len(queued) {
		t.Errorf("%d functions queue ready kernels, the list has %d", found, len(queued))
	}
}
