// The kill loop over HTTP: the real server in a process of its own, real workers in others, and a client; servers and
// workers are killed, again and again, at random instants. In the end nothing that was acknowledged may be missing,
// nothing may be there twice, and whoever followed live events has them all. `--kills N --seed S`; `--keep` leaves the
// files where they are.
//
// Always true: what is drawn is a function of the seed; where a process is when it dies is also up to the machine.

import { readPlan } from '../kill/supervisor.ts';
import { supervise } from './supervisor.ts';

process.exitCode = await supervise(readPlan(process.argv.slice(2)));
