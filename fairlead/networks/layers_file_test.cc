#include "fairlead/networks/layers_file.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

// What is wrong, and what is said about it, is tests/bad_input's.

TEST(ParseLayers, ReadsShapes) {
  const auto networks = ParseLayers("l.csv",
                                    "network,layer,kind,n,k,c,p,q,r,s,stride,groups\n"
                                    "net,a,conv,2,64,3,112,100,7,5,2,1\n");
  ASSERT_TRUE(networks.has_value()) << networks.error().message;
  const LayerShape expected{
      .n = 2, .k = 64, .c = 3, .p = 112, .q = 100, .r = 7, .s = 5, .stride = 2};
  EXPECT_EQ(networks->front().layers.front().shape, expected);
}

TEST(ParseLayers, ColumnsComeInAnyOrderAndMayBeMissing) {
  const auto networks = ParseLayers("l.csv",
                                    "kind,q,p,c,k,layer,network\n"
                                    "linear,1,1,512,10,last,net\n");
  ASSERT_TRUE(networks.has_value()) << networks.error().message;
  EXPECT_EQ(networks->front().layers.front().shape.Macs(), 5120);
}

TEST(ParseLayers, DepthwiseMeansAGroupForEachChannel) {
  const auto networks = ParseLayers("l.csv",
                                    "network,layer,kind,k,c,p,q,r,s,groups\n"
                                    "net,a,depthwise,32,32,10,10,3,3,1\n");
  ASSERT_TRUE(networks.has_value()) << networks.error().message;
  EXPECT_EQ(networks->front().layers.front().shape.Macs(), 32 * 9 * 100);
}

TEST(ParseLayers, KeepsNetworksApart) {
  const auto networks = ParseLayers("l.csv",
                                    "network,layer,kind,k,c,p,q\n"
                                    "one,a,conv,1,1,1,1\ntwo,a,conv,1,1,1,1\none,b,conv,1,1,1,1\n");
  ASSERT_TRUE(networks.has_value()) << networks.error().message;
  ASSERT_EQ(networks->size(), 2U);
  EXPECT_EQ((*networks)[0].layers.size(), 2U);
  EXPECT_EQ((*networks)[0].layers[1].name, "b");
}

}  // namespace
}  // namespace fairlead
