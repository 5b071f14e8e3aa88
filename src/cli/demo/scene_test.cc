#include "cli/demo/scene.h"

#include <gtest/gtest.h>

namespace holdfast::cli::demo {
namespace {

using State = Scene::Worker::State;

Scene scene() {
  Scene scene;
  scene.lock = "demo/order-1";
  scene.service = "127.0.0.1:4000";
  scene.seconds = 3.21;
  scene.workers = {{"A", 101, State::waiting, 43, 2},
                   {"B", 102, State::killed, 40},
                   {"C", 103, State::holding, 41, 0, 0.3},
                   {"D", 104, State::waiting, 42, 1},
                   {"E", 105, State::paused, 39, 0, 0, -1}};
  scene.writes = 7;
  scene.last_writer = "C";
  scene.last_token = 41;
  return scene;
}

std::string text(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& row : rows) text += row.text + "\n";
  return text;
}

TEST(DemoPicture, shows_the_holder_and_the_queue_in_its_order) {
  const auto shown = text(rows_of(scene()));
  const auto at = [&](const char* what) { return shown.find(what); };
  EXPECT_LT(at("HOLDS     C  pid 103"), at("waits 1   D  pid 104"));
  EXPECT_LT(at("waits 1   D"), at("waits 2   A"));
  EXPECT_LT(at("waits 2   A"), at("PAUSED    E"));
  EXPECT_LT(at("PAUSED    E"), at("killed    B"));
  EXPECT_NE(at("0.3 s ###\n"), std::string::npos) << shown;
  EXPECT_NE(at("7 writes, the last by C with token 41\n"), std::string::npos) << shown;
}

TEST(DemoPicture, fits_whatever_there_is_to_show) {
  auto crowded = scene();
  crowded.lock = std::string(200, 'n');
  crowded.last_writer = std::string(200, 'w');
  for (auto& worker : crowded.workers) worker.held_for = 1e6;
  for (int i = 0; i < 100; ++i) crowded.log.push_back({1e6 + i, std::string(200, 'x')});
  const auto rows = rows_of(crowded);
  EXPECT_TRUE(rows.front().text.starts_with("  3.2 s  5 processes")) << "the time is not what is cut";
  EXPECT_EQ(rows.size(), kSceneRows);
  for (const auto& row : rows) EXPECT_LE(row.text.size(), kSceneColumns) << row.text;
}

TEST(DemoPicture, shows_the_newest_of_the_log) {
  auto busy = scene();
  for (int i = 0; i < 100; ++i) busy.log.push_back({double(i), "entry " + std::to_string(i)});
  const auto rows = rows_of(busy);
  EXPECT_EQ(rows.back().text, "  99.00 s  entry 99");
}

}  // namespace
}  // namespace holdfast::cli::demo
