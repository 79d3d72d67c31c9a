#!/bin/sh
# Usage: scripts/vulkan.sh FOLDER
#
# Installs what the tests of Vulkan run on into a folder, without changing the machine: Vulkan's loader with its headers and
# validation layer, and two drivers that need no GPU, Mesa's lavapipe and SwiftShader. FOLDER/env has the settings for a shell:
#
#	. FOLDER/env && CUTILE_REQUIRE=vulkan go test ./internal/driver/vulkan ./internal/engine/vulkan
#
# FOLDER/newer runs a program with the lavapipe of Debian 13's backports, which has cooperative matrices, and with the C library that it needs:
#
#	CUTILE_REQUIRE=vulkan,matrices go test -exec FOLDER/newer -run TestMatrices ./internal/engine/vulkan
#
# The packages are those of Debian 12. Its own lavapipe (22.3) ends every loop after 65535 turns, in silence, so that the one of
# bookworm-backports is taken.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ -e "$folder/env" ] && [ -e "$folder/newer" ] && exit
apt=$folder/apt
mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/archives/partial"

# The archive that this machine uses has the backports, too.
cp /etc/apt/sources.list.d/debian.sources "$apt/parts/" 2>/dev/null || cp /etc/apt/sources.list "$apt/parts/debian.list"
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive bookworm-backports main" >"$apt/parts/backports.list"
set -- -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/parts" -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User=
apt-get "$@" update

# What the driver needs and the machine lacks comes along; what it has stays as it is.
(cd "$apt/archives" && apt-get "$@" download libvulkan1 libvulkan-dev vulkan-validationlayers spirv-tools chromium-common)
apt-get "$@" install --yes --download-only --no-install-recommends mesa-vulkan-drivers/bookworm-backports libdrm2/bookworm-backports \
    libdrm-common/bookworm-backports libdrm-amdgpu1/bookworm-backports
for package in "$apt"/archives/*.deb; do
    dpkg -x "$package" "$folder"
done
libraries=$(dirname "$(find "$folder/usr/lib" -name libvulkan_lvp.so)")

# driver FILE LIBRARY writes the description of a driver with the whole path of its library.
driver() {
    sed "s#\"library_path\": *\"[^\"]*\"#\"library_path\": \"$2\"#" "$1" >"$folder/$(basename "$1")"
}
driver "$(find "$folder/usr/share/vulkan/icd.d" -name 'lvp_icd*.json')" "$libraries/libvulkan_lvp.so"
driver "$folder/usr/lib/chromium/vk_swiftshader_icd.json" "$folder/usr/lib/chromium/libvk_swiftshader.so"
rm -rf "$apt"

# A machine without packages gets all that the newer driver needs.
mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/archives/partial"
for suite in trixie trixie-backports; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main"
done >"$apt/parts/trixie.list"
: >"$apt/status"
set -- "$@" -o Dir::State::status="$apt/status"
apt-get "$@" update
apt-get "$@" install --yes --download-only --no-install-recommends mesa-vulkan-drivers/trixie-backports
for package in "$apt"/archives/*.deb; do
    dpkg -x "$package" "$folder/trixie"
done
rm -rf "$apt"
newer=$(dirname "$(find "$folder/trixie/usr/lib" -name libvulkan_lvp.so)")
sed "s#\"library_path\": *\"[^\"]*\"#\"library_path\": \"$newer/libvulkan_lvp.so\"#" "$folder"/trixie/usr/share/vulkan/icd.d/lvp_icd*.json >"$folder/trixie/lvp_icd.json"
cat >"$folder/newer" <<END
#!/bin/sh
export VK_DRIVER_FILES=$folder/trixie/lvp_icd.json
unset VK_LAYER_PATH
exec $(find "$newer" -name 'ld-linux-*.so.2') --library-path $newer "\$@"
END
chmod +x "$folder/newer"

cat >"$folder/env" <<END
export LD_LIBRARY_PATH=$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export VK_DRIVER_FILES=$(ls "$folder"/lvp_icd*.json):$folder/vk_swiftshader_icd.json
export VK_LAYER_PATH=$folder/usr/share/vulkan/explicit_layer.d
export CPATH=$folder/usr/include\${CPATH:+:\$CPATH}
export PATH=$folder/usr/bin:\$PATH
END
