// The dialect's name before operations and types, and in types of types; a module with its name and attributes.
cuda_tile.module @m attributes {producer = "made by hand", more = [1, 2]} {
  cuda_tile.global public @g <i8 : [1, 2, 0x7F, -1]> : !cuda_tile.tile<4xi8>
  global private constant @h alignment = 64 <f32: 0x7F800000> : tile<2xf32>
  cuda_tile.entry @k(%p: !cuda_tile.tile<!cuda_tile.ptr<f32>>, %n: tile<i32>) {
    %0 = cuda_tile.constant <i1: 1> : !cuda_tile.tile<i1>
    %1 = constant <f16: -70000.0> : tile<2xf16>
    %v = cuda_tile.make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : !cuda_tile.tile<i32> -> !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
    %w = make_partition_view %v : partition_view<tile=(4x8), padding_value = zero, !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>>
    %a = cuda_tile.assume #cuda_tile.div_by<16>, %n : tile<i32>
    %t, %done = cuda_tile.load_view_tko weak %w[%a, %n] : !cuda_tile.partition_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, !cuda_tile.tile<i32> -> !cuda_tile.tile<4x8xf32>, !cuda_tile.token
    cuda_tile.print_tko "%f\n", %t token = %done : !cuda_tile.tile<4x8xf32> -> !cuda_tile.token
  }
}
