#include "cli/commands/version.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

namespace holdfast::cli {
namespace {

// The build says which.
struct Part {
  const char* name;
  const char* version;
};
constexpr std::array kLibraries{
    Part{"openssl", HOLDFAST_OPENSSL_VERSION},   Part{"fmt", HOLDFAST_FMT_VERSION},
    Part{"spdlog", HOLDFAST_SPDLOG_VERSION},     Part{"cli11", HOLDFAST_CLI11_VERSION},
    Part{"yaml-cpp", HOLDFAST_YAML_CPP_VERSION}, Part{"nlohmann_json", HOLDFAST_JSON_VERSION},
};
// What clients and the engine speak.
constexpr const char* kProtocol = "ZooKeeper 3.8";

void print_text() {
  fmt::print("holdfast {}\nprotocol  {}\ncompiler  {}\n", HOLDFAST_VERSION, kProtocol, HOLDFAST_COMPILER);
  const char* title = "libraries";
  for (const auto& library : kLibraries) {
    fmt::print("{:<9} {} {}\n", title, library.name, library.version);
    title = "";
  }
}

void print_json() {
  nlohmann::ordered_json document{
      {"version", HOLDFAST_VERSION}, {"protocol", kProtocol}, {"compiler", HOLDFAST_COMPILER}};
  for (const auto& library : kLibraries) document["libraries"][library.name] = library.version;
  fmt::print("{}\n", document.dump());
}

}  // namespace

void add_version(CLI::App& app) {
  auto* command = app.add_subcommand("version", "Print the version, and what this was built from");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON document");
  command->callback([=] { *json ? print_json() : print_text(); });
}

}  // namespace holdfast::cli
