// Places that only text holds: with names, fused, with metadata, ranges, and these in calls.
cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    %0 = addi %x, %x : tile<i32> loc("a name")
    %1 = addi %x, %x : tile<i32> loc("around"("f":1:2))
    %2 = addi %x, %x : tile<i32> loc(fused["f":1:2, "g":3:4])
    %3 = addi %x, %x : tile<i32> loc(fused<"why">["f":1:2, loc(unknown)])
    %4 = addi %x, %x : tile<i32> loc(callsite("callee"("f":1:2) at "g":3:4))
    %5 = addi %x, %x : tile<i32> loc("f":1:2 to 3:4)
    return
  }
}
