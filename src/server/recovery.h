// recovery.h -- an engine as its options and its store say.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "engine/engine.h"
#include "holdfast/engine.h"
#include "store/disk.h"
#include "store/store.h"

namespace holdfast::server {

// The limits of the engine that the operator's options come to.
engine::Rules rules_of(const EngineOptions& options);

// Opens the store in options.data_dir and puts into `engine`, which is new, what is kept there. Or one sentence that says what is wrong.
tl::expected<std::unique_ptr<store::Store>, std::string> recover(engine::Engine& engine, store::Disk& disk,
                                                                 const EngineOptions& options, engine::Moment now);

}  // namespace holdfast::server
