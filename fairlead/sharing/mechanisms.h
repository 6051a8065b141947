// The mechanisms that share accelerators round by round: what each assumes, does and guarantees.
// Markets that they are given outlive them.
#pragma once

#include <memory>

#include "fairlead/sharing/count_search.h"
#include "fairlead/sharing/market.h"
#include "fairlead/sharing/mechanism.h"

namespace fairlead {

// time-equal: every accelerator's round is divided among all agents by weight.
//
// Assumes: an accelerator can be divided in time within a round at no cost.
// Steps: none. Each agent has weight / all weights of every accelerator, whether or not it has
// use for it.
// Guarantees: exactly what sharing incentive is measured against: exclusive use of one's share.
// Source: the thesis's "time equal", chapter 3.2.
// Cost per round: nothing.
std::unique_ptr<SharingMechanism> MakeTimeEqual();

// fixed-partition: each agent has the same accelerators in every round.
//
// Assumes: nothing; utilities are not looked at.
// Steps, once: accelerators are dealt in their order, each to the agent that has least for its
// weight, so that of each kind everybody has about its share.
// Guarantees: no agent is touched by another. Not: anything to an agent whose share is below one
// accelerator (with more agents than accelerators some never have any).
// Source: the thesis's M_1, chapter 3.2, which does not say who has which. The scheduling policy
// static-partition is another thing: it gives tenants accelerators of an engine, event by event.
// Cost per round: a copy.
std::unique_ptr<SharingMechanism> MakeFixedPartition(const Market& market);

// dynamic-partition: each agent has its weight's number of accelerators, and chooses which.
//
// Assumes: nothing.
// Steps: each agent has its number (where that is no whole one, it has the fraction over
// rounds); agent after agent takes so many from the top of its list.
// Guarantees: the number of accelerators follows weights exactly. Not: that an agent has use for
// all of its own; none is lent.
// Source: the thesis's M_0, chapter 3.2, whose table follows when the first agent always chooses
// first (first=fixed). Our default changes who chooses first from round to round.
// Cost per round: agents x groups.
struct DynamicPartitionOptions {
  enum class First { kRotate, kFixed };
  First first = First::kRotate;
};

std::unique_ptr<SharingMechanism> MakeDynamicPartition(const Market& market,
                                                       const DynamicPartitionOptions& options);

// round-robin: agents take accelerators in turns, and whose turn it is stays from round to round.
//
// Assumes: nothing.
// Steps: the agent whose turn it is takes the first free accelerator of its list, and has as
// many turns in a row as its weight says; then it is the next one's turn, until all are handed
// out.
// Guarantees: over rounds the number of accelerators follows weights. Not: that they are of use.
// Source: chapter 2.2.1 of the thesis; turns by weight are ours. The scheduling policy round-
// robin is another thing: it puts segments of tenants in order on an engine.
// Cost per round: agents x groups.
std::unique_ptr<SharingMechanism> MakeTakeTurns(const Market& market);

// greedy: each accelerator goes to the agent to whom it is worth most, by weight.
//
// Assumes: utilities of agents can be compared.
// Steps: for each accelerator the agent with the largest weight x utility; equal ones in turns.
// Guarantees: no other allocation of this round has a larger weighted welfare. Not: fairness of
// any kind, nor the largest welfare over rounds, since what waits longer is worth more later.
// With by=stake the same of what is at stake, where that is reported.
// Source: ours, to see what caring for nobody would bring.
// Cost per round: agents x groups.
struct GreedyOptions {
  enum class By { kUtility, kStake };
  By by = By::kUtility;
};

std::unique_ptr<SharingMechanism> MakeGreedy(const Market& market, const GreedyOptions& options);

// nash: the largest product of what agents have had, each to the power of its weight.
//
// Assumes: utilities of one agent can be added over rounds; those of two need not be comparable.
// Steps: for each accelerator, the agent for which weight x utility / (all it has had so far) is
// largest; what it has had counts at once.
// Guarantees: where utilities are drawn alike from round to round, the sum of weight x
// log(utility had) tends to its largest value (proportional fairness), whatever an agent's unit.
// Not: the exact maximum of a single round, which is NP-hard where accelerators cannot be
// divided.
// Source: maximum Nash welfare; the rule is proportional fair scheduling's (Kushner and Whiting,
// 2004).
// Cost per round: agents x accelerators.
std::unique_ptr<SharingMechanism> MakeNash(const Market& market);

// drf: dominant resource fairness over the time of each kind of accelerator and the memory's
// bandwidth.
//
// Assumes: each kind is a resource, and one accelerator for a round is a task that takes 1 /
// (how many of the kind there are) of it, and the part of the memory's bandwidth that is reported.
// Steps: the agent whose largest share of any resource is smallest for its weight takes the first
// free accelerator of its list that is of use to it; again until nobody wants any (progressive
// filling). Shares are those of all rounds so far, so that fractions even out; who was away
// comes back level with the one that has least, and cannot claim what it left.
// Guarantees: agents with enough work have equal dominant shares for their weights, but for one
// accelerator.
// Source: Ghodsi et al., NSDI 2011; carrying shares over rounds is ours. Rounds of the thesis have
// no memory, and nobody reports bandwidth there; on the engine everybody does.
// Cost per round: agents x accelerators.
std::unique_ptr<SharingMechanism> MakeDrf(const Market& market);

// max-min: the largest worst rate, each agent's measured against its share (Gavel's program).
//
// Assumes: an agent's rate on a kind does not change; only whether it has work does.
// Steps: a linear program over the time of kinds finds the division in which the smallest rate,
// divided by what the agent's weight's share of every kind would bring, is largest; among those,
// the one with the largest sum. It is solved once for each set of agents with work. Each round
// an agent has the whole accelerators of what it has been granted and did not have yet.
// Guarantees: over rounds with the same agents, the program's rates. Not: anything about queues,
// which it does not look at but to choose among accelerators of one kind.
// Source: Narayanan et al., OSDI 2020; Gavel gives accelerators by X / (time received), we by X
// - received, which is never further off than one accelerator.
// Cost per round: agents x groups x log of it; a linear program for each new set of agents.
std::unique_ptr<SharingMechanism> MakeMaxMin(const Market& market);

// karma: credits for what one leaves to others.
//
// Assumes: an agent wants as many accelerators as are of use to it.
// Steps: a part of each agent's share (guaranteed) is its own; it takes that much from its list,
// if it wants it. What others leave of theirs, and the part of all shares that is nobody's own,
// goes to whoever wants more, the one with most credits first, at one credit each. A credit paid
// for what an agent left is that agent's, the poorest one's first; others vanish, and the part
// that is nobody's own brings each, every round, the credits by which its share exceeds its own.
// Guarantees: who leaves much to others in quiet times comes first in busy ones; no credit is
// rounded.
// Source: Vuppalapati et al., OSDI 2023. Income by weight at one price for all stands for the
// paper's prices by weight. Debts are allowed: accelerators never stay idle for want of credits.
// Cost per round: agents x groups, accelerators x agents.
struct KarmaOptions {
  std::size_t guaranteed = 50;  // per cent of an agent's share
};

std::unique_ptr<SharingMechanism> MakeKarma(const Market& market, const KarmaOptions& options);

// gandiva-fair: stride scheduling by tickets, with trading as an option.
//
// Assumes: an agent without anything to do on an accelerator does not ask for it.
// Steps: on each accelerator, of the agents that have use for it the one with the smallest pass
// has it, and its pass there grows by 1 / weight (scope=each, the thesis's words). Or one pass
// for all accelerators, the agent with the smallest choosing from its list (scope=pool), which
// is stronger. Who comes back starts at the pass of the last one served, so that it cannot claim
// what it left. With queues=blind agents without work take their turns too. Trading: the agent
// that gains most from a fast kind buys a fast accelerator of
// the one that gains least, for as many slow ones as the second highest gain says; fractions are
// owed to the seller.
// Guarantees: agents with enough work have accelerator time by weight; nothing of use stays
// idle. Not: that an accelerator goes where much waits.
// Source: Chaudhary et al., EuroSys 2020, and the thesis, chapter 5.1. Gangs and migration have
// no place in rounds of single accelerators.
// Cost per round: agents x accelerators.
struct GandivaFairOptions {
  enum class Scope { kEach, kPool };
  enum class Trading { kNone, kSecondPrice };
  enum class Queues { kSeen, kBlind };  // turns are for those with work there, or for all
  Scope scope = Scope::kEach;
  Queues queues = Queues::kSeen;
  Trading trading = Trading::kNone;
};

std::unique_ptr<SharingMechanism> MakeGandivaFair(const Market& market,
                                                  const GandivaFairOptions& options);

// token-game: tokens for the big accelerators alone, passed on to those who go without.
//
// Assumes: two sorts of accelerators, and every big one is alike to an agent (the source's "super
// cores"; the thesis makes its point of departing from that).
// Steps: the big kind is the one on which agents' rates add up to most. Agents with a token whose
// best free big accelerator is worth their threshold ask, one accelerator at a time in turns; each
// costs a token. The tokens paid go one by one, in turns by weight, to agents that had no big one
// in this round; where all had, to all. Small accelerators, and big ones that nobody paid for, are
// taken in turns for nothing.
// Guarantees: the number of tokens never changes; who goes without is paid by those who do not.
// Not: shares by weight. Those who are served most often pay the others, whatever they weigh.
// Source: Zahedi, Fan, Lee, TACO 2018, from its abstract and the thesis's words (6.2): lots decide
// there, turns here.
// Cost per round: agents x groups to read lists, accelerators x agents to hand out.
struct TokenGameOptions {
  std::size_t tokens = 2;  // for each big accelerator
};

std::unique_ptr<SharingMechanism> MakeTokenGame(const Market& market,
                                                const TokenGameOptions& options);

// most-token-first: accelerators for tokens, to the richest first (thesis, Algorithm 1).
//
// Assumes: utilities are comparable with thresholds, so normalised to [0, 1).
// Steps: the agent with the largest budget takes the first free accelerator of its list that is
// worth its threshold or more, for one token; again until nobody with a budget wants any. What
// was spent is handed out again by weight. What is left over costs nothing: agents take it in
// turns, and whose turn it is stays from round to round.
// Guarantees: the sum of budgets never changes; who takes less than its weight's share of paid
// accelerators grows richer until it comes first. Not: that an accelerator goes to whom it is
// worth most, or that a round is Pareto efficient.
// Source: Omidi's thesis, chapter 4. The text has no tie rule, no number of tokens, does not say
// whether a fraction of a token buys an accelerator, and hands out what is left whether or not
// it is of use: options here.
// Cost per round: agents x groups to read lists, accelerators x log(agents) to hand out.
struct MostTokenFirstOptions {
  enum class Price { kAnyPositive, kWholeToken };  // what budget buys: a debt may be left, or not
  enum class Ties { kRotate, kLowest };  // of equal budgets: who is first changes by round
  enum class Useless { kTaken, kIdle };  // what is worth nothing: taken like the rest, or not

