// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages in chunks: what arrives is what was sent, whatever the queues of a device and the
// carrier do first; no slot is used again too early.
#include "halo/device/device_legs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/device/device.hpp"
#include "halo/device/device_carrier.hpp"
#include "halo/emulated_device.hpp"

namespace weft::halo::detail {
namespace device_legs_test {

using test::emulated_device;

/// Carries bytes within this process; copies them only when asked whether they have arrived, so
/// that who writes to them earlier is found out.
class mailbox final : public carrier {
 public:
  parcel send(const std::byte* from, std::ptrdiff_t bytes, const partner& to) override {
    letters_.push_back({.from = from, .bytes = bytes, .tag = to.tag});
    return {.number = letters_.size() - 1};
  }
  parcel receive(std::byte* into, std::ptrdiff_t bytes, const partner& from) override {
    expected_.push_back({.into = into, .bytes = bytes, .tag = from.tag});
    return {.number = num_letters_at_most + expected_.size() - 1};
  }
  [[nodiscard]] bool is_done(parcel& what) override {
    ++num_asked_;
    if (!is_closed && num_asked_ % 3 == 0) {
      deliver();
    }
    return what.number < num_letters_at_most ? letters_[what.number].is_delivered
                                             : expected_[what.number - num_letters_at_most].is_here;
  }

  bool is_closed = false;  // nothing arrives

  [[nodiscard]] std::size_t num_sent() const { return letters_.size(); }
  [[nodiscard]] std::size_t num_expected() const { return expected_.size(); }

 private:
  static constexpr std::size_t num_letters_at_most = 1'000'000;

  struct letter {
    const std::byte* from;
    std::ptrdiff_t bytes;
    int tag;
    bool is_delivered = false;
  };
  struct expectation {
    std::byte* into;
    std::ptrdiff_t bytes;
    int tag;
    bool is_here = false;
  };

  void deliver() {
    for (letter& each : letters_) {
      if (each.is_delivered) {
        continue;
      }
      const auto found = std::ranges::find_if(
          expected_, [&](const expectation& by) { return !by.is_here && by.tag == each.tag; });
      if (found == expected_.end()) {
        continue;
      }
      EXPECT_EQ(found->bytes, each.bytes);
      std::copy_n(each.from, each.bytes, found->into);
      each.is_delivered = found->is_here = true;
      return;
    }
  }

  std::deque<letter> letters_;
  std::deque<expectation> expected_;
  std::size_t num_asked_ = 0;
};

std::byte pattern(std::size_t index, int round) {
  return static_cast<std::byte>((index * 31 + static_cast<std::size_t>(round) * 7 + index / 256) %
                                256);
}

void drive(leg& out, leg& in) {
  bool has_left = false;
  bool is_here = false;
  while (!has_left || !is_here) {
    has_left = out.advance();
    is_here = in.advance();
  }
}

/// A device that sends and one that receives, with the queues of an exchange.
class two_devices {
 public:
  explicit two_devices(std::size_t bytes)
      : bytes_(bytes),
        from_(sender.allocate(bytes), {&sender}),
        into_(receiver.allocate(bytes), {&receiver}) {}

  [[nodiscard]] leg_plan plan(int tag = 1) const {
    return {.with = {.rank = 0, .tag = tag},
            .bytes = static_cast<std::ptrdiff_t>(bytes_),
            .cells = {{.bytes = static_cast<std::ptrdiff_t>(bytes_)}}};
  }

  /// Writes what is to be sent in a queue, exchanges behind it, and reads in a queue what came.
  void exchange(leg& out, leg& in, int round) {
    std::byte* const from = from_.get();
    const std::size_t bytes = bytes_;
    sender.run(out_queue.get(), [=] {
      for (std::size_t n = 0; n < bytes; ++n) {
        from[n] = pattern(n, round);
      }
    });
    sender.record(written_.get(), out_queue.get());
    receiver.record(may_store_.get(), in_queue.get());
    in.begin({.buffer = into_.get()}, may_store_.get());
    out.begin({.buffer = from_.get()}, written_.get());
    drive(out, in);
    const std::byte* const into = into_.get();
    std::size_t& wrong = num_wrong_;
    receiver.run(in_queue.get(), [=, &wrong] {
      for (std::size_t n = 0; n < bytes; ++n) {
        wrong += into[n] == pattern(n, round) ? 0U : 1U;
      }
    });
  }
  /// Bytes that came otherwise than they were sent, in all exchanges.
  std::size_t num_wrong() {
    receiver.drain(in_queue.get());
    return num_wrong_;
  }

