// Part: one workflow of a workload: its definition, what the worker answers at its nodes, and what must have come of its
// runs, whoever started them.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Workload } from '../workload.ts';

export interface Part extends Pick<Workload, 'actions' | 'answer' | 'check'> {
  readonly workflow: string;
  readonly definition: Json;
}
