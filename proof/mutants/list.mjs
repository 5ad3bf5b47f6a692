// The planted bugs, and who is to catch each. A mutant replaces one piece of text in one file of packages/heddle/src:
// `find` occurs there exactly once. `what` says what it breaks. `caughtBy` names the proof that must fail by it, with a
// violation, or is `tests`: then `hint.tests` names the file of tests that must fail. `alsoCaughtBy` says that a crash or a
// hang of that proof counts too. `hint` is where to look first, so that it is caught soon. `equivalent` says why a mutant
// changes nothing that anybody can see: it is not run, and counted.

import { actorMutants } from './list/actor.mjs';
import { applierMutants } from './list/appliers.mjs';
import { executorMutants } from './list/executor.mjs';
import { hostMutants } from './list/hosts.mjs';
import { joinMutants } from './list/joins.mjs';
import { officeMutants } from './list/offices.mjs';
import { runMutants } from './list/runs.mjs';
import { serverMutants } from './list/server.mjs';
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
  ...validationMutants,
  ...workMutants,
  ...upkeepMutants,
  ...serverMutants,
];
