// Loads the consumer as a plugin, and runs it: loader PLUGIN
#include <dlfcn.h>

#include <iostream>

int main(int, char** arguments) {
  void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  void* const run = plugin != nullptr ? dlsym(plugin, "_Z12run_consumeriPPc") : nullptr;
  if (run == nullptr) {
    std::cerr << dlerror() << "\n";
    return 1;
  }
  return reinterpret_cast<int (*)(int, char**)>(run)(1, arguments);
}
