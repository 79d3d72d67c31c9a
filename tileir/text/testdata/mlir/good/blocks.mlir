// Blocks whose terminators are left out, results that nobody names, and regions in one another.
cuda_tile.module @blocks {
  entry @empty() {}
  entry @k(%x: tile<i32>) {
    %c = constant <i1: true> : tile<i1>
    addi %x, %x : tile<i32>
    if %c {
    } else {
      loop {
        if %c { break }
      }
    }
    for unsigned %i in (%x to %x, step %x) : tile<i32> iter_values(%s = %x) -> (tile<i32>) {
      continue %i : tile<i32>
    }
    %r:2 = if %c -> (tile<i32>, tile<i1>) {
      yield %x, %c : tile<i32>, tile<i1>
    } else {
      yield %x, %c : tile<i32>, tile<i1>
    }
    %l = loop iter_values(%y = %r#0) : tile<i32> -> tile<i1> {
      break %r#1 : tile<i1>
    }
    if %l { return }
  }
}
