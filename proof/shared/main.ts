// The kill loop of a shared fleet: three engine processes that share a PostgreSQL database, each of them killed, stopped for
// longer than its lease, closed and opened again; their connections cut, before a commit and after it; the database killed,
// stopped and started again; a pooler between in every second round. The client asks any of them and keeps a ledger, readers
// follow the feed at any of them. In the end nothing that was acknowledged may be missing, nothing may be there twice, and
// nothing that nobody sent. `--faults N --seed S --round R`; `--keep` leaves the logs of effects where they are.
//
// Always true: what is drawn is a function of the seed; where a process is when it dies is also up to the machine.

import { readPlan, supervise } from './supervisor.ts';

process.exitCode = await supervise(readPlan(process.argv.slice(2)));
