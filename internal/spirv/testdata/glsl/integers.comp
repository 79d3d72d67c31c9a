#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x_id = 7, local_size_y = 2) in;
layout(constant_id = 1) const int count = -5;
layout(constant_id = 2) const bool flag = true;
layout(constant_id = 3) const double big = 1e300;
const int twice = count * 2 + 1;
layout(std430, binding = 0) buffer B { int8_t a[]; } b;
layout(std430, binding = 1) buffer C { uint64_t total; int16_t s[4]; float16_t h[2]; double d; } c;
int64_t chosen(int x) {
    switch (x) {
    case -1: return -1l;
    case 7: x += twice; // falls through
    case 8: return int64_t(x) << 40;
    default: return flag ? 0x7fffffffffffffffl : 1l;
    }
}
void main() {
    int64_t v = chosen(int(b.a[gl_GlobalInvocationID.x]));
    int8_t small = int8_t(v);
    do { small >>= 1; } while (small > int8_t(3));
    atomicAdd(c.total, uint64_t(v));
    atomicCompSwap(c.total, 3ul, 0xfffffffffffffffful);
    c.s[1] = int16_t(-32768) / c.s[0];
    c.h[0] = float16_t(1.5) * c.h[1] + float16_t(6e-8);
    c.d = sqrt(c.d) / big + 1.0lf / 3.0lf;
    b.a[0] = small;
}
