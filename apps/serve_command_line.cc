// The options of serve, tenant and agreement, and their help texts.
#include <algorithm>
#include <deque>
#include <string>
#include <string_view>

#include "apps/command_line_parts.h"
#include "fairlead/domain/agreement_terms.h"

namespace fairlead {
namespace {

void AddServe(CLI::App& app, ServeOptions& options) {
  CLI::App* verb = app.add_subcommand(
      "serve", "runs a scenario's networks for clients: Open Inference Protocol");
  verb->add_option("config", options.config,
                   "a scenario with a section `serve`; without one, a demo with three tenants");
  verb->add_option("--port", options.port,
                   "of HTTP, instead of the scenario's; gRPC has the next one; 0: any")
      ->check(Whole(0, 65535));
  verb->add_option("--policy", options.policy,
                   "the scenario's first unless given; fairlead if that names none");
  verb->add_option("--record", options.recording, "events and decisions, for replay and why");
  verb->add_option("--log", options.log,
                   "a line of JSON for each event, added to this file; -: standard error");
  verb->add_option("--log-level", options.log_level, "debug (each request), info, warning or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str();
  verb->add_flag("--print", options.print, "prints the demo's scenario, to begin with, and ends");
  verb->footer(
      "\nThe scenario's accelerators name cores of this machine, as for simulate --live run; its\n"
      "tenants are those who may call, with what they are promised. Rates, arrivals and the\n"
      "horizon are for simulate, which takes the same file.\n"
      "\n  serve:\n"
      "    http: 127.0.0.1:8000            # address and port; 8000 alone: of this machine\n"
      "    grpc: 127.0.0.1:8001            # likewise; no gRPC unless given\n"
      "    anonymous: true                 # nobody needs a key; or the name of a tenant\n"
      "    store: fairlead.db              # tenants, keys, agreements, and what they got\n"
      "    tls: {certificate: c.pem, key: k.pem}\n"
      "    limits: {body: 64MB, connections: 4096}\n"
      "    recordings: {folder: recordings, keep: 1GB}   # a log; see `fairlead help cut`\n"
      "\nSIGTERM and Ctrl-C drain: nothing new is taken, what is under way is answered. A second\n"
      "one ends at once. docs/guide/serve.md explains the rest.\n"
      "\nExamples:\n"
      "  fairlead serve                    # then the curl lines that it prints\n"
      "  fairlead serve --print > mine.yaml\n"
      "  fairlead serve mine.yaml --record today.rec\n"
      "  fairlead tenant add ada --store fairlead.db\n");
}

void AddTenant(CLI::App& app, TenantOptions& options) {
  CLI::App* verb = app.add_subcommand("tenant", "who may call a server, and their keys");
  verb->add_option("action", options.action, "add, list, key, operator, revoke or remove")
      ->required()
      ->check(CLI::IsMember({"add", "list", "key", "operator", "revoke", "remove"}));
  verb->add_option("name", options.name, "of the tenant; of a key, for revoke");
  verb->add_option("--store", options.store, "the server's; fairlead.db unless given");
  verb->add_option("--weight", options.weight, "of a tenant that is added; 1 unless given")
      ->check(CLI::Range(1e-6, 1e6));
  AddForm(verb, options.form);
  verb->footer(
      "\n  add NAME      a new tenant; prints its key, which is told this once\n"
      "  key NAME      another key for a tenant that is there\n"
      "  operator      a key for an operator, who may load networks and read the metrics\n"
      "  list          tenants, and the names of their keys\n"
      "  revoke KEY    a key is no good any more; its name is the part after fl-\n"
      "  remove NAME   a tenant, with keys, agreements and what it got\n"
      "A server that runs with this store follows within its `flush` (1s).\n"
      "\nExamples:\n"
      "  fairlead tenant add ada\n"
      "  curl -H 'Authorization: Bearer fl-...' http://localhost:8000/v2/models/squeezenet1-1\n");
}

void AddAgreement(CLI::App& app, AgreementOptions& options) {
  CLI::App* verb = app.add_subcommand("agreement", "what tenants of a server are promised");
  verb->add_option("action", options.action, "add, list or remove")
      ->required()
      ->check(CLI::IsMember({"add", "list", "remove"}));
  verb->add_option("tenant", options.tenant, "its name");
  verb->add_option("network", options.network, "that the scenario serves");
  verb->add_option("--store", options.store, "the server's; fairlead.db unless given");
  const auto add = [verb](std::deque<TermOption>& terms, std::string_view key,
                          std::string_view help) {
    std::string name = "--" + std::string(key);
    std::ranges::replace(name, '_', '-');
    verb->add_option(name, terms.emplace_back(key, "").value, std::string(help));
  };
  ForEachTerm([&](const auto& term) {
    if (term.help.empty()) return;
    if (term.key != std::string_view("contract")) return add(options.terms, term.key, term.help);
    for (const ContractTerm& part : kContractTerms) add(options.contract, part.key, part.help);
  });
  AddForm(verb, options.form);
  verb->footer(
      "\n`add` replaces an agreement of the same tenant on the same network. A server that runs "
      "with\n"
      "this store follows within its `flush` (1s).\n"
      "\nExample:\n"
      "  fairlead agreement add ada squeezenet1-1 --deadline 100ms --target 95% --rate 20/s \\\n"
      "      --burst 40 --over refuse\n");
}

}  // namespace

void AddServing(CLI::App& app, ServeOptions& serve, LoadOptions& load, TenantOptions& tenant,
                AgreementOptions& agreement) {
  AddServe(app, serve);
  AddLoad(app, load);
  AddTenant(app, tenant);
  AddAgreement(app, agreement);
}

}  // namespace fairlead
