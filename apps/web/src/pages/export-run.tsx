// ExportRun: a run as one HTML file to take along, with chosen values redacted.

import { capsulePage, sealCapsule } from 'heddle/capsule';
import type { RunEvent } from 'heddle/journal';
import { Button, Dialog, ErrorNotice, type RunReading, type RunSource } from 'heddle-react';
import { type ReactElement, useState } from 'react';

export interface ExportRunProps {
  readonly source: RunSource;
  readonly reading: RunReading;
}

export function ExportRun({ source, reading }: ExportRunProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Export…</Button>
      {isOpen ? <ExportDialog source={source} reading={reading} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface ExportDialogProps extends ExportRunProps {
  readonly onClose: () => void;
}

function ExportDialog({ source, reading, onClose }: ExportDialogProps): ReactElement {
  const [redact, setRedact] = useState('');
  const [isWorking, setWorking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async (): Promise<void> => {
    setWorking(true);
    setError(null);
    try {
      const page = await exported({ source, reading, redact: redact.split(/\s+/).filter((path) => path !== '') });
      download(page, `run-${reading.runId}.html`);
      onClose();
    } catch (reason) {
      setError(reason);
    } finally {
      setWorking(false);
    }
  };
  const actions = (
    <>
      <Button onClick={onClose}>Close</Button>
      <Button kind="primary" disabled={isWorking} onClick={() => void save()}>
        {isWorking ? 'Exporting…' : 'Export'}
      </Button>
    </>
  );
  return (
    <Dialog title="Export the run" onClose={onClose} actions={actions}>
      <p>One HTML file with graph, timeline, journal and state at every moment. It opens offline, in any browser.</p>
      <label className="hd-field">
        <span className="hd-field-label">Values to redact, a path on each line</span>
        <textarea
          className="hd-input"
          placeholder={'input.card.number\nstate.email'}
          value={redact}
          onChange={({ currentTarget }) => setRedact(currentTarget.value)}
        />
        <span className="hd-field-hint">
          Whatever has the last name of a path is taken out of all values, and so is every copy of it in any text.
        </span>
      </label>
      {error === null ? null : <ErrorNotice error={error} />}
    </Dialog>
  );
}

interface Exported extends ExportRunProps {
  readonly redact: readonly string[];
}

async function exported({ source, reading, redact }: Exported): Promise<string> {
  const { definition, drawing } = reading;
  if (definition === null || drawing === null)
    throw new Error('Expected the run to be there, but it is still being read');
  const [events, script, style] = await Promise.all([
    readJournal(source),
    textAt('/capsule.js'),
    textAt('/capsule.css'),
  ]);
  const capsule = sealCapsule({ definition, drawing, events, exportedAt: Date.now(), redact });
  return capsulePage(capsule, { script, style });
}

const eventsPerPage = 1_000;

async function readJournal(source: RunSource): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await source.readEvents(events.at(-1)?.id ?? null, eventsPerPage);
    events.push(...page);
    if (page.length < eventsPerPage) return events;
  }
}

async function textAt(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`Expected the server to have ${address}, but it answered ${response.status}`);
  return response.text();
}

function download(page: string, name: string): void {
  const address = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // by then the browser has taken it
}
