// settings_schema.h -- a client's file, described to editors as a JSON schema. Made of the tables that its reader uses.
#pragma once

#include <nlohmann/json.hpp>

namespace holdfast::cli {

// Draft 7, which editors understand. It is a little stricter than the reader: it wants numbers and flags without quotes.
nlohmann::ordered_json settings_schema();

}  // namespace holdfast::cli
