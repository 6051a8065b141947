// The options of load and top, and their help texts.
#include "apps/command_line_parts.h"

namespace fairlead {

void AddLoad(CLI::App& app, LoadOptions& options) {
  CLI::App* verb =
      app.add_subcommand("load", "calls a server as a scenario's tenants would, and reports");
  verb->add_option("scenario", options.scenario, "whose tenants call; most often the server's own")
      ->required();
  verb->add_option("--url", options.url,
                   "of the server, such as http://127.0.0.1:8000 or grpc://127.0.0.1:8001")
      ->required();
  verb->add_option("--key", options.keys, "TENANT=KEY, for each tenant that needs one");
  verb->add_option("--keys", options.key_file, "a file of such, a line `tenant key` each");
  verb->add_option(
      "--ca", options.authorities,
      "certificates (PEM) that vouch for a https or grpcs server; the system's unless given");
  verb->add_option("--horizon", options.horizon, "for how long, such as 30s, unlike the scenario");
  verb->add_option("--seed", options.seed, "of the requests; the scenario's unless given");
  verb->add_option("--connections", options.connections, "of HTTP, at most so many at a time")
      ->check(Whole(1, 60000))
      ->capture_default_str();
  verb->add_flag("--compare", options.compare,
                 "simulates the same requests, and says how far off that is");
  verb->add_option("--policy", options.policy,
                   "that is simulated; the one that serve would run unless given");
  AddForm(verb, options.form);
  verb->footer(
      "\nRequests are those of `simulate`: the same seed draws the same arrivals. They are sent "
      "when\n"
      "they are due, however slowly others are answered, with made-up inputs, and latencies count\n"
      "from when they should have been sent. A hit is a result inside the deadline, as the client\n"
      "counts; the interval is where the true rate lies with 95 % confidence (Clopper and "
      "Pearson),\n"
      "and `kept`, `broken` or `open` is what the counts prove of the target with 99 %. What a\n"
      "contract refused (429) is no part of the rate. --compare needs costs that were measured on\n"
      "the server's machine: `fairlead profile`.\n"
      "\nExamples:\n"
      "  fairlead serve --print > mine.yaml && fairlead serve mine.yaml &\n"
      "  fairlead load mine.yaml --url http://127.0.0.1:8000\n"
      "  fairlead load mine.yaml --url http://127.0.0.1:8000 --horizon 60s --compare\n"
      "  fairlead load mine.yaml --url https://host:8443 --ca ca.pem --keys keys.txt -o json\n"
      "  fairlead load mine.yaml --url grpc://127.0.0.1:8001\n");
}

void AddTop(CLI::App& app, TopOptions& options) {
  CLI::App* verb = app.add_subcommand("top", "shows a server that runs: who gets what, just now");
  verb->add_option("url", options.url, "of the server; http://127.0.0.1:8000 unless given");
  verb->add_option("--key", options.key, "an operator's; not needed where callers are anonymous");
  verb->add_option("--ca", options.authorities,
                   "certificates (PEM) that vouch for a https server; the system's unless given");
  verb->add_option("--interval", options.interval, "between two looks")->capture_default_str();
  verb->add_flag("--once", options.once, "looks once: rates are since the server began");
  AddForm(verb, options.form);
  verb->footer(
      "\nPromises that are farthest below their target stand first; `beyond` are requests that no\n"
      "contract covers, `windows` those that were broken, and slowdown is how much longer than "
      "alone\n"
      "segments ran. With -o json there is a line for each look. Ctrl-C ends it.\n"
      "\nExamples:\n"
      "  fairlead top\n"
      "  fairlead top https://host:8443 --ca ca.pem --key fl-... --interval 5s\n"
      "  fairlead top --once -o json\n");
}

}  // namespace fairlead
