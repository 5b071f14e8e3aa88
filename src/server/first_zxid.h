// first_zxid.h -- where the zxids of a life begin: above all that anybody was ever told.
#pragma once

#include "store/store.h"
#include "wire/records.h"

namespace holdfast::server {

// Epoch and counter: grows for ever, whatever happened to the log. Without a store it is good for one life.
wire::Zxid first_zxid(const store::Store* store);

}  // namespace holdfast::server
