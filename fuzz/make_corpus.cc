// make_corpus.cc -- the first files of each corpus: something of everything, for the fuzzer to vary.
//
//   fuzz_corpus DIRECTORY      writes DIRECTORY/{frame,record,log,resp}/NAME
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "fuzz/script.h"
#include "store/segment_format.h"
#include "store/snapshot_format.h"
#include "support/engine/history.h"
#include "wire/jute.h"
#include "wire/records.h"

namespace holdfast::fuzz {
namespace {

using wire::Op;
using wire::Writer;

// Control bytes of frame_fuzzer.cc.
constexpr std::uint8_t kGoesOn = 4;
constexpr std::uint8_t kTakenBack = 8;
constexpr std::uint8_t kCut = 16;

std::string frame(int control, Op op, const Writer& body = {}) {
  Writer writer;
  writer.i32(1);
  writer.i32(static_cast<std::int32_t>(op));
  writer.raw(body.bytes());
  return Script::written(static_cast<std::uint8_t>(control), writer.bytes());
}

Writer path(const std::string& text) {
  Writer writer;
  writer.text(text);
  return writer;
}

Writer path_and(const std::string& text, std::int32_t number) {
  auto writer = path(text);
  writer.i32(number);
  return writer;
}

Writer path_and(const std::string& text, bool watch) {
  auto writer = path(text);
  writer.boolean(watch);
  return writer;
}

Writer create(const std::string& text, std::int32_t flags, const char* scheme = "world", const char* id = "anyone") {
  auto writer = path(text);
  writer.buffer("data");
  encode(writer, wire::AclList{{wire::permission::kAll, {scheme, id}}});
  writer.i32(flags);
  if (flags >= 5) writer.i64(100);
  return writer;
}

Writer set_data(const std::string& text, std::int32_t version) {
  auto writer = path(text);
  writer.buffer("other");
  writer.i32(version);
  return writer;
}

void step(Writer& multi, Op op, bool done, const Writer& body = {}) {
  multi.i32(static_cast<std::int32_t>(op));
  multi.boolean(done);
  multi.i32(-1);
  multi.raw(body.bytes());
}

Writer multi(const std::string& last) {
  Writer writer;
  step(writer, Op::create, false, create("/m", 0));
  step(writer, Op::create2, false, create("/m/s-", 2));
  step(writer, Op::set_data, false, set_data("/m", 0));
  step(writer, Op::check, false, path_and("/m", 1));
  step(writer, Op::remove, false, path_and(last, -1));
  step(writer, Op::error, true);
  return writer;
}

Writer set_watches() {
  Writer writer;
  writer.i64(1);
  for (const auto* each : {"/a", "/b", "/a", "/p", "/r"}) writer.texts({each, "/none"});
  return writer;
}

struct File {
  std::string name;
  std::string bytes;
};

std::vector<File> frames() {
  Writer hello;
  encode(hello, wire::ConnectRequest{.timeout = 10'000, .password = std::string(16, '\0'), .has_read_only = true});
  Writer reads;
  step(reads, Op::get_data, false, path_and("/a", false));
  step(reads, Op::get_children, false, path_and("/none", false));
  step(reads, Op::error, true);
  Writer acl = path("/a");
  encode(acl, wire::AclList{{wire::permission::kRead, {"auth", ""}}, {3, {"ip", "127.0.0.0/8"}}});
  acl.i32(-1);
  return {
      {"hello", Script::written(0, hello.bytes())},
      {"create_and_remove", frame(1, Op::create, create("/a", 0)) + frame(1, Op::create2, create("/a/b", 0)) +
                                frame(2, Op::set_data, set_data("/a", 0)) + frame(1, Op::remove, path_and("/a/b", -1)) +
                                frame(1, Op::remove, path_and("/a", 1))},
      {"every_mode", frame(1, Op::create2, create("/e", 1)) + frame(1, Op::create2, create("/s-", 2)) +
                         frame(2, Op::create2, create("/es-", 3)) + frame(1, Op::create_container, create("/c", 4)) +
                         frame(1, Op::create_ttl, create("/t", 5)) + frame(1, Op::create_ttl, create("/ts-", 6)) +
                         frame(1, Op::create2, create("/c/x", 0)) + frame(2, Op::close_session)},
      {"multi", frame(1, Op::multi, multi("/m/s-0000000000")) + frame(1, Op::multi, multi("/none"))},
      {"reads", frame(1, Op::create, create("/a", 0)) + frame(1, Op::multi_read, reads) +
                    frame(1, Op::get_children2, path_and("/", true)) + frame(1, Op::get_acl, path("/a")) +
                    frame(1, Op::get_ephemerals, path("/")) + frame(1, Op::get_all_children_number, path("/")) +
                    frame(1, Op::sync, path("/")) + frame(1, Op::who_am_i) +
                    frame(1, Op::exists, path_and("/b", true))},
      {"watches", frame(1, Op::add_watch, path_and("/", 1)) + frame(2, Op::add_watch, path_and("/a", 0)) +
                      frame(3, Op::exists, path_and("/a", true)) + frame(1, Op::create, create("/a", 0)) +
                      frame(2, Op::check_watches, path_and("/a", 3)) + frame(2, Op::remove_watches, path_and("/a", 1)) +
                      frame(2 + kCut, Op::set_watches2, set_watches()) + frame(1, Op::remove, path_and("/a", -1))},
      {"lists", frame(1, Op::create, create("/a", 0, "auth", "")) + frame(2, Op::set_data, set_data("/a", -1)) +
                    frame(1, Op::set_acl, acl) + frame(2, Op::get_acl, path("/a"))},
      {"taken_back", frame(1, Op::create, create("/a", 1)) +
                         frame(2 + kGoesOn + kTakenBack, Op::multi, multi("/m/s-0000000000")) +
                         frame(1 + kGoesOn, Op::close_session) + frame(2 + kGoesOn, Op::create, create("/a", 0)) +
                         frame(3, Op::set_acl, acl)},
      {"refused", frame(1, Op::reconfig) + frame(1, Op::delete_container, path("/a")) + frame(1, Op::ping) +
                      frame(1, static_cast<Op>(77)) + frame(1, Op::create, path("/a"))},
  };
}

// The log of a random history, and the snapshot that was taken while it went on.
std::vector<File> records() {
  testing::RandomRequests random(4);
  testing::History history;
  std::string log;
  std::string snapshot;
  for (int i = 0; i < 12; ++i) history.act(random);
  history.settle();
  history.begin_snapshot();
  for (const auto& record : history.snapshot_records(1'000)) snapshot += Script::written(1, record);
  for (int i = 0; i < 8; ++i) history.act(random);
  history.settle();
  for (const auto& record : history.log) log += Script::written(0, record);
  return {{"log", log}, {"snapshot_and_log", snapshot + log}};
}

std::vector<File> files() {
  auto segment = encode(store::SegmentHeader{.store = 1, .epoch = 1, .number = 1});
  const auto seed = store::parse_segment_header(segment)->seed;
  for (store::Index index = 1; index < 4; ++index) {
    store::append_record(segment, store::RecordHeader{.index = index, .synced = segment.size()},
                         std::string(index * 7, 'x'), seed, segment.size());
  }
  auto snapshot = encode(store::SnapshotHeader{.store = 1, .epoch = 1, .begin = 1, .salt = 1});
  const auto salt = store::parse_snapshot_header(snapshot)->seed;
  const std::string record("\3\0\0\0abc", 7);
  snapshot += encode_block(store::BlockKind::records, record, salt, snapshot.size());
  snapshot +=
      encode_block(store::BlockKind::end, encode(store::SnapshotEnd{.end = 2, .records = 1}), salt, snapshot.size());
  const auto script = Script::written(0, "one") + Script::written(0, "") + Script::written(1, "three");
  const std::string flip("\0\x60\1", 3);
  return {
      {"segment", '\0' + segment},
      {"snapshot", '\1' + snapshot},
      {"made_segment", '\2' + script},
      {"made_snapshot", '\3' + script},
      {"torn_segment", '\2' + Script::written(0, "one") + Script::written(2, "garbage") + Script::written(0, "two")},
      {"damaged_segment", '\2' + Script::written(4, flip) + Script::written(0, "one") + Script::written(0, "two")},
      {"damaged_snapshot", '\3' + Script::written(4, flip) + script}};
}

std::vector<File> answers() {
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "*1\r\n";
  return {
      {"every_type",
       "\2+OK\r\n:-7\r\n$3\r\na\r\n\r\n#t\r\n,1.5\r\n(12345678901234567890\r\n_\r\n=8\r\ntxt:some\r\n!5\r\nERR x\r\n"},
      {"lists", "\5*2\r\n~1\r\n:1\r\n%1\r\n+a\r\n*-1\r\n|1\r\n+t\r\n:1\r\n*0\r\n"},
      {"push", "\7>3\r\n+message\r\n$1\r\nc\r\n$4\r\ng 12\r\n*2\r\n$2\r\nOK\r\n$1\r\n7\r\n"},
      {"errors", "\1-NOSCRIPT No matching script.\r\n-ERR unknown command\r\n"},
      {"cells",
       "\11*4\r\n$4\r\nBUSY\r\n$6\r\nstring\r\n:900\r\n$39\r\n01234567-89ab-8def-8123-456789abcdef 10\r\n"
       "*5\r\n$4\r\nBUSY\r\n$4\r\nhash\r\n:-1\r\n$3\r\na:1\r\n$1\r\n2\r\n"
       "*7\r\n$4\r\nBUSY\r\n$4\r\nhash\r\n:5\r\n$4\r\nmode\r\n$4\r\nread\r\n$3\r\na:1\r\n$1\r\n1\r\n"
       "*5\r\n$4\r\nBUSY\r\n$4\r\nzset\r\n:5\r\n$9\r\n__write__\r\n$1\r\nt\r\n"
       "*3\r\n$4\r\nBUSY\r\n$4\r\nlist\r\n:0\r\n"},
      {"queue",
       "\13*4\r\n$2\r\nOK\r\n$16\r\n1790000000000000\r\n"
       "*2\r\n$32\r\n0000000000-1790000000000000-x-u1\r\n$32\r\n0000000001-1790000000000001-s-u2\r\n*1\r\n$6\r\n_held_"
       "\r\n"
       "*4\r\n$2\r\nOK\r\n$1\r\n7\r\n$1\r\n1\r\n$4\r\ncard\r\n"},
      {"web_server", "\3HTTP/1.1 400 Bad Request\r\n\r\n"},
      {"too_deep", '\1' + deep}};
}

bool write(const std::filesystem::path& directory, const std::vector<File>& all) {
  std::filesystem::create_directories(directory);
  for (const auto& file : all) {
    std::ofstream out(directory / file.name, std::ios::binary);
    if (!(out << file.bytes)) return false;
  }
  return true;
}

}  // namespace
}  // namespace holdfast::fuzz

int main(int argc, char** argv) {
  using namespace holdfast::fuzz;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
    return 2;
  }
  const std::filesystem::path directory(argv[1]);
  const bool written = write(directory / "frame", frames()) && write(directory / "record", records()) &&
                       write(directory / "log", files()) && write(directory / "resp", answers());
  if (!written) std::fprintf(stderr, "cannot write to %s\n", argv[1]);
  return written ? 0 : 1;
}