  std::size_t tokens = 4;  // for each accelerator
  Price price = Price::kAnyPositive;
  Ties ties = Ties::kRotate;
  Useless useless = Useless::kTaken;
};

Result<std::unique_ptr<SharingMechanism>> MakeMostTokenFirst(const Market& market,
                                                             const MostTokenFirstOptions& options);

// most-token-first-plus: accelerators for tokens, to the best bid; who bids pays what it says.
//
// Assumes: utilities are comparable between agents, as most-token-first assumes of one agent's and
// its threshold.
// Steps: an agent's bid for its first free accelerator is what that is worth to it, times how its
// budget compares with the one it began with. The best bid has it, and pays its worth in
// thousandths of a token; again until nobody has use for any. What was spent is handed out by
// weight. Where agents report what is at stake (work that expires), that is bid and paid in place
// of the worth, and bids count by weight: what is not served now is lost, and budgets cannot make
// up for it later. Budgets may fall below nothing: a poor agent's bids count less and less, and are
// never refused.
// Guarantees: the sum of budgets never changes, to the last grain; nothing that is of use stays
// idle; where all is worth the same to all and nothing expires, accelerators follow weights; who
// has had less than its weight's share of utility bids higher until it has it. Not: that nobody
// gains by misreporting, although saying more than is true costs as much more. Source: ours.
// Most-token-first lets the rich have first what they have hardly any use for, and charges as much
// for it as for a full round. Thresholds mend that only by what they leave unpaid. Cost per round:
// agents x groups to read lists, accelerators x log(agents) to hand out.
struct MostTokenFirstPlusOptions {
  std::size_t tokens = 16;  // for each accelerator
  double sway = 0.02;       // of budgets on bids
  bool stakes = true;       // bid what is at stake, where that is reported
};

Result<std::unique_ptr<SharingMechanism>> MakeMostTokenFirstPlus(
    const Market& market, const MostTokenFirstPlusOptions& options);

// themis: the smallest worst finish-time ratio of each round, an integer program.
//
// Assumes: an agent's rate on a kind does not change; only whether it has work does.
// Steps: rho is the time that an agent's work takes with what it has, over the time that it
// takes with 1/n of all accelerators (or with its weight's share: rho=weighted). How much work
// there is cancels out, so the program is over counts of accelerators per agent and kind; it is
// solved once for each set of agents with work, and alike agents take its places in turns. Where
// several divisions have the same worst rho any will do; tie=lexicographic wants the fewest at
// the worst, then the best worst of the others, and so on. Which accelerators of a kind: the
// most useful; or in turns (which=turns), since rates say nothing of queues: then what the counts
// leave stays idle. With work=waiting there is no program: rho is of what waits, and one by one the
// agent whose rho is worst takes its best.
// Guarantees: the optimum by exact search (count_search); by CBC (solver=cbc, and for the
// lexicographic tie) the optimum or after a second (limit) the best found, with the gap. A limit
// that strikes makes results depend on the machine. Not: anything by weight, unless asked for.
// With `offered` below 1 (the original's fairness knob f is 1 less that) a round is offered to the
// agents alone that are worst off so far: what they were entitled to while they had work, over what
// they were given. What these leave goes to where it is of most use.
// Source: Mahajan et al., NSDI 2020, as the thesis has it (chapter 5.1): no auction, no
// payments.
// Cost per round: agents x groups x log of it; a program for each new set of agents.
struct ThemisOptions {
  enum class Rho { kEqual, kWeighted };
  enum class Work { kRates, kWaiting };
  enum class Which { kUseful, kTurns };  // of a kind's accelerators
  Rho rho = Rho::kEqual;
  Work work = Work::kRates;
  Which which = Which::kUseful;
  // The share of agents with work to whom a round is offered: those whose rho is worst so far.
  double offered = 1;
};

std::unique_ptr<SharingMechanism> MakeThemis(const Market& market, const ThemisOptions& options,
                                             CountSolver solver);

// Themis's partial allocation auction over counts: the largest product of what places value, then
// hidden payments.
//
// Each place's value is its worth (1 / rho). Accelerators go one by one to where the product grows
// most; where somebody still has nothing, to the one with nothing that gains most. A place then
// keeps only the part of its accelerators that the others' values with it are of theirs without it
// (rounded down): that is the payment, and why it does not pay to overstate. What is taken from
// them is left over. Source: Mahajan et al., NSDI 2020; offers to the worst places alone are
// themis's. Not here: leases longer than a round.
CountSolution AuctionCounts(const CountProgram& program);

}  // namespace fairlead