  emulated_device sender;
  emulated_device receiver;
  mailbox mail;

 private:
  std::size_t bytes_;
  std::size_t num_wrong_ = 0;
  device_memory from_;
  device_memory into_;
  owned_mark written_ = mark_of(sender);
  owned_mark may_store_ = mark_of(receiver);

 public:
  owned_queue out_queue = queue_of(sender);
  owned_queue in_queue = queue_of(receiver);
};

TEST(StagedLegs, bring_what_was_sent_in_chunks_of_any_size) {
  for (const std::size_t bytes : {1U, 255U, 256U, 257U, 1000U, 5000U}) {
    for (const std::ptrdiff_t chunk_bytes : {1000, 256, 100, 1 << 30}) {
      for (const std::size_t num_slots : {1U, 2U, 3U}) {
        two_devices between(bytes);
        const chunking how{.chunk_bytes = chunk_bytes, .num_slots = num_slots};
        const auto out = make_staged_sender(
            between.sender, between.mail, between.out_queue.get(), between.plan(), how);
        const auto in = make_staged_receiver(
            between.receiver, between.mail, between.in_queue.get(), between.plan(), how);

        for (int round = 0; round < 4; ++round) {
          between.exchange(*out, *in, round);
        }

        EXPECT_EQ(between.num_wrong(), 0U)
            << bytes << " B, chunks of " << chunk_bytes << " B, " << num_slots << " slots";
        const auto chunks = (static_cast<std::ptrdiff_t>(bytes) + chunk_bytes - 1) / chunk_bytes;
        EXPECT_EQ(between.mail.num_sent(), static_cast<std::size_t>(4 * chunks));
      }
    }
  }
}

TEST(StagedLegs, fetch_the_next_chunk_while_one_is_sent_and_no_more) {
  two_devices between(10'000);
  const auto out = make_staged_sender(
      between.sender, between.mail, between.out_queue.get(), between.plan(), {.chunk_bytes = 1000});
  const owned_mark ready = mark_of(between.sender);
  const device_memory cells(between.sender.allocate(10'000), {&between.sender});
  between.mail.is_closed = true;

  out->begin({.buffer = cells.get()}, ready.get());
  between.sender.drain(between.out_queue.get());
  EXPECT_FALSE(out->advance());

  EXPECT_EQ(between.sender.num_copies(), 2U) << "of ten: there are two slots";
  EXPECT_EQ(between.mail.num_sent(), 2U);
  for (int round = 0; round < 100; ++round) {
    EXPECT_FALSE(out->advance());
  }
  EXPECT_EQ(between.sender.num_copies(), 2U);
}

TEST(StagedLegs, receive_before_the_first_chunk_is_sent) {
  two_devices between(10'000);
  const auto in = make_staged_receiver(between.receiver,
                                       between.mail,
                                       between.in_queue.get(),
                                       between.plan(),
                                       {.chunk_bytes = 1000});
  const owned_mark ready = mark_of(between.receiver);
  const device_memory cells(between.receiver.allocate(10'000), {&between.receiver});

  in->begin({.buffer = cells.get()}, ready.get());

  EXPECT_EQ(between.mail.num_expected(), 2U);
}

TEST(StagedLegs, of_several_partners_move_on_together) {
  constexpr std::size_t bytes = 3000;
  emulated_device on;
  mailbox mail;
  const owned_queue out_queue = queue_of(on);
  const owned_queue in_queue = queue_of(on);
  const owned_mark ready = mark_of(on);
  const chunking how{.chunk_bytes = 512};
  std::vector<device_memory> from;
  std::vector<device_memory> into;
  std::vector<std::unique_ptr<leg>> legs;
  for (int tag = 0; tag < 5; ++tag) {
    from.emplace_back(on.allocate(bytes), release_memory{&on});
    into.emplace_back(on.allocate(bytes), release_memory{&on});
    for (std::size_t n = 0; n < bytes; ++n) {
      from.back().get()[n] = pattern(n, tag);
    }
    const leg_plan what{
        .with = {.rank = 0, .tag = tag}, .bytes = bytes, .cells = {{.bytes = bytes}}};
    legs.push_back(make_staged_receiver(on, mail, in_queue.get(), what, how));
    legs.back()->begin({.buffer = into.back().get()}, ready.get());
    legs.push_back(make_staged_sender(on, mail, out_queue.get(), what, how));
    legs.back()->begin({.buffer = from.back().get()}, ready.get());
  }

  std::size_t num_done = 0;
  while (num_done < legs.size()) {
    num_done = 0;
    for (const auto& each : legs) {
      num_done += each->advance() ? 1U : 0U;
    }
  }
  on.drain(in_queue.get());

  for (std::size_t n = 0; n < into.size(); ++n) {
    EXPECT_TRUE(
        std::ranges::equal(std::span(from[n].get(), bytes), std::span(into[n].get(), bytes)));
  }
}

TEST(StagedLegs, gather_and_scatter_what_lies_apart) {
  emulated_device on;
  mailbox mail;
  const owned_queue queue = queue_of(on);
  const owned_mark ready = mark_of(on);
  const device_memory one(on.allocate(1000), {&on});
  const device_memory two(on.allocate(1000), {&on});
  const device_memory buffer(on.allocate(1000), {&on});
  for (std::size_t n = 0; n < 1000; ++n) {
    one.get()[n] = pattern(n, 1);
    two.get()[n] = pattern(n, 2);
  }
  const std::array<std::byte*, 2> fields{one.get(), two.get()};
  // 100 B of the second field, a gap of 12 B, and 300 B of the first.
  const leg_plan gathered{.with = {.rank = 0, .tag = 1},
                          .bytes = 412,
                          .cells = {{.field = 1, .offset = 50, .at = 0, .bytes = 100},
                                    {.field = 0, .offset = 7, .at = 112, .bytes = 300}}};
  const leg_plan whole{
      .with = {.rank = 0, .tag = 1}, .bytes = 412, .cells = {{.offset = 200, .bytes = 412}}};
  const chunking how{.chunk_bytes = 64};
  const auto out = make_staged_sender(on, mail, queue.get(), gathered, how);
  const auto in = make_staged_receiver(on, mail, queue.get(), whole, how);

  in->begin({.buffer = buffer.get()}, ready.get());
  out->begin({.fields = fields}, ready.get());
  drive(*out, *in);
  on.drain(queue.get());

  EXPECT_TRUE(
      std::ranges::equal(std::span(buffer.get() + 200, 100), std::span(two.get() + 50, 100)));
  EXPECT_TRUE(
      std::ranges::equal(std::span(buffer.get() + 312, 300), std::span(one.get() + 7, 300)));
  EXPECT_EQ(buffer.get()[199], std::byte{0xcd});
  EXPECT_EQ(buffer.get()[612], std::byte{0xcd});
}

TEST(PlainLegs, wait_until_cells_may_be_touched) {
  two_devices between(4096);
  const auto out = make_plain_sender(between.sender, between.mail, between.plan());
  const auto in = make_plain_receiver(between.receiver, between.mail, between.plan());

  for (int round = 0; round < 4; ++round) {
    between.exchange(*out, *in, round);
  }

  EXPECT_EQ(between.num_wrong(), 0U);
  EXPECT_EQ(between.mail.num_sent(), 4U);
  EXPECT_EQ(between.sender.num_copies() + between.receiver.num_copies(), 0U);
}

}  // namespace device_legs_test
}  // namespace weft::halo::detail
