// The program of the bucket's tests: an action that puts an artifact, and one that reads it.

import { type Bucket, bucketArtifacts, heddle } from '../../packages/heddle/src/cloudflare.ts';
import type { ObjectReference } from '../../packages/heddle/src/exports.ts';

interface Env {
  readonly HEDDLE: { idFromName(name: string): object; get(id: object): object };
  readonly HEDDLE_KEY: string;
  readonly FILES: Bucket;
}

const nodes = [
  { id: 'draw', action: 'draw', outputMapping: { 'state.picture': 'result.picture' } },
  {
    id: 'measure',
    action: 'measure',
    inputMapping: { picture: 'state.picture' },
    outputMapping: { 'output.bytes': 'result.bytes', 'output.picture': 'state.picture' },
  },
];

const { HeddleObject, worker } = heddle<Env>({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  artifacts: (env, object) => bucketArtifacts(env.FILES, object),
  definitions: [{ id: 'draw', initialNode: 'draw', nodes, transitions: [{ from: 'draw', to: 'measure' }] }],
  engine: () => ({
    actions: {
      draw: async ({ artifacts }) => ({ picture: await artifacts.put('<svg/>', 'image/svg+xml') }),
      async measure({ input, artifacts }) {
        const { bytes } = await artifacts.get(input['picture'] as unknown as ObjectReference); // as `draw` gave it
        return { bytes: bytes.length };
      },
    },
  }),
});

export { HeddleObject, worker as default };
