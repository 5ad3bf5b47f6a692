// The kill loop: a supervisor starts the real engine in a process of its own, is its client, and kills it, again and
// again, at random instants and at named points. In the end nothing that was acknowledged may be missing, nothing may be
// there twice, and nothing that nobody sent. `--kills N --seed S`; `--keep` leaves the files where they are.
//
// Always true: what is drawn is a function of the seed; where a process is when it dies is also up to the machine.

import { readPlan, supervise } from './supervisor.ts';

process.exitCode = await supervise(readPlan(process.argv.slice(2)));
