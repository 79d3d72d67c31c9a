// The generic form: properties, attributes after regions, segments, labels of blocks, constants of MLIR.
"builtin.module"() <{sym_name = "outer"}> ({
  "cuda_tile.global"() <{sym_name = "g", value = dense<[1, 2]> : !cuda_tile.tile<2xi64>, alignment = 16 : i64, constant, symbol_visibility = #cuda_tile.symbol_visibility<private>}> : () -> ()
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.tile<ptr<f32>>, %x: !cuda_tile.tile<f32>):
    %0 = "cuda_tile.addf"(%x, %x) {rounding_mode = #cuda_tile.rounding<zero>, flush_to_zero} : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    %t, %done = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
    %c = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
    %m = "cuda_tile.constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : !cuda_tile.tile<2x2xf32>}> : () -> !cuda_tile.tile<2x2xf32>
    %q = "cuda_tile.permute"(%m) <{permutation = array<i32: 1, 0>}> : (!cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x2xf32>
    %r = "cuda_tile.reduce"(%q) <{dim = 0 : i32, identities = [0.000000e+00 : f32]}> ({
    ^bb0(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>):
      %s = addf %a, %b : tile<f32>
      "cuda_tile.yield"(%s) : (!cuda_tile.tile<f32>) -> ()
    }) : (!cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2xf32>
    "cuda_tile.if"(%c) ({
      "cuda_tile.yield"() : () -> ()
    }, {
    }) : (!cuda_tile.tile<i1>) -> ()
    %h = "cuda_tile.get_global"() <{name = @g}> : () -> !cuda_tile.tile<ptr<i64>>
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>) -> (), optimization_hints = #cuda_tile.optimization_hints<sm_90 = {occupancy = 2 : i32}>} : () -> ()
}) : () -> ()
