package tileblas

import "gonum.org/v1/gonum/blas"

// Dgemm computes C = alpha·op(A)·op(B) + beta·C. See blas.Float64Level3.
func (x *Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if x.tiny(m, n, k) || !x.double.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		x.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Sgemm computes C = alpha·op(A)·op(B) + beta·C. See blas.Float32Level3.
func (x *Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if x.tiny(m, n, k) || !x.single.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		x.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsymm computes C = alpha·A·B + beta·C or alpha·B·A + beta·C for a symmetric matrix A. See blas.Float64Level3.
func (x *Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if x.tiny(m, n, max(m, n)) || !x.double.symm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		x.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ssymm computes C = alpha·A·B + beta·C or alpha·B·A + beta·C for a symmetric matrix A. See blas.Float32Level3.
func (x *Implementation) Ssymm(s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if x.tiny(m, n, max(m, n)) || !x.single.symm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		x.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsyrk computes C = alpha·A·Aᵀ + beta·C or alpha·Aᵀ·A + beta·C for a symmetric matrix C. See blas.Float64Level3.
func (x *Implementation) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if x.tiny(n, n, k) && !keepsNaN(ul, t != blas.NoTrans, beta) || !x.double.syrk(ul, t, n, k, alpha, a, lda, beta, c, ldc) {
		x.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Ssyrk computes C = alpha·A·Aᵀ + beta·C or alpha·Aᵀ·A + beta·C for a symmetric matrix C. See blas.Float32Level3.
func (x *Implementation) Ssyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	if x.tiny(n, n, k) && !keepsNaN(ul, t != blas.NoTrans, beta) || !x.single.syrk(ul, t, n, k, alpha, a, lda, beta, c, ldc) {
		x.Implementation.Ssyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Dsyr2k computes C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C or alpha·(Aᵀ·B + Bᵀ·A) + beta·C for a symmetric matrix C. See blas.Float64Level3.
func (x *Implementation) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if x.tiny(n, n, k) || !x.double.syr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		x.Implementation.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ssyr2k computes C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C or alpha·(Aᵀ·B + Bᵀ·A) + beta·C for a symmetric matrix C. See blas.Float32Level3.
func (x *Implementation) Ssyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if x.tiny(n, n, k) || !x.single.syr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		x.Implementation.Ssyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dtrmm computes B = alpha·op(A)·B or alpha·B·op(A) for a triangular matrix A. See blas.Float64Level3.
func (x *Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if x.tiny(m, n, max(m, n)) || !x.double.trmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		x.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Strmm computes B = alpha·op(A)·B or alpha·B·op(A) for a triangular matrix A. See blas.Float32Level3.
func (x *Implementation) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if x.tiny(m, n, max(m, n)) || !x.single.trmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		x.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Dtrsm solves op(A)·X = alpha·B or X·op(A) = alpha·B for a triangular matrix A, and puts X in place of B. See blas.Float64Level3.
func (x *Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if x.tiny(m, n, max(m, n)) || !x.double.trsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		x.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Strsm solves op(A)·X = alpha·B or X·op(A) = alpha·B for a triangular matrix A, and puts X in place of B. See blas.Float32Level3.
func (x *Implementation) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if x.tiny(m, n, max(m, n)) || !x.single.trsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		x.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}
