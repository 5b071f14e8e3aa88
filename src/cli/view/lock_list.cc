#include "cli/view/lock_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/view/colour.h"
#include "cli/view/table.h"
#include "settings/nearest.h"

namespace holdfast::cli {
namespace {

// What a column can be cut to and still says something.
constexpr std::size_t kLeastName = 12;
constexpr std::size_t kLeastHolder = 16;
// So much of it is worth more than another column.
constexpr std::size_t kComfortable = 30;

// One row: a lock, with its tickets taken apart.
struct Row {
  Row(const LockInfo& seen, Time at) : lock(seen), holders(holders_of(seen)), waiting(waiting_of(seen)), now(at) {}

  const LockInfo& lock;
  const std::vector<TicketInfo> holders;
  const std::vector<TicketInfo> waiting;
  const Time now;

  const TicketInfo* holder() const { return holders.empty() ? nullptr : &holders.front(); }
  const TicketInfo* next() const { return waiting.empty() ? nullptr : &waiting.front(); }
};

constexpr std::string_view kNothing = "-";

template <class Show>
std::string about(const TicketInfo* ticket, Show&& show) {
  const auto text = ticket == nullptr ? std::string() : show(*ticket);
  return text.empty() ? std::string(kNothing) : text;
}

double seconds(const TicketInfo* ticket, Time now) {
  return ticket == nullptr ? -1 : std::chrono::duration<double>(age_of(*ticket, now)).count();
}

std::string marks(const Row& row) { return fmt::format("{}", fmt::join(marks_of(row.lock), ", ")); }

struct ListColumn {
  std::string_view name;  // for --columns and --sort; in capitals its title
  bool usual = false;
  std::size_t least = 0;  // as in table.h
  std::string (*cell)(const Row& row) = nullptr;
  // What a column of numbers is sorted by; less than 0: there is none.
  double (*number)(const Row& row) = nullptr;
  Tone (*tone)(const Row& row) = nullptr;
};

// In the order in which they stand unless told otherwise.
constexpr std::array kColumns{
    ListColumn{.name = "name",
               .usual = true,
               .least = kLeastName,
               .cell = [](const Row& row) { return shown(row.lock.name); }},
    ListColumn{.name = "kind",
               .usual = true,
               .cell = [](const Row& row) { return std::string(held_as(row.lock, row.holders)); }},
    ListColumn{.name = "held",
               .usual = true,
               .cell =
                   [](const Row& row) {
                     return about(row.holder(), [&](const auto& ticket) { return shown_age_of(ticket, row.now); });
                   },
               .number = [](const Row& row) { return seconds(row.holder(), row.now); }},
    ListColumn{.name = "waiting",
               .usual = true,
               .cell = [](const Row& row) { return fmt::format("{}", row.waiting.size()); },
               .number = [](const Row& row) { return static_cast<double>(row.waiting.size()); },
               .tone = [](const Row& row) { return row.waiting.empty() ? Tone::plain : Tone::notice; }},
    ListColumn{.name = "holder",
               .usual = true,
               .least = kLeastHolder,
               .cell = [](const Row& row) { return who(row.holders); }},
    ListColumn{
        .name = "token",
        .usual = true,
        .cell =
            [](const Row& row) {
              return about(row.holder(), [](const auto& ticket) { return fmt::format("{}", ticket.token); });
            },
        .number =
            [](const Row& row) { return row.holder() == nullptr ? -1 : static_cast<double>(row.holder()->token); }},
    ListColumn{.name = "marks", .usual = true, .cell = marks, .tone = [](const Row&) { return Tone::bad; }},
    ListColumn{.name = "since",
               .cell =
                   [](const Row& row) {
                     return about(row.holder(), [](const auto& ticket) {
                       return ticket.since == Time{} ? std::string("?") : shown_time(ticket.since);
                     });
                   }},
    ListColumn{.name = "waited",
               .cell =
                   [](const Row& row) {
                     return about(row.next(), [&](const auto& ticket) { return shown_age_of(ticket, row.now); });
                   },
               .number = [](const Row& row) { return seconds(row.next(), row.now); }},
    ListColumn{
        .name = "next",
        .least = kLeastHolder,
        .cell = [](const Row& row) { return about(row.next(), [](const auto& ticket) { return who(ticket); }); }},
    ListColumn{
        .name = "host",
        .cell =
            [](const Row& row) { return about(row.holder(), [](const auto& held) { return shown(held.card.host); }); }},
    ListColumn{
        .name = "pid",
        .cell =
            [](const Row& row) {
              return about(row.holder(), [](const auto& held) {
                return held.card.host.empty() ? std::string() : fmt::format("{}", held.card.pid);
              });
            },
        .number =
            [](const Row& row) { return row.holder() == nullptr ? -1 : static_cast<double>(row.holder()->card.pid); }},
    ListColumn{.name = "program",
               .cell =
                   [](const Row& row) {
                     return about(row.holder(), [](const auto& held) { return shown(held.card.program); });
                   }},
    ListColumn{.name = "purpose",
               .least = kLeastHolder,
               .cell =
                   [](const Row& row) {
                     return about(row.holder(), [](const auto& held) { return shown(held.card.purpose); });
                   }},
    ListColumn{.name = "path", .least = kLeastName, .cell = [](const Row& row) { return shown(row.lock.path); }},
};

const ListColumn* find_column(std::string_view name) {
  const auto* found =
      std::find_if(kColumns.begin(), kColumns.end(), [&](const ListColumn& column) { return column.name == name; });
  return found == kColumns.end() ? nullptr : found;
}

tl::unexpected<std::string> no_column(std::string_view option, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& column : kColumns) names.push_back(column.name);
  const auto meant = nearest(name, names);
  return tl::unexpected(fmt::format("{}: there is no column {}; {}there are {}", option, in_quotes(name),
                                    meant ? fmt::format("did you mean {}? ", *meant) : std::string(),
                                    fmt::join(names, ", ")));
}

std::string title_of(const ListColumn& column) {
  std::string title(column.name);
  std::transform(title.begin(), title.end(), title.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  return title;
}

Table table_of(const std::vector<const ListColumn*>& columns, const std::vector<Row>& rows, bool colours) {
  std::vector<Column> heads;
  for (const auto* column : columns) {
    const auto title = title_of(*column);
    heads.push_back({.title = colours ? painted(title, Tone::title) : title,
                     .least = column->least,
                     .right = column->number != nullptr});
  }
  Table table(std::move(heads));
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const auto* column : columns) {
      auto cell = column->cell(row);
      cells.push_back(colours && column->tone != nullptr ? painted(cell, column->tone(row)) : std::move(cell));
    }
    table.add(std::move(cells));
  }
  return table;
}

