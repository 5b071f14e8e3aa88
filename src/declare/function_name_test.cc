// What g++ 12 and clang 14 say, in pairs: both must give the same name. tests/declared/scope_test.cc asks the compiler at hand.
#include "declare/function_name.h"

#include <gtest/gtest.h>

namespace holdfast::declare {
namespace {

struct Case {
  const char* name;
  const char* gcc;
  const char* clang;
};

constexpr Case kCases[] = {
    {"main", "int main()", "int main()"},
    {"main::(lambda)", "main()::<lambda()>", "auto main()::(anonymous class)::operator()() const"},
    {"shop::Box::put", "void shop::Box<T>::put(const T&) [with T = std::__cxx11::basic_string<char>]",
     "void shop::Box<std::basic_string<char>>::put(const T &) [T = std::basic_string<char>]"},
    {"shop::Box::get",
     "int shop::Box<T>::get(U) const [with U = std::vector<int>; T = std::__cxx11::basic_string<char>]",
     "int shop::Box<std::basic_string<char>>::get(U) const [T = std::basic_string<char>, U = std::vector<int>]"},
    {"shop::Box::operator bool", "shop::Box<T>::operator bool() const [with T = int]",
     "bool shop::Box<int>::operator bool() const [T = int]"},
    {"shop::Box::operator()", "shop::Box<T>& shop::Box<T>::operator()(int) [with T = int]",
     "Box<T> &shop::Box<int>::operator()(int) [T = int]"},
    {"shop::Box::operator<", "bool shop::Box<T>::operator<(int) const [with T = int]",
     "bool shop::Box<int>::operator<(int) const [T = int]"},
    {"shop::Box::operator->", "bool shop::Box<T>::operator->() const [with T = int]",
     "bool shop::Box<int>::operator->() const [T = int]"},
    {"shop::Id::operator%2f", "int shop::Id::operator/(int)", "int shop::Id::operator/(int)"},
    {"shop::Orders::Orders", "shop::Orders::Orders()", "shop::Orders::Orders()"},
    {"shop::Orders::~Orders", "shop::Orders::~Orders()", "shop::Orders::~Orders()"},
    {"shop::Orders::operators", "void shop::Orders::operators()", "void shop::Orders::operators()"},
    {"shop::Orders::export_all", "int shop::Orders::export_all(const std::string&, std::vector<shop::Id>) const",
     "int shop::Orders::export_all(const std::string &, std::vector<Id>) const"},
    {"shop::Orders::reset", "static void shop::Orders::reset()", "static void shop::Orders::reset()"},
    {"shop::Orders::close::(lambda)", "shop::Orders::close() const::<lambda(int, auto:11)> [with auto:11 = double]",
     "auto shop::Orders::close() const::(anonymous class)::operator()(int, auto) const [auto:1 = double]"},
    {"shop::Orders::table", "int (* shop::Orders::table())(int)", "int (*shop::Orders::table())(int)"},
    {"shop::add", "T shop::add(T, T) [with T = int]", "T shop::add(T, T) [T = int]"},
    {"shop::any", "std::enable_if_t<(N > 3), int> shop::any() [with int N = 4]",
     "std::enable_if_t<(N > 3), int> shop::any() [N = 4]"},
    {"shop::any", "std::function<void(int)> shop::any(std::function<void(int)>)",
     "std::function<void (int)> shop::any(std::function<void (int)>)"},
    {"shop::Char::put", "void shop::Char<C>::put() [with char C = '(']", "void shop::Char<'('>::put() [C = '(']"},
    {"shop::(anonymous)::Index::rebuild", "void shop::{anonymous}::Index::rebuild()",
     "void shop::(anonymous namespace)::Index::rebuild()"},
    {"tr", "decltype(auto) tr(int)", "decltype(auto) tr(int)"},
    {"main::Local::run", "void main()::Local::run()", "void main()::Local::run()"},
};

TEST(FunctionName, is_the_same_with_both_compilers) {
  for (const auto& each : kCases) {
    EXPECT_EQ(function_name(each.gcc), each.name) << each.gcc;
    EXPECT_EQ(function_name(each.clang), each.name) << each.clang;
  }
}

TEST(FunctionName, ends_whatever_it_is_given) {
  for (const auto* odd : {"", "(", ")", "<", ">", "operator", "operator(", "operator<", "f(", "f<", "f('",
                          "::", "{anonymous}", "<lambda", "(anonymous class)::operator()"}) {
    EXPECT_LT(function_name(odd).size(), 40U) << odd;
  }
}

}  // namespace
}  // namespace holdfast::declare
