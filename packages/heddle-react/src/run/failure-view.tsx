// FailureView: what went wrong, for the people who look for its place in the code: code, message, stack, causes, details.

import type { Failure, Thrown } from 'heddle';
import type { ReactElement } from 'react';
import { CopyButton } from '../parts/id-text.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { Notice } from '../parts/notice.tsx';

export function FailureView({ failure }: { readonly failure: Failure }): ReactElement {
  const { code, message, attempts, limit, details, thrown } = failure;
  return (
    <Notice title={message}>
      <span>
        <code>{code}</code>
        {attempts === undefined ? null : ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`}
        {limit === undefined ? null : ` (limit ${limit})`}
      </span>
      {thrown === undefined ? null : <ThrownView thrown={thrown} depth={0} />}
      {details === undefined ? null : (
        <details>
          <summary>Details</summary>
          <JsonView value={details} label="details of the error" />
        </details>
      )}
    </Notice>
  );
}

/** Causes have causes: so many are shown. */
const depthMax = 5;

function ThrownView({ thrown, depth }: { readonly thrown: Thrown; readonly depth: number }): ReactElement | null {
  const { name, message, stack, cause, errors = [] } = thrown;
  if (depth > depthMax) return null;
  const title = [name, message].filter((part) => part !== undefined).join(': ');
  return (
    <div className="hd-thrown">
      {depth === 0 || title === '' ? null : <strong>Caused by {title}</strong>}
      {stack === undefined ? null : (
        <details open={depth === 0}>
          <summary>Stack</summary>
          <CopyButton text={stack} label="Copy the stack" />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <pre className="hd-stack" tabIndex={0}>
            {stack}
          </pre>
        </details>
      )}
      {cause === undefined ? null : <ThrownView thrown={cause} depth={depth + 1} />}
      {errors.map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of an error have no other name, and never move
        <ThrownView key={place} thrown={part} depth={depth + 1} />
      ))}
    </div>
  );
}
