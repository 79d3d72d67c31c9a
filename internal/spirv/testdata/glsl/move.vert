#version 450
layout(location = 0) in vec3 position;
layout(location = 3) in ivec4 bones;
layout(location = 0) out vec2 uv;
layout(push_constant) uniform P { mat4 transforms[2]; float time; } p;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
mat2 turn(float a) { return mat2(cos(a), -sin(a), sin(a), cos(a)); }
void main() {
    uv = turn(p.time) * position.xy;
    mat4 m = inverse(transpose(p.transforms[bones.x & 1]));
    gl_Position = m * vec4(position, 1);
    gl_PointSize = float(gl_VertexIndex % 3 + gl_InstanceIndex);
    gl_ClipDistance[0] = determinant(m);
    int power;
    gl_ClipDistance[1] = frexp(position.z, power) + float(power) + uintBitsToFloat(0x7fc00001u);
}
