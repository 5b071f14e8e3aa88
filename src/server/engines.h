// engines.h -- the engines inside this process, by name.
//
//   name          engine
//   ""            in memory, one for the whole process
//   NAME          in memory, another one
//   /DIRECTORY    kept in that directory, durability "power"
//
// One that the program has not started starts with the first client that asks for it and stops, in good order, with the last.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "server/runtime.h"

namespace holdfast::server {

using RuntimeResult = tl::expected<std::shared_ptr<Runtime>, std::string>;

// Running, or started now.
RuntimeResult engine_called(const std::string& name);

// A new one, which can be asked for by the name or else the directory in its options. Refused while another has that.
RuntimeResult start_engine(EngineOptions options);

}  // namespace holdfast::server
