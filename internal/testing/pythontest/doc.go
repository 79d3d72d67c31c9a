// Package pythontest runs the Python package cutile_cpu: kernels of cuTile Python on the CPU engine, against NumPy. The
// scripts are in python/tests and python/examples; they need a Python with cuda-tile, and no network.
package pythontest
