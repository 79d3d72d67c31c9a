package cuda_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// gemm multiplies a (64,k) by b (k,64), where k is a multiple of 8: arguments are a, its k and stride, b, its k and stride, and c.
func gemm(t *testing.T) *tileir.Module {
	t.Helper()
	m, err := text.Parse(`entry @gemm(%a: tile<ptr<f16>>, %ak: tile<i32>, %as: tile<i32>, %b: tile<ptr<f16>>, %bk: tile<i64>, %bs: tile<i64>, %c: tile<ptr<f32>>) {
  %0 = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %ka = assume div_by<8>, %ak : tile<i32>
  %sa = assume div_by<8>, %as : tile<i32>
  %pb = assume div_by<16>, %b : tile<ptr<f16>>
  %sb = assume div_by<8>, %bs : tile<i64>
  %ta = make_tensor_view %pa, shape = [64, %ka], strides = [%sa, 1] : tile<i32> -> tensor_view<64x?xf16, strides=[?,1]>
  %va = make_partition_view %ta : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>>
  %tb = make_tensor_view %pb, shape = [%bk, 64], strides = [%sb, 1] : tile<i64> -> tensor_view<?x64xf16, strides=[?,1]>
  %vb = make_partition_view %tb : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x64xf16, strides=[?,1]>>
  %tc = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %vc = make_partition_view %tc : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
  %n:2 = get_index_space_shape %va : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>> -> tile<i32>
  %zero = constant <f32: 0.0> : tile<64x64xf32>
  %first = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %sum = for %i in (%first to %n#1, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
    %x, %tx = load_view_tko weak %va[%first, %i] token = %0 : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
    %y, %ty = load_view_tko weak %vb[%i, %first] token = %0 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x64xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
    %next = mmaf %x, %y, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %1 = store_view_tko weak %sum, %vc[%first, %first] token = %0 : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}`, text.ParseOptions{})
	check(t, err)
	return m
}

// halves are matrices of ones and twos, by the bits of float16.
func halves(n int) []byte {
	out := make([]byte, 2*n)
	for i := range n {
		binary.LittleEndian.PutUint16(out[2*i:], []uint16{0x3c00, 0x4000, 0x4000}[i*i%7%3])
	}
	return out
}

func number(half []byte, i int) float32 {
	return map[uint16]float32{0x3c00: 1, 0x4000: 2}[binary.LittleEndian.Uint16(half[2*i:])]
}

// TestTensorMaps: launches of a kernel that takes tensor maps give the right product, also those for which there are none; maps are encoded
// once for the same tensors.
func TestTensorMaps(t *testing.T) {
	noTools(t)
	const most = 96
	for _, c := range []struct {
		name          string
		old           bool // the driver knows no tensor maps
		k, stride     int  // of a
		maps, modules int  // what the driver is asked for in two launches
	}{
		{"whole", false, 96, 96, 2, 1},
		{"ragged", false, 40, 96, 2, 1},
		{"no elements", false, 0, 96, 0, 2},
		{"one row for all", false, 64, 0, 0, 2},
		{"rows backward", false, 64, -8, 0, 2},
		{"old driver", true, 96, 96, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			gpu := &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 20}, CUDA: 13040}
			drv := gpu.Driver()
			d, err := cuda.Open(0, cuda.Options{Driver: drv, Choice: cuda.AssemblerOwn})
			check(t, err)
			k, err := d.Compile(background, gemm(t), "gemm")
			check(t, err)
			s, x, y, z := newStream(t, d), alloc(t, d, 2*64*most), alloc(t, d, 2*64*most), alloc(t, d, 4*64*64)
			a, b := halves(64*most), halves(64 * most)[64:]
			b = append(b, halves(32)...)
			check(t, s.Write(x, 0, a))
			check(t, s.Write(y, 0, b))
			origin := 0
			if c.stride < 0 {
				origin = 63 * -c.stride
			}
			var want []float32
			for i := range 64 * 64 {
				sum := float32(0)
				for p := range c.k {
					sum += number(a, origin+i/64*c.stride+p) * number(b, p*64+i%64)
				}
				want = append(want, sum)
			}
			for range 2 {
				if c.old {
					drv.Fail("cuTensorMapEncodeTiled", 1, cudrv.NotFound)
				}
				args := []uint64{x.Address() + uint64(2*origin), uint64(c.k) | 0xdead<<32, uint64(uint32(int32(c.stride))), y.Address(), uint64(c.k), 64, z.Address()}
				check(t, s.Launch(k, one, args))
				got := make([]byte, 4*64*64)
				check(t, s.Read(t.Context(), got, z, 0))
				if !bytes.Equal(got, floats(want...)) {
					t.Errorf("a wrong product; %v", gpu.Faults())
				}
			}
			count := func(name string) (n int) {
				for _, call := range drv.Trace() {
					if call.Name == name {
						n++
					}
				}
				return n
			}
			if got, want := []int{count("cuTensorMapEncodeTiled"), count("cuModuleLoadDataEx")}, []int{c.maps, c.modules}; !slices.Equal(got, want) {
				t.Error(fmt.Sprintf("%d maps and modules, want %d", got, want))
			}
			check(t, k.Close())
			check(t, d.Close())
			if leaks := drv.Leaks(); len(leaks) > 0 {
				t.Errorf("leaks: %v", leaks)
			}
		})
	}
}

// TestExportWithoutMaps: programs that launch exported code need not know of tensor maps; what is recorded for devices of this package has
// machine code with them, too.
func TestExportWithoutMaps(t *testing.T) {
	t.Setenv("CUTILE_PTXAS", testenv.Tool(t, toolchain.Ptxas))
	t.Setenv("CUTILE_CUOBJDUMP", testenv.Tool(t, toolchain.Cuobjdump))
	t.Setenv("CUTILE_CACHE", t.TempDir())
	t.Setenv(cuda.AssemblerEnv, cuda.AssemblerOwn)
	out := t.TempDir()
	check(t, cuda.Export(background, nil, gemm(t), "gemm", out, []string{"sm_90"}))
	m := manifest(t, out)
	if len(m.Files) != 1 || m.Files[0].Own == nil || m.Files[0].Own.Tensors != nil {
		t.Fatalf("the manifest is %+v", m)
	}
	check(t, cuda.Record(background, gemm(t), "gemm", out, []string{"sm_90"}))
	m = manifest(t, out)
	if len(m.Files) != 2 {
		t.Fatalf("the manifest is %+v", m)
	}
	for _, f := range m.Files {
		cubin, err := os.ReadFile(filepath.Join(out, f.File))
		check(t, err)
		sass := assemble.Run(t, toolchain.Cuobjdump, cubin, "-sass")
		if boxes := f.Own.Tensors != nil; !strings.Contains(sass, "HGMMA") || strings.Contains(sass, "UTMALDG") != boxes || strings.HasSuffix(f.File, ".own.tensors.cubin") != boxes {
			t.Errorf("%s has no warp group matrix instructions, or copies boxes of tensors unasked", f.File)
		}
	}
}
