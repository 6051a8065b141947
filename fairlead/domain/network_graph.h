// One DNN as an immutable DAG of segments, the units of dispatch: layers, blocks of layers, or the
// whole network. A graph knows names and dependencies; what a segment costs is the cost table's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fairlead/base/id.h"
#include "fairlead/base/result.h"

namespace fairlead {

// A segment as its author writes it: its name, and the indices of the segments it waits for.
struct SegmentSpec {
  std::string name;
  std::vector<std::uint32_t> after;
};

class NetworkGraph {
 public:
  // Fails on an empty graph, a dependency that does not exist, or a cycle (named in the message).
  static Result<NetworkGraph> Create(std::string name, const std::vector<SegmentSpec>& segments);
  // Segments that wait each for the one before.
  static NetworkGraph Chain(std::string name, std::size_t segments);

  const std::string& name() const { return name_; }
  std::size_t size() const { return names_.size(); }
  const std::string& SegmentName(SegmentId segment) const { return names_[segment.index()]; }
  std::span<const SegmentId> Predecessors(SegmentId segment) const {
    return predecessors_.Of(segment);
  }
  std::span<const SegmentId> Successors(SegmentId segment) const { return successors_.Of(segment); }
  // Every segment after all its predecessors; among free choices the lowest index first.
  std::span<const SegmentId> TopologicalOrder() const { return order_; }
  std::span<const SegmentId> Sources() const { return sources_; }

 private:
  // `pending` counts for each segment the predecessors that cannot come before it.
  std::string DescribeCycle(const std::vector<std::size_t>& pending) const;

  // Adjacency lists in one array.
  struct Adjacency {
    std::vector<std::uint32_t> begin;
    std::vector<SegmentId> list;
    std::span<const SegmentId> Of(SegmentId segment) const {
      return std::span(list).subspan(begin[segment.index()],
                                     begin[segment.index() + 1] - begin[segment.index()]);
    }
  };

  std::string name_;
  std::vector<std::string> names_;
  Adjacency predecessors_;
  Adjacency successors_;
  std::vector<SegmentId> order_;
  std::vector<SegmentId> sources_;
};

}  // namespace fairlead