void leave_out(std::vector<const ListColumn*>& columns, std::string_view name) {
  std::erase_if(columns, [&](const auto* column) { return column->name == name; });
}

}  // namespace

Parsed<ListOptions> parse_list_options(const std::string& columns, const std::string& sort, bool reverse) {
  ListOptions options{.columns = {}, .sort = sort, .reverse = reverse};
  if (!sort.empty() && find_column(sort) == nullptr) return no_column("--sort", sort);
  for (std::string_view rest = columns; !rest.empty();) {
    const auto name = trimmed(rest.substr(0, rest.find(',')));
    if (find_column(name) == nullptr) return no_column("--columns", name);
    options.columns.emplace_back(name);
    rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
  }
  return options;
}

void sort_locks(std::vector<LockInfo>& locks, Time now, const ListOptions& options) {
  struct Keyed {
    double number;
    std::string text;
    std::size_t at;
  };
  if (const auto* by = find_column(options.sort)) {
    std::vector<Keyed> keys;
    for (const auto& lock : locks) {
      const Row row(lock, now);
      keys.push_back({by->number == nullptr ? 0 : by->number(row),
                      by->number == nullptr ? by->cell(row) : std::string(), keys.size()});
    }
    std::stable_sort(keys.begin(), keys.end(), [](const Keyed& a, const Keyed& b) {
      if (a.number != b.number) return a.number > b.number;
      if ((a.text == kNothing) != (b.text == kNothing)) return b.text == kNothing;
      return a.text < b.text;
    });
    std::vector<LockInfo> sorted;
    for (const auto& key : keys) sorted.push_back(std::move(locks[key.at]));
    locks = std::move(sorted);
  }
  if (options.reverse) std::reverse(locks.begin(), locks.end());
}

std::vector<std::string> list_lines(const std::vector<LockInfo>& locks, Time now, std::optional<std::size_t> width,
                                    const ListOptions& options, bool colours) {
  std::vector<Row> rows;
  rows.reserve(locks.size());
  for (const auto& lock : locks) rows.emplace_back(lock, now);
  std::vector<const ListColumn*> columns;
  for (const auto& name : options.columns) columns.push_back(find_column(name));
  if (!columns.empty()) return table_of(columns, rows, colours).lines(width);
  for (const auto& column : kColumns) {
    if (column.usual) columns.push_back(&column);
  }
  if (width) {
    if (std::all_of(rows.begin(), rows.end(), [](const Row& row) { return marks_of(row.lock).empty(); })) {
      leave_out(columns, "marks");
    }
    for (const auto* name : {"token", "kind"}) {
      if (table_of(columns, rows, false).width(kComfortable) > *width) leave_out(columns, name);
    }
  }
  return table_of(columns, rows, colours).lines(width);
}

}  // namespace holdfast::cli
