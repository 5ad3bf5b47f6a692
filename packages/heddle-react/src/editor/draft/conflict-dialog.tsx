// Conflict dialog: somebody else has saved the same draft. Both are shown side by side; whichever is taken, the other one is
// kept: theirs as a draft of another name, ours one step to undo away.

import { type ReactElement, useState } from 'react';
import { useConnection } from '../../connection/connection.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { TimeText } from '../../parts/time-text.tsx';
import { useEditor } from '../editor-context.ts';
import { DifferenceView } from '../publish/difference-view.tsx';
import { type Draft, type DraftStanding, documentOf } from './use-draft.ts';

export interface ConflictDialogProps {
  readonly draft: DraftStanding;
  readonly theirs: Draft;
}

export function ConflictDialog({ draft, theirs }: ConflictDialogProps): ReactElement {
  const { workflow, definition, document, known, dispatch } = useEditor();
  const { client } = useConnection();
  const [error, setError] = useState<unknown>(null);
  const shown = documentOf(theirs, definition);
  const who = theirs.author ?? 'Somebody';
  const takeTheirs = (): void => {
    dispatch({ type: 'replace', label: `Take the draft of ${who}`, document: shown });
    draft.takeTheirs(shown);
  };
  /** Theirs stays under another name, so that ours can take its place. */
  const keepOurs = async (): Promise<void> => {
    setError(null);
    try {
      await client.call('putDraft', {
        workflow: copyName(workflow, theirs.revision),
        content: { ...shown.definition, id: copyName(workflow, theirs.revision) },
        ...(theirs.text === undefined ? {} : { text: theirs.text }),
        revision: null,
      });
      draft.keepOurs();
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      title={`${who} has changed this draft`}
      onClose={() => undefined}
      actions={
        <>
          <Button onClick={takeTheirs}>Take theirs</Button>
          <Button kind="primary" onClick={() => void keepOurs()}>
            Keep mine
          </Button>
        </>
      }
    >
      {error === null ? null : <ErrorNotice error={error} />}
      <p>
        Saved <TimeText at={theirs.updatedAt} />, after you had opened it. Nothing is lost: with <em>Take theirs</em>{' '}
        yours is one step to undo away; with <em>Keep mine</em> theirs stays as the draft{' '}
        <strong>{copyName(workflow, theirs.revision)}</strong>.
      </p>
      <div className="hd-side-by-side">
        <Side title="Yours" nodes={countOf(document.definition)} />
        <Side title={`Theirs, revision ${theirs.revision}`} nodes={countOf(shown.definition)} />
      </div>
      <section aria-label="From yours to theirs">
        <h3 className="hd-dialog-part">From yours to theirs</h3>
        <DifferenceView before={definition} after={shown.definition} known={known} />
      </section>
    </Dialog>
  );
}

const copyName = (workflow: string, revision: number): string => `${workflow}-copy-${revision}`;

const countOf = ({ nodes }: { readonly [field: string]: unknown }): number => (Array.isArray(nodes) ? nodes.length : 0);

function Side({ title, nodes }: { readonly title: string; readonly nodes: number }): ReactElement {
  return (
    <div className="hd-side">
      <strong>{title}</strong>
      <span>
        {nodes} {nodes === 1 ? 'node' : 'nodes'}
      </span>
    </div>
  );
}
