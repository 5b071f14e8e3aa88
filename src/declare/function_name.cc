#include "declare/function_name.h"

#include <algorithm>
#include <cctype>

namespace holdfast::declare {
namespace {

class Signature {
 public:
  explicit Signature(std::string_view text) : rest_(text) {}

  std::string name() {
    while (!rest_.empty() && !step()) {
    }
    return name_;
  }

 private:
  // True: the name is complete.
  bool step() {
    if (take("{anonymous}") || take("(anonymous namespace)")) return add("(anonymous)");
    if (take("(anonymous class)::operator()") || take_lambda()) return add("(lambda)") || ends_here();
    if (rest_.starts_with("<unnamed ") || rest_.starts_with("(anonymous ")) return skip_brackets(), add("(anonymous)");
    if (begins_operator()) return take_operator();
    switch (rest_.front()) {
      case '<': return skip_brackets(), false;
      case '(': return parenthesis();
      case ' ':
      case '*':
      case '&': name_.clear(); break;
      default: name_ += rest_.front();
    }
    rest_.remove_prefix(1);
    return false;
  }

  // Of parameters, after which a qualified name may go on: "close()::Local::run()". Or around a name: "int (* table())(int)".
  bool parenthesis() {
    if (name_.empty()) {
      rest_.remove_prefix(1);
      return false;
    }
    skip_brackets();
    if (name_ == "decltype") return name_.clear(), false;
    return ends_here();
  }

  bool ends_here() {
    while (take(" const") || take(" volatile") || take(" mutable") || take(" &&") || take(" &")) {
    }
    return !rest_.starts_with("::") && !rest_.starts_with("(");
  }

  // g++: <lambda(int)>
  bool take_lambda() {
    if (!rest_.starts_with("<lambda")) return false;
    skip_brackets();
    return true;
  }

  bool begins_operator() const {
    constexpr std::string_view kOperator = "operator";
    if (!rest_.starts_with(kOperator) || (!name_.empty() && !name_.ends_with("::"))) return false;
    const char next = rest_.size() > kOperator.size() ? rest_[kOperator.size()] : '\0';
    return std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_';
  }
  bool take_operator() {
    if (take("operator()")) return add("operator()") || parenthesis();
    const auto end = rest_.find('(');
    name_ += rest_.substr(0, end);
    rest_.remove_prefix(std::min(end, rest_.size()));
    return rest_.empty() || parenthesis();
  }

  // From here to the one that closes it.
  void skip_brackets() {
    std::size_t angles = 0;
    std::size_t rounds = 0;
    do {
      const char c = rest_.front();
      if (c == '\'' && rest_.find('\'', 1) != std::string_view::npos)
        rest_.remove_prefix(rest_.find('\'', 1));  // an argument such as '('
      if (c == '(') ++rounds;
      if (c == ')' && rounds > 0) --rounds;
      if (rounds == 0 && c == '<') ++angles;
      if (rounds == 0 && c == '>' && angles > 0) --angles;
      rest_.remove_prefix(1);
    } while (!rest_.empty() && (angles > 0 || rounds > 0));
  }

  bool take(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  bool add(std::string_view what) {
    name_ += what;
    return false;
  }

  std::string_view rest_;
  std::string name_;
};

}  // namespace

std::string function_name(std::string_view pretty) {
  std::string name = Signature(pretty).name();
  // operator/ is one part of a path.
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash))
    name.replace(slash, 1, "%2f");
  return name;
}

}  // namespace holdfast::declare
