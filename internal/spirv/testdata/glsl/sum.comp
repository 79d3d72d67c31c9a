#version 460
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(push_constant, scalar) uniform Arguments { Floats from; Floats to; uint n; } args;
shared float parts[64];
void main() {
    float sum = 0;
    for (uint i = gl_GlobalInvocationID.x; i < args.n; i += gl_NumWorkGroups.x * 64) {
        if (isnan(args.from.at[i])) continue;
        if (args.from.at[i] > 1e30) break;
        sum += args.from.at[i];
    }
    sum = subgroupAdd(sum) + subgroupShuffleXor(sum, 1);
    if (subgroupBallot(sum > 0).x != 0 && subgroupElect()) parts[gl_SubgroupID] = sum;
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        sum = 0;
        for (uint i = 0; i < gl_NumSubgroups; ++i) sum += parts[i];
        args.to.at[gl_WorkGroupID.x] = sum;
    }
}
