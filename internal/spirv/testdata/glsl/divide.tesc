#version 450
layout(vertices = 3) out;
layout(location = 0) in vec3 from[];
layout(location = 0) out vec3 to[];
layout(location = 1) patch out float weight;
void main() {
    to[gl_InvocationID] = from[gl_InvocationID];
    barrier();
    if (gl_InvocationID == 0) {
        weight = distance(to[0], to[1]);
        gl_TessLevelOuter[0] = weight;
        gl_TessLevelInner[0] = max(weight, 1.0);
    }
}
