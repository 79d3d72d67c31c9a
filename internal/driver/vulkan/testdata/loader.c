/* A loader of Vulkan that finds no device, or lacks what the options of the compiler say. */
#include <stdint.h>
#include <string.h>

typedef void (*function)(void);

static int32_t version(uint32_t *v) { *v = VERSION; return 0; }
static int32_t extensions(const char *layer, uint32_t *n, void *list) { *n = EXTENSIONS; return 0; }
static int32_t create(const void *info, const void *allocator, uintptr_t *instance) { *instance = 7; return CREATE; }
static void destroy(uintptr_t instance, const void *allocator) {}
static int32_t devices(uintptr_t instance, uint32_t *n, uintptr_t *list) { *n = 0; return DEVICES; }
static void other(void) {}

static const struct { const char *name; function f; } table[] = {
    {"vkEnumerateInstanceVersion", (function)version},
    {"vkEnumerateInstanceExtensionProperties", (function)extensions},
    {"vkCreateInstance", (function)create},
    {"vkDestroyInstance", (function)destroy},
    {"vkEnumeratePhysicalDevices", (function)devices},
};

__attribute__((visibility("default"))) function LOOKUP(uintptr_t instance, const char *name) {
    if (strcmp(name, LACKS) == 0) return 0;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(name, table[i].name) == 0) return table[i].f;
    return other;
}
