// FirstVisit: little ran yet: three examples with one button each, and the way to an own workflow.

import type { Json } from 'heddle';
import { Button, ErrorNotice, useAnswer, useChange, useMay } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../addresses.ts';
import { Loaded } from '../page.tsx';
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
    about: 'The run asks two people, and waits for their answers in the inbox: an hour or a month.',
    input: { article: { title: 'On looms' } },
  },
  {
    workflow: 'deliver',
    title: 'Deliver a parcel',
    about: 'A step fails twice and is tried again; another fails for good, and the run takes another way.',
    input: {},
  },
];

export interface FirstVisitProps {
  /** Something ran: the examples are there to go on with. */
  readonly hasRuns: boolean;
}

export function FirstVisit({ hasRuns }: FirstVisitProps): ReactElement {
  const definitions = useAnswer('listDefinitions', { limit: 1_000 });
  const may = useMay();
  const [isDrawing, setDrawing] = useState(false);
  return (
    <section className="app-first" aria-label="First steps">
      <Loaded answer={definitions} lines={3}>
        {({ items }) => {
          const known = new Set(namesOf(items).map(({ id }) => id));
          const there = may('run:start') ? examples.filter(({ workflow }) => known.has(workflow)) : [];
          return (
            <>
              <Lead hasRuns={hasRuns} hasExamples={there.length > 0} />
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
            </>
          );
        }}
      </Loaded>
      {isDrawing ? <NewDialog onClose={() => setDrawing(false)} /> : null}
    </section>
  );
}

function Lead({ hasRuns, hasExamples }: FirstVisitProps & { readonly hasExamples: boolean }): ReactElement {
  if (hasRuns) return <h2>{hasExamples ? 'Start an example, or draw a workflow' : 'Draw a workflow'}</h2>;
  return (
    <p className="app-lead">
      Nothing has run here yet. {hasExamples ? 'Start an example and watch it:' : 'Draw a workflow to begin.'}
    </p>
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
