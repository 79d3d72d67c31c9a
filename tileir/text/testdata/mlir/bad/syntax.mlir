// Each fault stands in the line after the comment, which names its column and begins what is said of it.

cuda_tile.module @m {
  // error 3: expected entry, global or an alias such as #loc, but found "frob"
  frob @k() {}
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // error 10: expected the name of an operation
    %0 = cuda_tile.frob %x : tile<i32>
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // error 10: expected an operation of cuda_tile, but found "other.op"
    %0 = "other.op"(%x) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// -----

cuda_tile.module @m {
  // error 16: !t is not defined
  entry @k(%x: !t) {}
}

// -----

!t = !cuda_tile.tile<i32>
// error 1: !t is already defined
!t = !cuda_tile.tile<i64>

// -----

cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // error 19: the value has type tile<i32>, but the text says tile<i64>
    %0 = addi %x, %x : tile<i64>
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // error 27: %y is not defined here
    %0 = "cuda_tile.negi"(%y) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // error 10: there are 1 operands, but 2 types of operands
    %0 = "cuda_tile.negi"(%x) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // error 10: addi has 2 operands in the table, but found 1
    %0 = "cuda_tile.addi"(%x) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    // error 12: negi has 1 results, but 2 are named
    %0:2 = "cuda_tile.negi"(%x) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// -----

cuda_tile.module @m {
  entry @k(%c: tile<i1>) {
    // error 5: if has 2 regions, but found 1
    "cuda_tile.if"(%c) ({
      yield
    }) : (!cuda_tile.tile<i1>) -> ()
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    loop {
    ^bb0:
      continue
    // error 5: a region has one block
    ^bb1:
      continue
    }
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // error 25: expected a number of f32 with a point, such as 1.0
    %0 = constant <f32: 1> : tile<f32>
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    // error 32: a weak access has no scope
    %0, %t = load_ptr_tko weak device %p : tile<ptr<i32>> -> tile<i32>, token
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %0 = iota : tile<4xi32> loc(#a)
  }
}
// error 30: #b is not defined
#a = loc(callsite("f":1:2 at #b))
