// The requests of a file in a world, and what their tenants are promised.
#pragma once

#include "fairlead/base/result.h"
#include "fairlead/scenario/files.h"
#include "fairlead/world/world.h"

namespace fairlead {

// Fills in the world's requests, tenants and agreements; its networks are there. Reads the requests
// file of its scenario, and the file of promises if there is one.
Status ListRequests(World& world, const FileReader& read);

}  // namespace fairlead
