// AllShapes: every shape that is swept.

import type { Shape } from './shape.ts';
import { batches, edges } from './shapes/batches.ts';
import { children } from './shapes/children.ts';
import { control } from './shapes/control.ts';
import { credits } from './shapes/credits.ts';
import { dialects } from './shapes/dialects.ts';
import { events } from './shapes/events.ts';
import { joins } from './shapes/joins.ts';
import { openings } from './shapes/openings.ts';
import { prompts } from './shapes/prompts.ts';
import { records } from './shapes/records.ts';
import { registrations, starts } from './shapes/starts.ts';
import { tasks } from './shapes/tasks.ts';
import { timers } from './shapes/timers.ts';
import { triggers } from './shapes/triggers.ts';

export const allShapes: readonly Shape[] = [
  ...openings,
  ...registrations,
  ...starts,
  ...tasks,
  ...joins,
  ...edges,
  ...batches,
  ...timers,
  ...children,
  ...control,
  ...prompts,
  ...events,
  ...triggers,
  ...credits,
  ...records,
  ...dialects,
];
