// What lies inside is promised along each axis, of views of one axis and of two.
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %a, %b = load_view_tko weak %w[%n] inbounds = [true] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %c = store_view_tko weak %a, %w[%n] token = %b inbounds = [false] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %x = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %y = make_partition_view %x : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>
    %d, %e = load_view_tko weak %y[%n, %n] inbounds = [true, false] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  }
}
