// Ids: short, with a button that copies the whole.

import { type ReactElement, useState } from 'react';

/** Ids begin with the time: those of one day differ at their ends. */
export const shortId = (id: string): string => (id.length <= 14 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`);

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false), // the page may not: the text is still there to be selected
    );
  };
  return (
    <button type="button" className="hd-copy" aria-label={label} title={label} onClick={copy}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {isCopied ? (
          <path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" strokeWidth="2" />
        ) : (
          <path d="M5 5V2.5h8.5V11H11M2.5 5H11v8.5H2.5z" fill="none" stroke="currentColor" strokeWidth="1.5" />
        )}
      </svg>
      <span className="hd-visually-hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}

export function IdText({ id }: { readonly id: string }): ReactElement {
  return (
    <span className="hd-id">
      <span title={id}>{shortId(id)}</span>
      <CopyButton text={id} label={`Copy ${id}`} />
    </span>
  );
}
