// The planted bugs, and which proof is to catch each.
//
// A mutant says where it is by what outlives a refactoring. `in` is the id of a rule (the place is what its mark,
// `// SY6: …`, stands before) or a name (of a function, a constant, or `Class.method`), in whatever file. `find` is a piece
// of code that occurs there once, compared token by token: its layout does not matter. `…` is all that is left inside a
// bracket. `replace` takes the place of what was found, with the same `…`; without it the piece is left out.
//
// `what` says what it breaks. `caughtBy` names the proof that must fail by it, with a violation, or is `tests`: then
// `hint.tests` is how the path of the file of tests ends that must fail, `hint.only` the name of the tests in it that are tried,
// and `hint.testTimeout` how long one may take. `alsoCaughtBy` says that a crash or a hang of that
// proof counts too. `hint` is where to look first, so that it is caught soon. `equivalent` says why a mutant changes
// nothing observable: it is not run, and counted.

import { actorMutants } from './list/actor.mjs';
import { applierMutants } from './list/appliers.mjs';
import { catalogueMutants } from './list/catalogue.mjs';
import { copyMutants } from './list/copies.mjs';
import { executorMutants } from './list/executor.mjs';
import { hostMutants } from './list/hosts.mjs';
import { joinMutants } from './list/joins.mjs';
import { objectMutants } from './list/objects.mjs';
import { officeMutants } from './list/offices.mjs';
import { ownershipMutants } from './list/ownership.mjs';
import { postgresMutants } from './list/postgres.mjs';
import { runMutants } from './list/runs.mjs';
import { serverMutants } from './list/server.mjs';
import { shardMutants } from './list/shards.mjs';
import { stepMutants } from './list/steps.mjs';
import { threadMutants } from './list/threads.mjs';
import { upkeepMutants } from './list/upkeep.mjs';
import { validationMutants } from './list/validation.mjs';
import { workMutants } from './list/work.mjs';

export const mutants = [
  ...joinMutants,
  ...runMutants,
  ...applierMutants,
  ...actorMutants,
  ...officeMutants,
  ...executorMutants,
  ...hostMutants,
  ...postgresMutants,
  ...validationMutants,
  ...workMutants,
  ...upkeepMutants,
  ...serverMutants,
  ...stepMutants,
  ...catalogueMutants,
  ...shardMutants,
  ...ownershipMutants,
  ...copyMutants,
  ...threadMutants,
  ...objectMutants,
];
