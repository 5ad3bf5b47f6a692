// Open projector: that of an object, if the program has a projection.

import type { Clock } from '../../actor/ports.ts';
import type { ObjectHost } from '../../hosts/durable-object/open.ts';
import { type HeddleOptions, report } from '../options.ts';
import type { Place } from '../place.ts';
import { Projector } from './projector.ts';

interface Opening<Env> {
  readonly options: HeddleOptions<Env>;
  readonly env: Env;
  readonly place: Place;
  readonly host: ObjectHost;
  readonly clock: Clock;
}

export function openProjector<Env>({ options, env, place, host, clock }: Opening<Env>): Projector | null {
  if (options.projection === undefined) return null;
  return new Projector({
    database: options.projection(env),
    place,
    store: host.store,
    clock,
    // DO20: whatever is committed leaves an alarm, for the object that is lost before it is projected.
    expectWork: () => host.alarm.expectWork(),
    wakeAt: (at) => host.alarm.wakeAt(at),
    report: (error) => report(options, error),
  });
}
