// Coverage: where each invariant of the reliability contract is checked. The ids are those of the contract; a test keeps
// the table honest: every file that is named tells of the id, and what is read from journals or worlds has at least one
// forgery in the tests that is found out by it.

export interface Coverage {
  readonly says: string;
  /** Files of this room that can report it. */
  readonly files: readonly string[];
  /** Where else the proof has it, or why it cannot apply yet. */
  readonly note?: string;
}

export const coverage = {
  I1: { says: 'a token has one status and goes by allowed arrows only', files: ['run-facts.ts', 'check-tokens.ts'] },
  I2: { says: 'a run in which nothing lives has ended', files: ['check-rest.ts', 'check-run.ts'] },
  I3: { says: 'a token that has ended stays so', files: ['run-facts.ts'] },
  I4: { says: 'all tokens are counted', files: ['check-rest.ts', 'check-trees.ts'] },
  I5: { says: 'one cause for each token, ids unique', files: ['check-tokens.ts', 'run-facts.ts'] },
  I6: { says: 'nodes and version are those of the pinned definition', files: ['check-tokens.ts', 'check-run.ts'] },
  I7: { says: 'no token lives in a run that has ended', files: ['check-run.ts'] },
  I8: {
    says: 'limits hold',
    files: [
      'check-tokens.ts',
      'check-tasks.ts',
      'check-groups.ts',
      'check-branches.ts',
      'check-waits.ts',
      'check-workers.ts',
    ],
  },
  I9: { says: 'a group has as many branches as it says', files: ['check-groups.ts', 'check-tokens.ts'] },
  I10: { says: 'branches arrive, live, end or are yet to come', files: ['check-rest.ts', 'check-branches.ts'] },
  I11: { says: 'a join fires once', files: ['check-joins.ts', 'check-branches.ts', 'check-edges.ts'] },
  I12: {
    says: 'a join fires when it must, and only then',
    files: ['check-joins.ts', 'check-branches.ts', 'check-rest.ts', 'check-edges.ts'],
  },
  I13: { says: 'a branch arrives once', files: ['check-joins.ts', 'check-tokens.ts', 'check-edges.ts'] },
  I14: { says: 'nothing lives on in a group after its join', files: ['check-branches.ts', 'check-rest.ts'] },
  I15: { says: 'one continuation for each firing', files: ['check-tokens.ts', 'check-rest.ts'] },
  I16: { says: 'merges are of the counted branches, in order', files: ['check-values.ts', 'check-joins.ts'] },
  I17: { says: 'a branch writes to itself alone', files: ['check-values.ts', 'check-rest.ts'] },
  I18: { says: 'nested joins fire inside out', files: ['check-branches.ts'] },
  I19: { says: 'one accepted result for each token', files: ['check-tasks.ts'] },
  I20: { says: 'results are of the current hand-out', files: ['check-tasks.ts'] },
  I21: { says: 'attempts rise by one within the policy', files: ['check-tasks.ts', 'check-waits.ts'] },
  I22: { says: 'nothing is handed out that has ended, is paused or unpaid', files: ['check-tasks.ts', 'check-run.ts'] },
  I23: { says: 'no work is lost', files: ['check-rest.ts', 'check-journal.ts', 'check-records.ts', 'check-life.ts'] },
  I24: { says: 'one idempotency key for each task', files: ['check-clients.ts'] },
  I25: { says: 'what is written fits its schema', files: ['check-values.ts', 'check-waits.ts', 'check-run.ts'] },
  I26: { says: 'nothing happens before its time', files: ['check-waits.ts', 'check-journal.ts', 'check-run.ts'] },
  I27: {
    says: 'each deadline has its timer',
    files: ['check-journal.ts', 'check-waits.ts', 'check-joins.ts', 'check-workers.ts'],
  },
  I28: { says: 'the alarm is no later than the first timer', files: ['check-world.ts'] },
  I29: { says: 'of a result and a timer one wins', files: ['check-waits.ts'] },
  I30: { says: 'what is read is what the journal adds up to', files: ['check-world.ts'], note: 'also read-runs.ts' },
  I31: { says: 'journals have no gaps and their chain holds', files: ['check-journal.ts'] },
  I32: {
    says: 'a transaction is there whole, and messages from one run to another arrive in order',
    files: ['check-journal.ts', 'check-trees.ts', 'check-outbox.ts', 'check-mail.ts', 'check-records.ts'],
  },
  I33: { says: 'what was acknowledged is there', files: ['check-clients.ts', 'check-credits.ts', 'check-rest.ts'] },
  I34: { says: 'nothing uncaused is there', files: ['check-clients.ts', 'check-credits.ts', 'check-rest.ts'] },
  I35: {
    says: 'same inputs, same decisions',
    files: ['check-waits.ts', 'check-mappings.ts'],
    note: 'main.ts plays twice',
  },
  I36: { says: 'one key, one reply; another body is refused', files: ['check-clients.ts'] },
  I37: { says: 'one end, and nothing after it', files: ['check-journal.ts'] },
  I38: { says: 'outputs are as mapped, failures name their cause', files: ['check-values.ts', 'check-tasks.ts'] },
  I39: { says: 'a parent is told once', files: ['check-trees.ts', 'check-life.ts', 'check-mail.ts'] },
  I40: { says: 'the status is the one that follows', files: ['check-journal.ts', 'check-rest.ts', 'check-records.ts'] },
  I41: { says: 'the end of a sub-run ends the wait for it', files: ['check-waits.ts', 'check-trees.ts'] },
  I42: { says: 'a cancellation leaves no orphan', files: ['check-trees.ts', 'check-workers.ts'] },
  I43: { says: 'a wait takes one answer', files: ['check-waits.ts', 'check-clients.ts', 'check-records.ts'] },
  I44: { says: 'one epoch commits', files: ['check-epochs.ts'], note: 'where stores have a fence' },
  I45: {
    says: 'no foreign id anywhere',
    files: ['check-trees.ts'],
    note: 'there are no tenants yet: trees and payers',
  },
  I46: { says: 'a run ends or waits for something named', files: ['check-life.ts', 'check-journal.ts'] },
  I47: { says: 'what follows from a message is bounded', files: ['check-rest.ts'] },
  I48: { says: 'memory returns', files: ['check-life.ts'], note: 'where the world tells how many runs are in memory' },
  I49: { says: 'globals and prototypes are unchanged', files: ['check-world.ts'] },
  I50: { says: 'no secret is stored', files: ['check-world.ts'], note: 'for the secrets that a world names' },
  I51: { says: 'a letter between shards has one effect, in the order of its sender', files: ['check-letters.ts'] },
  I52: { says: 'what belongs to one shard is there alone, what all share is the same', files: ['check-places.ts'] },
  I53: { says: 'a reader of all events has each once, in the order of its shard', files: ['check-feed.ts'] },
  I54: { says: 'an event that is used up ends one such wait', files: ['check-fleet.ts'] },
  I55: {
    says: 'what a process says of a shard leaves it within its lease',
    files: ['check-leases.ts'],
    note: 'where several processes share a fleet',
  },
  I56: {
    says: 'where nothing keeps it from one a shard has an owner within two lease lives, and one alone at rest',
    files: ['check-leases.ts'],
    note: 'where several processes share a fleet',
  },
} as const satisfies Readonly<Record<string, Coverage>>;

export type InvariantId = keyof typeof coverage;
