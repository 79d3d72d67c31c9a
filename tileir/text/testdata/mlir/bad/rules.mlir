// Texts that can be read, and break a rule.

cuda_tile.module @m {
  // error 3: an entry returns nothing, but it has 1 results
  entry @k(%x: tile<i32>) -> tile<i32> {
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%c: tile<i1>, %x: tile<i32>) {
    // error 5: what a side yields: value 0: expected tile<i32>, but found tile<i1>
    %0 = if %c -> (tile<i32>) {
      yield %c : tile<i1>
    } else {
      yield %x : tile<i32>
    }
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // error 5: attribute overflow: no_unsigned_wrap means nothing
    %0 = "cuda_tile.negi"(%x) <{overflow = #cuda_tile.overflow<no_unsigned_wrap>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// -----

#file = #cuda_tile.di_file<"k.py" in "/src">
#fn = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #cuda_tile.di_compile_unit<file = #file>>
cuda_tile.module @m {
  entry @k() {
    // error 5: the position lies in a function, but the entry's position does not
    return loc(#cuda_tile.di_loc<loc("k.py":2:3) in #fn>)
  } loc(unknown)
}

// -----

#file = #cuda_tile.di_file<"k.py" in "/src">
#fn = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #cuda_tile.di_compile_unit<file = #file>>
cuda_tile.module @m {
  // error 3: global g: its position lies in a function, which no global can
  global @g <i32: 1> : tile<1xi32> loc(#cuda_tile.di_loc<loc("k.py":2:3) in #fn>)
}

// -----

cuda_tile.module @m {
  // warning 3: the entry: unknown hint "ocupancy" here
  entry @k() optimization_hints=<sm_90 = {ocupancy = 2}> {}
}

// -----

cuda_tile.module @m {
  // warning 3: the entry: hint occupancy: expected 1 to 32, but found 64
  entry @k() optimization_hints=<sm_90 = {occupancy = 64}> {}
}

// -----

cuda_tile.module @m {
  // warning 3: the entry: hints for "sm_90a": expected default or sm_ and a number
  entry @k() optimization_hints=<sm_90a = {occupancy = 2}> {}
}
