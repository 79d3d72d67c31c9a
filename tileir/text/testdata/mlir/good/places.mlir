// Debug information: files, units, functions, blocks, places in them, inlined calls; aliases before and after their use.
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#fn = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit, scopeLine = 2>
!row = !cuda_tile.tile<4xf32>
cuda_tile.module @m {
  entry @k(%x: tile<i32> loc("k.py":1:9)) {
    %0 = constant <f32: 1.5> : !row loc(#inner)
    %1 = addi %x, %x : tile<i32> loc(callsite(#cuda_tile.di_loc<"lib.py":7:3 in #helper> at #at))
    %2 = addi %1, %x : tile<i32> loc(callsite(#cuda_tile.di_loc<loc("lib.py":8:3) in #helper> at callsite(#cuda_tile.di_loc<loc("lib.py":9:3) in #helper> at #at)))
    return loc(unknown)
  } loc(#at)
} loc(unknown)
#helper = #cuda_tile.di_subprogram<file = #cuda_tile.di_file<"lib.py" in "/src">, line = 6, name = "helper", linkageName = "_helper", compileUnit = #unit>
#block = #cuda_tile.di_lexical_block<scope = #fn, file = #file, line = 3, column = 4>
#inner = #cuda_tile.di_loc<loc("k.py":5:6) in #block>
#at = #cuda_tile.di_loc<loc("k.py":1:1) in #fn>
