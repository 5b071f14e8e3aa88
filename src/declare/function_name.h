// function_name.h -- the qualified name of a function, out of what the compiler says about it (__PRETTY_FUNCTION__).
//
// std::source_location would say the same, but clang 14 has none that works with libstdc++. Both compilers give whole signatures, each in its
// own layout; the name in them is made alike, without return type, parameters and template arguments:
//
//   g++     void shop::Box<T>::put(const T&) [with T = int]      shop::Box::put
//   clang   void shop::{anonymous}::Index::rebuild()             shop::(anonymous)::Index::rebuild
//   g++     shop::Orders::close()::<lambda(int)>                 shop::Orders::close::(lambda)
//   clang   auto shop::Orders::close()::(anonymous class)::operator()(int) const     the same
#pragma once

#include <string>
#include <string_view>

namespace holdfast::declare {

std::string function_name(std::string_view pretty);

}  // namespace holdfast::declare
