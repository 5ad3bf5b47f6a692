// FirstVisit: nothing ran yet: three examples with one button each, and the way to an own workflow.

import type { Json } from 'heddle';
import { Button, ErrorNotice, useAnswer, useChange, useMay } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../addresses.ts';
import { namesOf } from '../workflow-names.ts';
import { NewDialog } from '../workflows/new-dialog.tsx';

interface Example {
  readonly workflow: string;
  readonly title: string;
  readonly about: string;
  readonly input: Json;
}

/** Of those that come with Heddle; `npm start` registers them. */
const examples: readonly Example[] = [
  {
    workflow: 'plan-trip',
    title: 'Plan a trip',
    about: 'Three branches ask for prices at the same time, and a join adds them up.',
    input: { people: 2, nights: 3 },
  },
  {
    workflow: 'publish-article',
    title: 'Publish an article',
    about: 'The run asks two people, and waits for their answers: an hour or a month. They are in the inbox.',
    input: { article: { title: 'On looms' } },
  },
  {
    workflow: 'deliver',
    title: 'Deliver a parcel',
    about: 'A step fails twice and is tried again; another fails for good, and the run takes another way.',
    input: {},
  },
];

export function FirstVisit(): ReactElement {
  const { data } = useAnswer('listDefinitions', { limit: 1_000 });
  const may = useMay();
  const [isDrawing, setDrawing] = useState(false);
  const known = new Set(namesOf(data?.items ?? []).map(({ id }) => id));
  const there = may('run:start') ? examples.filter(({ workflow }) => known.has(workflow)) : [];
  return (
    <section className="app-first" aria-label="First steps">
      <p className="app-lead">
        Nothing has run here yet. {there.length > 0 ? 'Start an example and watch it:' : 'Draw a workflow to begin.'}
      </p>
      <div className="app-cards">
        {there.map((example) => (
          <ExampleCard key={example.workflow} example={example} />
        ))}
      </div>
      {may('definition:write') ? (
        <div className="app-page-actions">
          <Button kind={there.length === 0 ? 'primary' : 'plain'} onClick={() => setDrawing(true)}>
            Draw a workflow
          </Button>
        </div>
      ) : null}
      {isDrawing ? <NewDialog onClose={() => setDrawing(false)} /> : null}
    </section>
  );
}

function ExampleCard({ example: { workflow, title, about, input } }: { readonly example: Example }): ReactElement {
  const [, navigate] = useLocation();
  const start = useChange('startRun', { onDone: ({ runId }) => navigate(addressOf.run(runId)) });
  return (
    <article className="app-card">
      <h2>{title}</h2>
      <p>{about}</p>
      {start.error === null ? null : <ErrorNotice error={start.error} />}
      <Button kind="primary" disabled={start.isRunning} onClick={() => start.run({ workflow, input })}>
        Start {workflow}
      </Button>
    </article>
  );
}
