// The program of another Worker, which has a binding of the objects and nothing else of the engine: starts a run over RPC, and does
// its task as the consumer of a queue.

import { type Coordinator, queueWorker } from '../../packages/heddle/src/cloudflare.ts';

interface Env {
  readonly HEDDLE: { idFromName(name: string): object; get(id: object): object };
}

export default {
  async fetch(_request: Request, { HEDDLE }: Env): Promise<Response> {
    const coordinator = HEDDLE.get(HEDDLE.idFromName('default')) as Coordinator;
    return Response.json(await coordinator.start('queued', { n: 11 }));
  },
  queue: queueWorker<Env>({
    objects: (env) => env.HEDDLE,
    actions: () => ({ resize: ({ input, attempt }) => ({ n: 3 * Number(input['n']), attempt }) }),
  }),
};
