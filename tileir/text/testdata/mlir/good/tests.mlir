// What only the dialect's own tests have: functions, operations outside of one and of other dialects.
cuda_tile.module @m {
  testing$func @f(%v: tensor_view<4xf32, strides=[1]>, %i: i32) -> (tile<i32>, tile<i1>) {
    %0:2 = "other.op"(%i) ({
      "other.end"() : () -> ()
    }) {what = "this"} : (i32) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i1>)
    return %0#0, %0#1 : tile<i32>, tile<i1>
  }
}

// -----

%0 = cuda_tile.constant <i32: 4> : !cuda_tile.tile<i32>
%1 = "other.op"(%0) : (!cuda_tile.tile<i32>) -> f32
