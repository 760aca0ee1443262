#include "berth/base/intrusive_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "berth/base/rng.h"

namespace berth {
namespace {

struct Item {
  int key = 0;
  int priority = 0;
  HeapPosition position;
};

struct ByPriority {
  bool operator()(const Item& a, const Item& b) const { return a.priority > b.priority; }
};
// The rank holds half of the order, so that both the ranks and the items decide comparisons.
struct ByPriorityWithRank : ByPriority {
  int rank(const Item& item) const { return -(item.priority / 2); }
};

using Heap = IntrusiveHeap<Item, ByPriority, &Item::position>;

// Runs "+k:p" (push or update), "-k" (erase) and "!" (pop), then drains. Gives the keys in the order they came out.
std::string run(const std::string& operations) {
  std::map<char, Item> items;
  Heap heap;
  std::string out;
  const auto pop = [&] {
    if (!out.empty()) out += ' ';
    out += static_cast<char>(heap.pop().key);
  };
  std::istringstream words(operations);
  for (std::string word; words >> word;) {
    if (word == "!") {
      pop();
      continue;
    }
    Item& item = items[word.at(1)];
    if (word[0] == '-') {
      heap.erase(item);
      continue;
    }
    item.key = word[1];
    item.priority = std::stoi(word.substr(word.find(':') + 1));
    heap.contains(item) ? heap.update(item) : heap.push(item);
  }
  while (!heap.empty()) pop();
  return out;
}

TEST(IntrusiveHeap, BreaksTiesAsKubeSchedulerDoes) {
  // Observed on kube-scheduler v1.36.3.
  const std::pair<std::string, std::string> cases[] = {
      {"+a:1 +b:1 +c:1 +d:1 +e:1 -b", "a d c e"},
      {"+a:1 +b:2 +c:1 +d:2 +e:1 +f:2", "b d f a e c"},
      {"+a:1 +b:1 +c:1 +d:1 ! +e:1 +f:1", "a d f e c b"},
      {"+a:1 +b:1 +c:1 +d:1 +e:1 +c:2 +a:1", "c e d a b"},
      {"+a:3 +b:2 +c:1 +d:3 +e:2 +f:1 +g:3 -a +h:2", "d g b e h c f"},
      {"+a:1 +b:1 +c:1 +d:1 +e:1 +f:1 +g:1 -a -g !", "f e d c b"},
  };
  for (const auto& [operations, expected] : cases) EXPECT_EQ(run(operations), expected) << operations;
}

TEST(IntrusiveHeap, PopsEqualsAsTheFirstThenFromTheLastBackwards) {
  for (int n = 1; n <= 40; ++n) {
    std::deque<Item> items(static_cast<std::size_t>(n));
    Heap heap;
    for (int i = 0; i < n; ++i) {
      items[static_cast<std::size_t>(i)].key = i;
      heap.push(items[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(heap.pop().key, 0);
    for (int i = n - 1; i >= 1; --i) ASSERT_EQ(heap.pop().key, i) << "of " << n;
    EXPECT_TRUE(heap.empty());
  }
}

TEST(IntrusiveHeapDeathTest, RefusesToPopWhenEmpty) {
  Heap heap;
  EXPECT_DEATH(heap.pop(), "empty heap");
}

// The same heap written down as the specification has it: an array and swaps. Slow and plain.
class NaiveHeap {
 public:
  struct Element {
    int key;
    int priority;
  };
  std::vector<Element> items;

  std::size_t index_of(int key) const {
    return static_cast<std::size_t>(
        std::find_if(items.begin(), items.end(), [key](const Element& e) { return e.key == key; }) - items.begin());
  }
  void push(Element element) {
    items.push_back(element);
    up(items.size() - 1);
  }
  void fix(std::size_t i) {
    if (!down(i, items.size())) up(i);
  }
  Element remove(std::size_t i) {
    const std::size_t n = items.size() - 1;
    if (i != n) {
      std::swap(items[i], items[n]);
      if (!down(i, n)) up(i);
    }
    const Element removed = items.back();
    items.pop_back();
    return removed;
  }

 private:
  bool less(std::size_t i, std::size_t j) const { return items[i].priority > items[j].priority; }
  void up(std::size_t j) {
    while (j > 0 && less(j, (j - 1) / 2)) {
      std::swap(items[j], items[(j - 1) / 2]);
      j = (j - 1) / 2;
    }
  }
  bool down(std::size_t start, std::size_t n) {
    std::size_t i = start;
    while (2 * i + 1 < n) {
      std::size_t child = 2 * i + 1;
      if (child + 1 < n && less(child + 1, child)) ++child;
      if (!less(child, i)) break;
      std::swap(items[i], items[child]);
      i = child;
    }
    return i > start;
  }
};

template <typename Less>
class IntrusiveHeapTest : public testing::Test {};
using Orders = testing::Types<ByPriority, ByPriorityWithRank>;
TYPED_TEST_SUITE(IntrusiveHeapTest, Orders);

TYPED_TEST(IntrusiveHeapTest, TakesTheStepsOfTheNaiveHeap) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    std::deque<Item> items(1 + rng.below(60));
    for (std::size_t i = 0; i < items.size(); ++i) items[i].key = static_cast<int>(i);
    const int priorities = static_cast<int>(1 + rng.below(6));  // Few, so that ties are common.
    IntrusiveHeap<Item, TypeParam, &Item::position> heap;
    NaiveHeap naive;
    for (int step = 0; step < 400; ++step) {
      Item& item = items[rng.below(items.size())];
      const std::size_t index = naive.index_of(item.key);
      const int priority = static_cast<int>(rng.in_range(0, priorities));
      ASSERT_EQ(heap.contains(item), index < naive.items.size());
      if (!heap.contains(item)) {
        item.priority = priority;
        heap.push(item);
        naive.push({item.key, priority});
      } else if (rng.chance(1, 3)) {
        item.priority = priority;
        heap.update(item);
        naive.items[index].priority = priority;
        naive.fix(index);
      } else if (Item& other = items[rng.below(items.size())]; rng.chance(1, 3) && !heap.contains(other)) {
        other.priority = priority;
        heap.replace(item, other);
        naive.items[index] = {other.key, priority};
        naive.fix(index);
      } else if (rng.chance(1, 2)) {
        heap.erase(item);
        naive.remove(index);
      } else {
        ASSERT_EQ(heap.top().key, naive.items.front().key);
        ASSERT_EQ(heap.pop().key, naive.remove(0).key);
      }
      // Every step of the two must agree, not only what comes out on top.
      std::vector<int> order;
      heap.for_each([&order](const Item& i) { order.push_back(i.key); });
      ASSERT_EQ(order.size(), naive.items.size());
      for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], naive.items[i].key) << "seed " << seed;
    }
  }
}

TEST(IntrusiveHeap, SharesOnePositionAmongHeapsThatAnItemMovesBetween) {
  Heap active;
  Heap backoff;
  Item a{.key = 1, .priority = 1, .position = {}};
  Item b{.key = 2, .priority = 2, .position = {}};
  active.push(a);
  backoff.push(b);
  EXPECT_TRUE(active.contains(a));
  EXPECT_FALSE(backoff.contains(a));
  EXPECT_FALSE(active.contains(b));
  active.push(backoff.pop());
  EXPECT_TRUE(active.contains(b));
  EXPECT_EQ(&active.top(), &b);
}

TEST(IntrusiveHeap, LeavesItemsFreeAfterClear) {
  Heap heap;
  Item a;
  heap.push(a);
  const Item copy = a;
  EXPECT_FALSE(copy.position.is_in_a_heap());
  heap.clear();
  EXPECT_FALSE(a.position.is_in_a_heap());
  heap.push(a);
  EXPECT_EQ(heap.size(), 1u);
}

TEST(IntrusiveHeapDeathTest, RefusesWhatIsInTheWrongPlace) {
  Heap heap;
  Heap other;
  Item a;
  Item b;
  heap.push(a);
  other.push(b);
  EXPECT_DEATH(heap.push(a), "in a heap already");
  EXPECT_DEATH(heap.push(b), "in a heap already");
  EXPECT_DEATH(heap.erase(b), "not in this heap");
  EXPECT_DEATH(heap.update(b), "not in this heap");
}

}  // namespace
}  // namespace berth
