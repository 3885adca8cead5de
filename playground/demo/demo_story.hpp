// The acts of the demo, step by step.
#pragma once

#include "playground/demo/demo_stage.hpp"

namespace dcm::playground {

class DemoStory {
 public:
  // `stage` must outlive it.
  explicit DemoStory(DemoStage& stage) : stage_(stage) {}

  // Runs all acts.
  Task<Result<>> play();

 private:
  // Deletes the remains of an earlier demo.
  Task<Result<>> clean_up();
  // Claims are made from templates, reserved, released, and deleted.
  Task<Result<>> play_claims();
  // Devices are tainted by their driver and by an admin, and pods are evicted.
  Task<Result<>> play_taints();
  Task<Result<>> play_broken_device();
  Task<Result<>> play_retired_node();
  Task<Result<>> check_events();
  void check_who_left();

  DemoStage& stage_;
};

}  // namespace dcm::playground
