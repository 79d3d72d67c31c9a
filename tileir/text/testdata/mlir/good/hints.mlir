cuda_tile.module @m {
  entry @a(%x: tile<i32>) optimization_hints=<> {
  }
  entry @b(%x: tile<i32>) optimization_hints=<sm_100={num_cta_in_cga=2}, "sm_90" = {occupancy = 4 : i32}> {
  }
}
