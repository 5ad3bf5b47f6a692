// Publish dialog: the deliberate act by which a draft becomes a version: it shows what differs from the version that the
// draft came from, and every problem. A draft with errors cannot be published.

import type { JsonObject } from 'heddle';
import type { AnswerOf } from 'heddle/wire';
import { type ReactElement, useState } from 'react';
import { codeOf, useAnswer, useConnection } from '../../connection/connection.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice, Notice, Skeleton } from '../../parts/notice.tsx';
import type { DraftStanding } from '../draft/use-draft.ts';
import { withoutVersion } from '../draft/use-opened.ts';
import { useEditor } from '../editor-context.ts';
import { ProblemList } from '../problem-list.tsx';
import { DifferenceView } from './difference-view.tsx';

export type Published = AnswerOf<'publishDraft'>;

export interface PublishDialogProps {
  readonly draft: DraftStanding;
  /** Whether the problems are those of the newest definition. */
  readonly isChecked: boolean;
  readonly onClose: () => void;
  readonly onPublished: (published: Published) => void;
}

export function PublishDialog({ draft, isChecked, onClose, onPublished }: PublishDialogProps): ReactElement {
  const { workflow, problems } = useEditor();
  const { client, queries } = useConnection();
  const [isPublishing, setPublishing] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const isOutdated = codeOf(error) === 'DRAFT_OUTDATED';
  const publish = async (): Promise<void> => {
    setPublishing(true);
    setError(null);
    try {
      const revision = await draft.flush();
      if (revision === null) return;
      const published = await client.call('publishDraft', { workflow, revision, overBase: isOutdated });
      void queries.invalidateQueries({ queryKey: ['listDefinitions'] });
      onPublished(published);
    } catch (problem) {
      setError(problem);
    } finally {
      setPublishing(false);
    }
  };
  return (
    <Dialog
      title={draft.base === null ? `Publish ${workflow}` : `Publish the next version of ${workflow}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={errors > 0 || isPublishing || !isChecked} onClick={() => void publish()}>
            {isOutdated ? 'Publish over the newer version' : 'Publish'}
          </Button>
        </>
      }
    >
      {error === null ? null : <ErrorNotice error={error} />}
      {errors === 0 ? null : (
        <Notice title={`${errors === 1 ? 'One error' : `${errors} errors`} must be fixed before it can be published`} />
      )}
      <section aria-label="What changes">
        <h3 className="hd-dialog-part">What changes</h3>
        {draft.base === null ? <FirstVersion /> : <Changes base={draft.base.version} />}
      </section>
      <section aria-label="Problems">
        <h3 className="hd-dialog-part">Problems</h3>
        {isChecked ? <ProblemList onShow={onClose} /> : <Skeleton lines={2} label="Checking" />}
      </section>
    </Dialog>
  );
}

function FirstVersion(): ReactElement {
  const { graph } = useEditor();
  const { nodes, edges } = graph;
  return (
    <p>
      This is the first version: {nodes.length} nodes and {edges.length} ways between them.
    </p>
  );
}

function Changes({ base }: { readonly base: number }): ReactElement {
  const { workflow, definition, known } = useEditor();
  const { data, error } = useAnswer('getDefinition', { id: workflow, version: base });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Skeleton lines={3} />;
  const before: JsonObject = withoutVersion(data.definition);
  return (
    <>
      <p className="hd-field-hint">Against version {base}.</p>
      <DifferenceView before={before} after={definition} known={known} />
    </>
  );
}
