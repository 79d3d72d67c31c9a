#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) flat in int layer;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) uniform sampler2DArrayShadow depth;
layout(set = 1, binding = 2, rgba8ui) uniform readonly uimage2D words;
layout(set = 1, binding = 3, std140) uniform Block { mat4 m; layout(row_major) mat3x2 n; vec3 parts[4]; bool on; } block;
vec3 tone(vec3 c, out float luma) {
    luma = dot(c, vec3(0.2126, 0.7152, 0.0722));
    return pow(c, vec3(1.0 / 2.2)) - 1e-20 + 3.4e38 * 0.0;
}
void main() {
    float luma;
    vec4 c = textureLod(image, uv, 0.5) + textureOffset(image, uv, ivec2(1, -1));
    c *= texture(depth, vec4(uv, layer, 0.25)) * float(imageLoad(words, ivec2(uv)).x);
    if (luma < 0.1 && block.on) discard;
    c.rgb = tone((block.m * c).xyz, luma) * block.parts[layer] + vec3(block.n * uv.xyx, dFdx(uv.x));
    colour = mix(c, vec4(luma), bvec4(c.x > 0, true, false, c.y != 0)) * fwidth(uv.y);
}
