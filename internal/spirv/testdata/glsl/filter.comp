#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 8, local_size_y = 8) in;
struct Part { vec3 at; mat2 turn; float weights[3]; };
layout(set = 0, binding = 0, std140) uniform Parts { Part parts[4]; uint count; } u;
layout(set = 0, binding = 1, std430) readonly buffer Source { vec4 at[]; } source;
layout(set = 0, binding = 2, std430) buffer Target { uint total; float sum; vec4 at[]; } target;
layout(set = 0, binding = 3, rgba16f) uniform image2D picture;
layout(set = 0, binding = 4) uniform sampler2D samples[2];
const float table[4] = float[](0.5, 1.0, -2.0, 1e-3);
shared vec4 tile[8][8];
shared uint seen;
Part chosen(uint i) {
    i = i < u.count ? i : 0;
    return Part(u.parts[i].at, u.parts[i].turn, float[](u.parts[i].weights[0], 1, 2));
}
float turn(inout vec2 v, Part p) {
    v = p.turn * v;
    float sum = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            if (p.weights[j] < 0) break;
            if (p.weights[i] == p.weights[j]) continue;
            sum += p.weights[i] * table[j];
        }
        if (sum > 10) return -sum;
    }
    return sum;
}
void main() {
    uvec2 l = gl_LocalInvocationID.xy;
    uint n = source.at.length();
    vec4 v = source.at[gl_GlobalInvocationID.x % n];
    switch (u.count & 7) {
    case 0: v.x += 1; break;
    case 1: v.y += turn(v.xz, chosen(l.x));
    case 2: v.zw = fract(v.xy) + vec2(isinf(v.x) ? 1.0 : 0.0, gl_NumSubgroups); break;
    default: while (any(greaterThan(v, vec4(1)))) v *= 0.5;
    }
    tile[l.y][l.x] = v;
    if (gl_LocalInvocationIndex == 0) atomicStore(seen, 0u, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelease);
    memoryBarrierShared();
    barrier();
    v += tile[l.x][l.y] * textureLod(samples[0], v.xy, 0).x;
    v.x += subgroupClusteredAdd(v.x, 4) + subgroupQuadSwapHorizontal(v.y) + subgroupShuffleUp(v.z, 1);
    atomicAdd(target.total, uint(subgroupExclusiveMax(uint(v.x))));
    atomicAdd(target.sum, cross(v.xyz, v.yzx).x);
    imageStore(picture, ivec2(l), v + imageLoad(picture, ivec2(l.yx)));
    vec2 whole;
    target.at[gl_GlobalInvocationID.x] = vec4(modf(v.xy, whole), unpackHalf2x16(packHalf2x16(whole)));
}
