"""Writes grids.txt from the tables in pip's gguf: a line for each grid, with its name and its packed values in hexadecimal."""
import gguf.quants as q

with open("grids.txt", "w") as f:
    for name in ("IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ1_S"):
        cls = q._type_traits[q.GGMLQuantizationType[name]]
        f.write(f"{name} {bytes(cls.grid_hex).decode()}\n")
